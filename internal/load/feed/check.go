// Checking a task, before any operation is made.

package feed

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/quote"
)

// Check returns the fault of a task, nil if there is none.
func Check(t load.Task) error {
	switch {
	case len(t.Operations) == 0:
		return errors.New("the task has no operations")
	case !(t.Rate >= 0) || t.Rate > 1e9:
		return fmt.Errorf("rate %v: want operations per second, at least 0", t.Rate)
	case !slices.Contains([]string{"", load.Even, load.Poisson, load.Constant}, t.Arrivals):
		return fmt.Errorf("arrivals %q: want %s, %s or %s", t.Arrivals, load.Even, load.Poisson, load.Constant)
	case t.Slices != nil && (t.Rate == 0 || t.Slices.Of < 2 || t.Slices.Place < 0 || t.Slices.Place >= t.Slices.Of || t.Slices.Length <= 0):
		return fmt.Errorf("slices %+v of an open loop of %v/s: want a place below the number of loads, at least 2, a length and a rate", *t.Slices, t.Rate)
	case t.Among != nil && (t.Among.Of < 2 || t.Among.Place < 0 || t.Among.Place >= t.Among.Of || t.Connections < t.Among.Of*t.Threads):
		return fmt.Errorf("place %d of %d generators with %d connections: want a place below the number of generators, at least 2, "+
			"and a connection for each", t.Among.Place, t.Among.Of, t.Connections)
	case t.Connections < 0:
		return fmt.Errorf("connections %d: want at least 1", t.Connections)
	case t.Threads < 0:
		return fmt.Errorf("threads %d: want at least 1", t.Threads)
	case t.Duration < 0:
		return fmt.Errorf("duration %v: want more than 0", t.Duration)
	case t.Duration == 0 && t.Count == 0:
		return errors.New("neither a duration nor a count: the load would never end")
	case t.Timeout < 0 || t.Timeout > load.MaxTimeout:
		return fmt.Errorf("timeout %v: want at most %v", t.Timeout, load.MaxTimeout)
	case t.Late < 0:
		return fmt.Errorf("late %v: want at least 0", t.Late)
	case t.Streams < 0 || t.Streams > load.MostStreams:
		return fmt.Errorf("streams %d: want 1 to %d", t.Streams, load.MostStreams)
	case t.Connections > load.MostConnections:
		return fmt.Errorf("connections %d: want at most %d", t.Connections, load.MostConnections)
	case t.Threads > load.MostThreads:
		return fmt.Errorf("threads %d: want at most %d", t.Threads, load.MostThreads)
	}
	for _, r := range t.Operations {
		err := checkRequest(r)
		if err == nil {
			err = checkSteps(r)
		}
		if err != nil {
			return fmt.Errorf("operation %q: %w", r.Name, err)
		}
		if t.Streams > 1 && !r.GRPC {
			return fmt.Errorf("operation %q: several streams on a connection are for gRPC; HTTP/1.1 has one request at a time", r.Name)
		}
	}
	return nil
}

func checkRequest(r load.Request) error {
	host, port, err := net.SplitHostPort(r.Address)
	if err != nil || host == "" {
		return fmt.Errorf("address %q: want host:port", r.Address)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Errorf("address %q: the port must be 1 to 65535", r.Address)
	}
	if !(r.Weight >= 0) || r.Weight > 1e15 {
		return fmt.Errorf("weight %v: want at least 0", r.Weight)
	}
	if r.Method != "" && !IsToken(r.Method) {
		return fmt.Errorf("method %q is not one", r.Method)
	}
	if r.Method == "CONNECT" {
		return errors.New("method CONNECT is not supported")
	}
	if err := checkPath(r); err != nil {
		return err
	}
	if err := checkData(r); err != nil {
		return err
	}
	if err := checkCall(r); err != nil {
		return err
	}
	if !isValue(r.Host) {
		return fmt.Errorf("host %q holds control characters", r.Host)
	}
	for _, h := range r.Headers {
		if err := checkHeader(h); err != nil {
			return err
		}
	}
	return nil
}

// checkCall returns the fault of a gRPC call.
func checkCall(r load.Request) error {
	if !r.GRPC {
		return nil
	}
	service, method, ok := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	switch {
	case !ok || service == "" || method == "":
		return fmt.Errorf("path %q: want a gRPC method, /package.Service/Method", r.Path)
	case r.Method != "" && r.Method != "POST":
		return fmt.Errorf("method %s: a gRPC call is a POST", r.Method)
	case len(r.Status) > 0:
		return fmt.Errorf("status %d: a gRPC call succeeds with grpc-status 0, and with nothing else", r.Status)
	}
	return nil
}

func checkPath(r load.Request) error {
	if r.Order != "" && r.Order != load.InTurn && r.Order != load.Random && r.Order != load.ByConnection {
		return fmt.Errorf("order %q of the data: want %q, %q or %q", r.Order, load.InTurn, load.Random, load.ByConnection)
	}
	path := asRow(r).Path
	if r.Data != "" || path != r.Path {
		if _, err := splitPath(path); err != nil {
			return err
		}
		var err error
		if path, err = without(path, "/"); err != nil {
			return err
		}
	}
	if path != "" && path[0] != '/' && path != "*" {
		return fmt.Errorf("path %q: want it to begin with /", r.Path)
	}
	if hasBlank(path) {
		return fmt.Errorf("path %q: spaces and control characters must be percent-encoded", r.Path)
	}
	return nil
}

func checkHeader(h load.Header) error {
	if !IsToken(h.Name) {
		return fmt.Errorf("header name %q is not one", h.Name)
	}
	if !isValue(h.Value) {
		return fmt.Errorf("header %s holds control characters", h.Name)
	}
	switch strings.ToLower(h.Name) {
	case "content-length", "transfer-encoding":
		return fmt.Errorf("header %s is the generator's own to set", h.Name)
	}
	return nil
}

// checkData returns the fault of the placeholders and of a message in JSON, as far as it can be checked without the data.
func checkData(r load.Request) error {
	if r.Data != "" {
		_, err := newGappy(r)
		return err
	}
	_, err := encoded(r)
	return err
}

// Checking the requests of an operation of several, before any is made.

// checkSteps returns the fault of the requests that follow r, and of their takes.
func checkSteps(r load.Request) error {
	if len(r.Then) == 0 {
		return checkSingle(r)
	}
	var known []string
	for i, step := range append([]load.Request{r}, r.Then...) {
		if err := checkStep(step, r, i, known); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		for _, t := range step.Takes {
			known = append(known, t.Name)
		}
	}
	return nil
}

// takeWord is {take.NAME} or {take.NAME:raw}, as split finds it.
var takeWord = regexp.MustCompile(`\{take\.[^{}\r\n]*\}`)

// checkSingle is checkSteps for a single request: there is nothing to take values from, and it would be sent with the
// placeholder in it.
func checkSingle(r load.Request) error {
	texts := []string{r.Path, string(r.Body)}
	for _, h := range r.Headers {
		texts = append(texts, h.Value)
	}
	for _, text := range texts {
		if word := takeWord.FindString(text); word != "" {
			return fmt.Errorf("nothing before it takes %.60s: only a step that follows another one can use what that took", word)
		}
	}
	return nil
}

// checkStep is checkSteps for the i-th of the requests that begin with first; known are the values taken before it.
func checkStep(r, first load.Request, i int, known []string) error {
	switch {
	case r.GRPC:
		return errors.New("a gRPC call cannot be one of several steps")
	case r.Data != "":
		return errors.New("steps take no rows of request data")
	case r.Target() != first.Target():
		return fmt.Errorf("it goes to %s and the first one to %s: all steps of an operation ask the same server", r.Address, first.Address)
	}
	if i > 0 {
		if len(r.Then) > 0 {
			return errors.New("a step has no steps of its own")
		}
		if err := checkRequest(r); err != nil {
			return err
		}
	}
	filled, err := newGappy(asRow(r))
	if err != nil {
		return err
	}
	for _, p := range slices.Concat(filled.head, filled.body) {
		if p.gap != nil && !slices.Contains(known, p.gap.column) {
			return fmt.Errorf("nothing before it takes {take.%s}", p.gap.column)
		}
	}
	_, err = NewTakers(r.Takes)
	return err
}

// IsToken reports whether s is a token of RFC 9110, section 5.6.2.
func IsToken(s string) bool {
	for i := range len(s) {
		if !TokenByte[s[i]] {
			return false
		}
	}
	return s != ""
}

// TokenByte holds the bytes allowed in a header name or a method.
var TokenByte = func() (t [256]bool) {
	for c := range t {
		b := byte(c)
		t[c] = b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' ||
			strings.IndexByte("!#$%&'*+-.^_`|~", b) >= 0
	}
	return t
}()

// listed lists names for an error.
func listed(names []string) string {
	const most = 12
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", quote.Lines(names[:most], ", "), len(names)-most)
	}
	return quote.Lines(names, ", ")
}
