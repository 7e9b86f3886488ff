package platform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The headers by which an invocation says what it wants of its environment.
const (
	environmentsHeader = "Tracetax-Environments" // how many there may be of its function: 1 by default
	startHeader        = "Tracetax-Start"        // cold: a fresh one, which is ended afterwards
	freezeHeader       = "Tracetax-Freeze"       // on: stopped from its answer to its next invocation
)

// maxEnvironments is the most environments of a function at once, cold ones included.
const maxEnvironments = 100

// ask is an invocation's request.
type ask struct {
	environments int
	cold         bool
	freeze       bool
}

// asked reads it; the error names the header.
func asked(h http.Header) (ask, error) {
	a := ask{environments: 1}
	if text := h.Get(environmentsHeader); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxEnvironments {
			return a, fmt.Errorf("%s is 1 to %d, not %.40q", environmentsHeader, maxEnvironments, text)
		}
		a.environments = n
	}
	for _, choice := range []struct {
		header, other, chosen string
		to                    *bool
	}{
		{startHeader, "warm", "cold", &a.cold},
		{freezeHeader, "off", "on", &a.freeze},
	} {
		switch text := h.Get(choice.header); text {
		case "", choice.other:
		case choice.chosen:
			*choice.to = true
		default:
			return a, fmt.Errorf("%s is %s or %s, not %.40q", choice.header, choice.other, choice.chosen, text)
		}
	}
	if a.cold && a.freeze {
		return a, fmt.Errorf("%s: cold ends the environment, so that there is nothing for %s: on", startHeader, freezeHeader)
	}
	return a, nil
}

// The trace that an invocation is part of: Lambda takes and hands on X-Ray's header, and clients of today send W3C's.
const (
	traceHeader = "X-Amzn-Trace-Id"
	w3cHeader   = "Traceparent"
)

var traceparent = regexp.MustCompile(`^00-([0-9a-f]{8})([0-9a-f]{24})-([0-9a-f]{16})-[0-9a-f]([0-9a-f])$`)

// traceOf returns the trace in X-Ray's form, with as many digits as W3C's; "" is none.
func traceOf(h http.Header) string {
	if trace := h.Get(traceHeader); trace != "" {
		return trace
	}
	ids := traceparent.FindStringSubmatch(h.Get(w3cHeader))
	if ids == nil {
		return ""
	}
	sampled := strings.IndexByte("0123456789abcdef", ids[4][0]) & 1
	return fmt.Sprintf("Root=1-%s-%s;Parent=%s;Sampled=%d", ids[1], ids[2], ids[3], sampled)
}

// Function is one that can be invoked, with its limits.
type Function struct {
	Name    string        `json:"name"`
	Handler string        `json:"handler"` // as its runtime reads it from _HANDLER
	Memory  int64         `json:"memory"`  // MB, of 2^20 bytes
	Timeout time.Duration `json:"timeout"` // from the event until it asks for the next one
}

// What Lambda gives a function for which nothing is said.
const (
	defaultMemory  = 128
	defaultTimeout = 3 * time.Second
)

var functionName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ParseFunction reads NAME=HANDLER, behind which may stand ,memory=MB and ,timeout=DURATION.
func ParseFunction(text string) (Function, error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok || !functionName.MatchString(name) {
		return Function{}, fmt.Errorf("function %q: write NAME=HANDLER,memory=128,timeout=3s; a name has up to 64 letters, digits, - and _", text)
	}
	words := strings.Split(rest, ",")
	f := Function{Name: name, Handler: words[0], Memory: defaultMemory, Timeout: defaultTimeout}
	if f.Handler == "" {
		return f, fmt.Errorf("function %s: its handler is missing, as in %s=app.handler", name, name)
	}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		var err error
		switch key {
		case "memory":
			if f.Memory, err = strconv.ParseInt(value, 10, 32); err == nil && (f.Memory < 1 || f.Memory > 10240) {
				err = errors.New("it is 1 to 10240 MB")
			}
		case "timeout":
			if f.Timeout, err = time.ParseDuration(value); err == nil && (f.Timeout < time.Millisecond || f.Timeout > 15*time.Minute) {
				err = errors.New("it is 1ms to 15m")
			}
		default:
			err = errors.New("there are memory and timeout")
		}
		if err != nil {
			return f, fmt.Errorf("function %s, %q: %w", name, word, err)
		}
	}
	return f, nil
}

// What functions download: as many bytes as they ask for, always the same ones.

// maxPayload is the most.
const maxPayload = 256 << 20

// payloadBlock is over and over what is downloaded.
var payloadBlock = sync.OnceValue(func() []byte {
	block := make([]byte, 64<<10)
	_, _ = rand.NewChaCha8([32]byte{}).Read(block) // never fails
	return block
})

// Payload writes the bytes of a payload.
func Payload(w io.Writer, size int64) error {
	for size > 0 {
		n, err := w.Write(payloadBlock()[:min(size, int64(len(payloadBlock())))])
		if err != nil {
			return err
		}
		size -= int64(n)
	}
	return nil
}

func payload(w http.ResponseWriter, r *http.Request) {
	size, err := strconv.ParseInt(r.PathValue("size"), 10, 64)
	if err != nil || size < 0 || size > maxPayload {
		http.Error(w, fmt.Sprintf("a payload has 0 to %d bytes", maxPayload), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", fmt.Sprint(size))
	_ = Payload(w, size) // an error means that the client is gone
}

// How a function's own time comes with its answer.

// A handler around the user's may wrap the answer, to say how long the work took: an object whose first key this is, with
// entries as in the header Server-Timing, and whose second is the answer. The runtimes' clients leave no other way.
const timingKey = "tracetax-server-timing"

type timedAnswer struct {
	Timing string          `json:"tracetax-server-timing"`
	Answer json.RawMessage `json:"answer"`
}

// unwrap takes the timing out of an answer; an answer without one stays as it is.
func unwrap(body []byte) (answer []byte, timing string) {
	start := bytes.TrimLeft(body, " \t\r\n")
	if start = bytes.TrimLeft(bytes.TrimPrefix(start, []byte("{")), " \t\r\n"); !bytes.HasPrefix(start, []byte(`"`+timingKey+`"`)) {
		return body, ""
	}
	var t timedAnswer
	if json.Unmarshal(body, &t) != nil || t.Answer == nil || !serverTiming.MatchString(t.Timing) {
		return body, ""
	}
	return t.Answer, t.Timing
}

// serverTiming are entries such as benchmark;dur=1.25, work;dur=1.
var serverTiming = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40};dur=[0-9]{1,12}(\.[0-9]{1,12})?(, [A-Za-z0-9_-]{1,40};dur=[0-9]{1,12}(\.[0-9]{1,12})?){0,7}$`)

// timing is an entry of Server-Timing; durations are milliseconds.
func timing(name string, d time.Duration) string {
	return fmt.Sprintf("%s;dur=%.3f", name, float64(d)/float64(time.Millisecond))
}
