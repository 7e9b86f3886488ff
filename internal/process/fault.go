package process

// The errors of a process that is not what it should be: it has ended, or is not ready. Each names the line of the log
// that tells why.

import (
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/excerpt"
	"github.com/tracetax/tracetax/internal/process/inside"
)

const (
	quoted   = 20  // lines of the log that an error has
	searched = 500 // lines of the log in which the one that tells why is looked for: Java's traces are long
)

// DiedError says that a process ended when it should have been running.
type DiedError struct {
	Process string
	While   string // what was going on, e.g. "waiting for http://127.0.0.1:8080/"
	Exit    Exit
	Log     []string // its last lines, of which Error has one alone
	Why     string   // the line of its log that tells most
}

// Error says it in one line, so that whoever shows the log as well shows it once.
func (e *DiedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "process %s ended (%s)", e.Process, e.Exit)
	if e.While != "" {
		b.WriteString(" while " + e.While)
	}
	b.WriteString(wrote(e.Why))
	return b.String()
}

// Place says where a program listens that is not reached where it is asked.
type Place string

// The places.
const (
	Unseen       Place = ""              // it cannot be seen here, or the check asks no port
	Nowhere      Place = "no-port"       // it listens on no port
	OtherPort    Place = "other-port"    // it listens on other ports alone
	OtherAddress Place = "other-address" // it listens on the port, at another address of this machine
	There        Place = "no-answer"     // it listens where it is asked, and does not answer well
)

// NotReadyError says that patience ended before a process was ready.
type NotReadyError struct {
	Process string
	Check   string
	After   time.Duration
	Last    error    // what the last probe saw; nil: nothing
	Place   Place    // where it listens instead
	Listens []string // addresses at which it listens
	Log     []string // its last lines
	Why     string   // the line of its log that tells most
	Err     error    // of the context that ended
}

// Error says what was seen, and what to change.
func (e *NotReadyError) Error() string {
	last := "no answer yet"
	if e.Last != nil {
		last = e.Last.Error()
	}
	return fmt.Sprintf("process %s is not ready after %v: still waiting for %s (last: %s); %s%s",
		e.Process, e.After.Round(100*time.Millisecond), e.Check, last, e.advice(), wrote(e.Why))
}

// Unwrap is the end of the context.
func (e *NotReadyError) Unwrap() error { return e.Err }

func (e *NotReadyError) advice() string {
	where := strings.Join(e.Listens, ", ")
	switch e.Place {
	case Nowhere:
		return "it listens on no port: give it more patience, or see why it does not begin to"
	case OtherPort:
		return "it listens on " + where + " instead: give it the port that is asked for by {port} in its command or environment, or tell its fixed port (--port)"
	case OtherAddress:
		return "it listens on " + where + " alone: have it listen on 127.0.0.1 or 0.0.0.0, or name its address in the check of readiness and in the operations"
	case There:
		return "it listens there (" + where + "): correct the check, or give it more patience"
	}
	return "give it more patience or correct the check"
}

// placeOf compares where a program listens with where it is asked.
func placeOf(c Check, sockets inside.Sockets) Place {
	host, port, ok := c.asks()
	switch {
	case !ok || !sockets.Seen:
		return Unseen
	case len(sockets.Listening) == 0:
		return Nowhere
	}
	place := OtherPort
	for _, at := range sockets.Listening {
		if strconv.Itoa(int(at.Port())) != port {
			continue
		}
		if inside.Reached(at.Addr(), host) {
			return There
		}
		place = OtherAddress
	}
	return place
}

// notReady says what the last probe saw when patience ended, and where the program listens.
func (p *Process) notReady(c Check, after time.Duration, last, err error) error {
	e := &NotReadyError{Process: p.Name(), Check: c.text, After: after, Last: last, Log: p.log.Tail(quoted), Why: Telling(p.log.Tail(searched)), Err: err}
	sockets, failed := p.Sockets(new(Tables))
	if failed != nil { // then nothing is said of where it listens
		return e
	}
	for _, at := range sockets.Listening {
		if text := at.String(); !slices.Contains(e.Listens, text) {
			e.Listens = append(e.Listens, text)
		}
	}
	e.Place = placeOf(c, sockets)
	return e
}

// wrote is the end of a message: what the program wrote about it.
func wrote(why string) string {
	if why == "" {
		return "; it wrote nothing"
	}
	return "; it wrote: " + why
}

// Lines of logs by which one tells why a program ended.
var (
	// says names the failure, in the words of a runtime: Java's innermost cause, exceptions, .NET's inner ones, panics.
	says = regexp.MustCompile(`^Caused by: ` +
		`|^(?:Exception in thread "[^"]*" )?(?:[a-z_]\w*\.)+[A-Z][\w$]*(?:Exception|Error)(?:: |$)` +
		`|^(?:\w+\.)*[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?: ` +
		`|^Error: |^Unhandled exception\. | ---> \S+Exception(?: \(\d+\))?: |^panic: |^fatal error: |PHP Fatal error: |panicked at .*'.+'` +
		`|\([A-Z]\w*Error\)$`)
	// frame is a line of a trace, which says where rather than why.
	frame = regexp.MustCompile(`^\s+at |^\s*\.\.\. \d+ (?:more|common frames omitted)|^\s*--- End of|^note: run with |^\s*\^+\s*$|^[{}\])]*$`)
)

// Telling is the line of a log that tells why its program ended, or is not ready, cut for an error: the last that names a
// failure ("Caused by: …", the end of a traceback), otherwise the last that is no frame of a trace; "" where there is
// none.
func Telling(log []string) string {
	last, why, described := "", "", false
	traced := false // in a traceback of Python's
	for _, line := range log {
		line = strings.TrimRight(excerpt.WithoutEscapes(line), " \t\r")
		switch {
		case strings.HasPrefix(line, "Traceback (most recent call last)"):
			traced = true
		case traced && line != "" && line[0] != ' ':
			traced, why = false, line
		case line == "Description:": // of Spring Boot, whose words follow
			described = true
		case described && line != "":
			described, why = false, line
		case says.MatchString(line):
			why = line
		}
		if !frame.MatchString(line) {
			last = line
		}
	}
	if why != "" {
		return excerpt.Line(why)
	}
	return excerpt.Line(last)
}

// asks is where a check asks; false where it asks no port.
func (c Check) asks() (host, port string, ok bool) {
	address := c.addr
	if c.url != "" {
		address = hostPort(c.url)
	}
	host, port, err := net.SplitHostPort(address)
	return host, port, err == nil
}
