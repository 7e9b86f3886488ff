package process

// Commands that run to their end, such as builds: under a keeper like the processes of a run, but without a launcher, as their
// cost is not charged.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/inspect"
	"github.com/tracetax/tracetax/internal/process/output"
	"github.com/tracetax/tracetax/internal/process/supervisor"
	"github.com/tracetax/tracetax/internal/quote"
)

// jobGrace is the time for background processes of a command to end by themselves.
const jobGrace = 2 * time.Second

// Job is a command to run to its end.
type Job struct {
	Name   string     // for errors and for the keeper's mark: letters, digits, '.', '_' and '-'
	Args   []string   // the program and its arguments
	Env    []string   // the whole environment, as in Command; nil is tracetax's own
	Dir    string     // working directory; "" is tracetax's own
	Stdout io.Writer  // gets its standard output; nil: Stderr gets it, in the order of writing
	Stderr io.Writer  // gets its standard error; nil discards it
	Held   []*os.File // also held open by the keeper, not by the program: a lock lasts until the whole job is gone
	Self   []string   // command of this tracetax, as in Options
}

// jobs counts the jobs of this tracetax.
var jobs atomic.Int64

// JobError reports a job that failed.
type JobError struct{ Exit Exit }

// Error describes the end: "exit status 1", "killed by SIGKILL".
func (e *JobError) Error() string { return e.Exit.String() }

// Run runs the job and ends its background processes with it. When ctx ends, everything is killed, and the error is the cause.
// When tracetax dies, the keeper kills everything.
func (j Job) Run(ctx context.Context) error {
	p, err := j.start(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	said, left := j.finish(ctx, p)
	left = errors.Join(left, p.release())
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), left)
	}
	if e := p.Exit(); e.Code != 0 || e.Signal != 0 || e.Lost {
		return errors.Join(&JobError{e}, said, left)
	}
	return errors.Join(said, left)
}

func (j Job) start(ctx context.Context) (*Process, error) {
	c := Command{Name: j.Name, Args: j.Args, Env: j.Env, Dir: j.Dir, Piped: j.Stdout != nil}
	if err := c.check(); err != nil {
		return nil, err
	}
	self, err := selfOr(j.Self)
	if err != nil {
		return nil, err
	}
	mark := fmt.Sprintf("%s%d-job-%d/%s", cgroup.Prefix, os.Getpid(), jobs.Add(1), j.Name)
	env := c.environment(mark)
	path, err := lookUp(c.Args[0], c.Dir, env)
	if err != nil {
		return nil, err
	}
	p := newProcess(c, mark, output.Pass(j.Stderr), &cgroup.Group{}, nil)
	p.held = j.Held
	if err := p.launch(ctx, self, supervisor.Assignment{Name: j.Name, Path: path, Args: c.Args, Env: env, Dir: c.Dir}); err != nil {
		return nil, errors.Join(err, p.release())
	}
	return p, nil
}

// finish copies the output until the job ends, and ends its remaining processes. said: error of incomplete output; left: error
// if something may still run.
func (j Job) finish(ctx context.Context, p *Process) (said, left error) {
	copied := make(chan error, 1)
	if j.Stdout == nil {
		copied <- nil
	} else {
		_ = p.stdin.Close() // it has nothing to read
		go func() {
			_, err := io.Copy(j.Stdout, p.stdout)
			copied <- err
		}()
	}
	select {
	case <-p.exited:
	case <-ctx.Done():
	}
	_, left = p.Stop(ctx, jobGrace)
	if j.Stdout != nil {
		// No writer is left: all output is in the pipe by now.
		_ = p.stdout.SetReadDeadline(time.Now().Add(jobGrace))
	}
	return errors.Join(<-copied, p.log.Err()), left
}

// selfOr returns the command of this tracetax, by default its own executable.
func selfOr(self []string) ([]string, error) {
	if self != nil {
		return self, nil
	}
	own, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the own executable: %w", err)
	}
	return []string{own}, nil
}

// The errors of a process that has ended, or is not ready. Each quotes the line of the log that gives the reason.

const (
	quoted   = 20  // lines of the log in an error
	searched = 500 // lines of the log searched for the reason: Java's traces are long
)

// DiedError reports that a process ended too early.
type DiedError struct {
	Process string
	While   string // the current activity, e.g. "waiting for http://127.0.0.1:8080/"
	Exit    Exit
	Log     []string // its last lines; Error quotes only one of them
	Why     string   // the most telling line of its log
}

// Error fits on one line; callers show the log once, on their own.
func (e *DiedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "process %s ended (%s)", e.Process, e.Exit)
	if e.While != "" {
		b.WriteString(" while " + e.While)
	}
	b.WriteString(wrote(e.Why))
	return b.String()
}

// Place is the place at which a program listens that is not reached by its check.
type Place string

// The places.
const (
	Unseen       Place = ""              // unknown, or the check has no port
	Nowhere      Place = "no-port"       // it listens on no port
	OtherPort    Place = "other-port"    // it listens on other ports only
	OtherAddress Place = "other-address" // it listens on the port, at another address of this machine
	There        Place = "no-answer"     // it listens at the address of the check, but does not answer well
)

// NotReadyError reports that a process was not ready in time.
type NotReadyError struct {
	Process string
	Check   string
	After   time.Duration
	Last    error    // of the latest probe; nil: none
	Place   Place    // the place at which it listens instead
	Listens []string // addresses at which it listens
	Log     []string // its last lines
	Why     string   // the most telling line of its log
	Err     error    // of the ended context
}

// Error names the latest probe's error and the remedy.
func (e *NotReadyError) Error() string {
	last := "no answer yet"
	if e.Last != nil {
		last = e.Last.Error()
	}
	return fmt.Sprintf("process %s is not ready after %v: still waiting for %s (last: %s); %s%s",
		e.Process, e.After.Round(100*time.Millisecond), e.Check, last, e.advice(), wrote(e.Why))
}

// Unwrap returns the error of the context.
func (e *NotReadyError) Unwrap() error { return e.Err }

func (e *NotReadyError) advice() string {
	where := strings.Join(e.Listens, ", ")
	switch e.Place {
	case Nowhere:
		return "it listens on no port: give it more patience (patience: of the process, or --set workload.processes.0.patience=60s), or see why it does not begin to"
	case OtherPort:
		return "it listens on " + where + " instead: give it the port that is asked for by {port} in its command or environment, or write its fixed port into the operations"
	case OtherAddress:
		return "it listens on " + where + " alone: have it listen on 127.0.0.1 or 0.0.0.0, or name its address in the check of readiness and in the operations"
	case There:
		return "it listens there (" + where + "): correct the check, or give it more patience (patience: of the process, or --set workload.processes.0.patience=60s)"
	}
	return "give it more patience (patience: of the process, or --set workload.processes.0.patience=60s), or correct the check"
}

// placeOf compares a program's listening addresses with the address of its check.
func placeOf(c Check, sockets inspect.Sockets) Place {
	host, port, err := net.SplitHostPort(c.Address())
	switch {
	case err != nil || !sockets.Seen:
		return Unseen
	case len(sockets.Listening) == 0:
		return Nowhere
	}
	place := OtherPort
	for _, at := range sockets.Listening {
		if strconv.Itoa(int(at.Port())) != port {
			continue
		}
		if inspect.Reached(at.Addr(), host) {
			return There
		}
		place = OtherAddress
	}
	return place
}

// notReady returns an error with the latest probe's error and the addresses at which the program listens.
func (p *Process) notReady(c Check, after time.Duration, last, err error) error {
	e := &NotReadyError{Process: p.Name(), Check: c.text, After: after, Last: last, Log: p.log.Tail(quoted), Why: Telling(p.log.Tail(searched)), Err: err}
	sockets, failed := p.Sockets(new(Tables))
	if failed != nil { // the error then names no addresses
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

// wrote returns the end of a message: the program's own line about it.
func wrote(why string) string {
	if why == "" {
		return "; it wrote nothing"
	}
	return "; it wrote: " + why
}

// Lines of logs that give the reason why a program ended.
var (
	// says matches a runtime's name of the failure: Java's innermost cause, exceptions, .NET's inner ones, panics.
	says = regexp.MustCompile(`^Caused by: ` +
		`|^(?:Exception in thread "[^"]*" )?(?:[a-z_]\w*\.)+[A-Z][\w$]*(?:Exception|Error)(?:: |$)` +
		`|^(?:\w+\.)*[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?: ` +
		`|^Error: |^Unhandled exception\. | ---> \S+Exception(?: \(\d+\))?: |^panic: |^fatal error: |PHP Fatal error: |panicked at .*'.+'` +
		`|\([A-Z]\w*Error\)$`)
	// system matches refusals of the operating system, in the words of its C library.
	system = regexp.MustCompile(`(?i)permission denied|operation not permitted|no such file or directory|address already in use|no space left on device` +
		`|cannot allocate memory|read-only file system|too many open files|command not found|\b(?:eacces|eperm|enoent|eaddrinuse|enospc|enomem|erofs|emfile)\b`)
	// wrong matches lines that name a failure in any words.
	wrong = regexp.MustCompile(`(?i)\b(?:error|fatal|fail(?:ed|ure|s)?|cannot|can't|could not|unable|denied|invalid|illegal|refused|unknown|unrecogni[sz]ed|not found|missing|usage)\b`)
	// frame matches lines of a stack trace, which give places, not reasons.
	frame = regexp.MustCompile(`^\s+at |^\s*\.\.\. \d+ (?:more|common frames omitted)|^\s*--- End of|^note: run with |^\s*\^+\s*$|^[{}\])]*$`)
)

// Telling returns the line of a log that explains why its program ended, or is not ready, cut for an error: the last that names
// a failure ("Caused by: …", the end of a traceback), otherwise the last outside a stack trace; if that names nothing wrong,
// the last refusal of the operating system. "" if there is none.
func Telling(log []string) string {
	last, why, refused, described := "", "", "", false
	traced := false // in a Python traceback
	for _, line := range log {
		line = strings.TrimRight(quote.WithoutEscapes(line), " \t\r")
		switch {
		case strings.HasPrefix(line, "Traceback (most recent call last)"):
			traced = true
		case traced && line != "" && line[0] != ' ':
			traced, why = false, line
		case line == "Description:": // of Spring Boot; the text follows
			described = true
		case described && line != "":
			described, why = false, line
		case says.MatchString(line):
			why = line
		case system.MatchString(line):
			refused = line
		}
		if !frame.MatchString(line) {
			last = line
		}
	}
	switch {
	case why != "":
		return quote.Line(why)
	case refused != "" && !wrong.MatchString(last):
		return quote.Line(refused)
	}
	return quote.Line(last)
}

// Address returns the HOST:PORT of a check; "" without a port.
func (c Check) Address() string {
	if c.url != "" {
		return hostPort(c.url)
	}
	return c.addr
}
