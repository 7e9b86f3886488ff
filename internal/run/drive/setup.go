// The setup of a run: requests before anything is measured, and what is kept of their answers for the operations.

package drive

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/load/feed"
	"github.com/tracetax/tracetax/internal/quote"
)

// setupPatience is the longest time of a request of the setup: a cold program is slow, and a login is meant to be.
const setupPatience = 30 * time.Second

// SetUp makes the requests of the setup, one after the other, those of a connection for each of so many. trace returns a header that
// makes the trace of a request known; nil: none does. It returns the number of requests, and the values that it keeps, which may be
// secrets. An error is of the process that was asked, and names the request.
func (r *Requests) SetUp(ctx context.Context, connections int, trace func() (name, value string)) (made uint64, kept []string, err error) {
	ofRun, each := map[string]string{}, make([]map[string]string, max(1, connections))
	for i := range each {
		each[i] = map[string]string{}
	}
	for _, s := range r.Setup {
		values := []map[string]string{ofRun}
		if s.Per == program.PerConnection {
			values = each
		}
		for _, into := range values {
			r.kept = maps.Clone(ofRun)
			maps.Copy(r.kept, into)
			got, err := r.setUp(ctx, s, trace)
			if err != nil {
				return made, kept, err
			}
			made++
			maps.Copy(into, got)
			kept = append(kept, slices.Sorted(maps.Values(got))...)
		}
	}
	r.kept = ofRun
	return made, kept, r.writeSessions(each)
}

// setUp makes a request of the setup, and returns what it keeps of the answer.
func (r *Requests) setUp(ctx context.Context, s program.Setup, trace func() (name, value string)) (map[string]string, error) {
	o := s.Operation()
	fail := func(err error) (map[string]string, error) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &ProcessError{o.Owner(r.Processes).Name, fmt.Errorf("setup: %s: %w", o.Name, err)}
	}
	request, err := r.requestFor(o)
	if err != nil {
		return fail(err)
	}
	if trace != nil {
		name, value := trace()
		if !slices.ContainsFunc(request.Headers, func(h load.Header) bool { return strings.EqualFold(h.Name, name) }) {
			request.Headers = append(request.Headers, load.Header{Name: name, Value: value})
		}
	}
	status, answer, err := answerTo(ctx, request)
	if err != nil {
		return fail(err)
	}
	right := status >= 200 && status < 300
	if len(o.Status) > 0 {
		right = slices.Contains(o.Status, status)
	}
	if !right {
		return fail(&WrongError{fmt.Errorf("it was answered with status %d: %s; mend the request, the service, or the status in setup", status, quote.Quoted(answer.Body))})
	}
	got := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(o.Take)) {
		takers, err := feed.NewTakers([]load.Take{{Name: name, From: o.Take[name]}})
		if err != nil {
			return fail(err)
		}
		if kind := takers.Take(&answer, got); kind != "" {
			return fail(&WrongError{fmt.Errorf("keep: {%s: %s}: %s, %s", name, quote.Line(o.Take[name]), strings.ReplaceAll(kind, "{take.", "{"), without(answer.Body))})
		}
	}
	return got, nil
}

// without says what an answer has, without its values, which may be secrets.
func without(body []byte) string {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(body, &top); err != nil {
		return fmt.Sprintf("whose body of %d bytes is no JSON object", len(body))
	}
	return fmt.Sprintf("whose body has the keys [%s]", quote.Lines(slices.Sorted(maps.Keys(top)), ", "))
}

// answerTo makes a request on a connection of its own, and returns the status of the answer and its first MiB. It follows no redirect.
func answerTo(ctx context.Context, r load.Request) (status int, answer feed.Tape, err error) {
	late := fmt.Errorf("no answer came in %v", setupPatience)
	ctx, cancel := context.WithTimeoutCause(ctx, setupPatience, late)
	defer cancel()
	out, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(feed.Render(r))))
	if err != nil {
		return 0, answer, fmt.Errorf("making a request of it: %w", err)
	}
	out = out.WithContext(ctx)
	out.RequestURI, out.URL.Scheme, out.URL.Host = "", "http", r.Address
	by := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	if r.TLS != nil {
		out.URL.Scheme, by.TLSClientConfig = "https", &tls.Config{InsecureSkipVerify: r.TLS.Insecure}
	}
	came, err := by.RoundTrip(out)
	if err == nil {
		defer came.Body.Close() // read to its end, or given up
		answer.Body, err = io.ReadAll(io.LimitReader(came.Body, feed.MaxTape))
	}
	switch {
	case errors.Is(context.Cause(ctx), late):
		return 0, answer, late
	case err != nil:
		return 0, answer, err
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s %s\n", came.Proto, came.Status)
	_ = came.Header.Write(&head) // into memory
	answer.Head = bytes.ReplaceAll(head.Bytes(), []byte("\r\n"), []byte("\n"))
	return came.StatusCode, answer, nil
}

// writeSessions writes what is kept for each connection as rows of data.
func (r *Requests) writeSessions(each []map[string]string) error {
	if len(r.ofConnections()) == 0 {
		return nil
	}
	var rows bytes.Buffer
	for _, one := range each {
		row, err := json.Marshal(one)
		if err != nil {
			return fmt.Errorf("setup: writing what it keeps: %w", err)
		}
		rows.Write(append(row, '\n'))
	}
	path := filepath.Join(r.Scratch, "sessions.jsonl")
	if err := os.WriteFile(path, rows.Bytes(), 0o600); err != nil {
		return fmt.Errorf("setup: writing what it keeps for each connection: %w", err)
	}
	r.sessions = path
	return nil
}

// ofConnections returns the names of the values that the setup keeps for each connection.
func (r *Requests) ofConnections() []string {
	var out []string
	for _, s := range r.Setup {
		if s.Per == program.PerConnection {
			out = append(out, slices.Sorted(maps.Keys(s.Keep))...)
		}
	}
	return out
}

// with returns the values of placeholders with those that the setup keeps, in the form of their place. One of each connection is a
// column of the sessions. Before the setup has been made each stands for its own name: addresses are known without it.
func (r *Requests) with(values map[string]string, form func(string) string) map[string]string {
	if len(r.Setup) == 0 {
		return values
	}
	out := maps.Clone(values)
	for _, s := range r.Setup {
		for name := range s.Keep {
			value, known := r.kept[name]
			switch {
			case known:
				out[name] = form(value)
			case r.sessions != "" && s.Per == program.PerConnection:
				out[name] = columnOf(name)
			default:
				out[name] = name
			}
		}
	}
	return out
}

// body returns the body of a request with the values that the setup keeps.
func (r *Requests) body(request load.Request) ([]byte, error) {
	if len(r.Setup) == 0 || len(request.Body) == 0 {
		return request.Body, nil
	}
	if r.sessions != "" {
		var pairs []string
		for _, name := range r.ofConnections() {
			pairs = append(pairs, "{"+name+"}", columnOf(name))
		}
		request.Body = []byte(strings.NewReplacer(pairs...).Replace(string(request.Body)))
	}
	return feed.BodyWith(request, r.kept)
}

// columnOf is where a column of the sessions stands in a request.
func columnOf(name string) string { return "{data." + name + "}" }

func asItIs(value string) string { return value }
