package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// This file is Lambda's Runtime API, version 2018-06-01, as an environment sees it. Each has a port of its own, since the
// request for an invocation does not say who makes it.

// instance has what belongs to an environment beside its state. The platform's lock is over it.
type instance struct {
	platform    *Platform
	pool        *pool
	environment *environment
	id          string
	listener    net.Listener
	work        chan *invocation
	ended       chan struct{}
	closing     sync.Once
	timer       *time.Timer

	pid       int
	forked    int64 // ns of the monotonic clock; 0: not told
	first     int64 // when it first asked for an invocation
	toldStart bool  // how long it took to start stands in an answer

	given    int64 // when it got the last one
	clock    time.Duration
	clocked  bool          // clock is that of its process when it last answered
	after    time.Duration // what it used from its last answer but one until it got the last invocation
	hasAfter bool
}

// limit has something happen unless a later limit, or none, takes its place before.
func (r *instance) limit(within time.Duration, late func()) {
	r.unlimited()
	r.timer = time.AfterFunc(within, func() { r.platform.change(r.pool, late) })
}

func (r *instance) unlimited() {
	if r.timer != nil {
		r.timer.Stop()
	}
}

// give hands an invocation to the request that waits for it.
func (r *instance) give(i *invocation) {
	r.hasAfter = false
	if used, ok := processClock(r.pid); ok && r.clocked {
		r.after, r.hasAfter = used-r.clock, true
	}
	r.given, r.clocked = now(), false
	r.limit(r.pool.function.Timeout, func() { r.pool.late(r.environment, i) })
	r.work <- i // it holds one, and an environment has one at a time
}

func (r *instance) close() {
	r.closing.Do(func() {
		r.unlimited()
		close(r.ended)
		if r.listener != nil {
			r.listener.Close()
		}
	})
}

// runtimeListener gives its connections their environment, and ends them with it.
type runtimeListener struct {
	net.Listener
	runtime *instance
}

func (l *runtimeListener) Accept() (net.Conn, error) {
	connection, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &runtimeConn{Conn: connection, runtime: l.runtime}, nil
}

type runtimeConn struct {
	net.Conn
	runtime *instance
}

type runtimeKey struct{}

func (p *Platform) runtimeServer() *http.Server {
	mux := http.NewServeMux()
	handle := func(pattern string, f func(*instance, http.ResponseWriter, *http.Request)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, q *http.Request) {
			f(q.Context().Value(runtimeKey{}).(*instance), w, q)
		})
	}
	const api = "/2018-06-01/runtime"
	handle("GET "+api+"/invocation/next", (*instance).next)
	handle("POST "+api+"/invocation/{id}/response", (*instance).response)
	handle("POST "+api+"/invocation/{id}/error", (*instance).failed)
	handle("POST "+api+"/init/error", (*instance).unable)
	return &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, runtimeKey{}, c.(*runtimeConn).runtime)
		},
	}
}

// next answers when there is an invocation.
func (r *instance) next(w http.ResponseWriter, q *http.Request) {
	var ok bool
	r.platform.change(r.pool, func() {
		if r.first == 0 {
			r.first = now()
		}
		lingers := r.environment.only != nil && r.environment.state == idle // asking once more does not make it last
		if ok = r.pool.ready(r.environment); ok && !lingers {
			r.unlimited() // one that is given now has a limit of its own
		}
	})
	if !ok {
		say(w, http.StatusForbidden, "InvalidStateTransition", "the invocation before has no answer yet, or this environment has ended")
		return
	}
	select {
	case i := <-r.work:
		f := r.pool.function
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", fmt.Sprint(len(i.event)))
		h.Set("Lambda-Runtime-Aws-Request-Id", i.id)
		h.Set("Lambda-Runtime-Deadline-Ms", fmt.Sprint(time.Now().Add(f.Timeout).UnixMilli()))
		h.Set("Lambda-Runtime-Invoked-Function-Arn", arn(f.Name))
		for name, value := range map[string]string{"Lambda-Runtime-Client-Context": i.context, "Lambda-Runtime-Trace-Id": i.trace} {
			if value != "" {
				h.Set(name, value)
			}
		}
		_, _ = w.Write(i.event) // an error means that the runtime is gone, which its process tells
	case <-r.ended:
		say(w, http.StatusGone, "Gone", "this environment has ended")
	case <-q.Context().Done():
	}
}

// response is the answer of an invocation.
func (r *instance) response(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(io.LimitReader(q.Body, maxRead))
	if err != nil {
		return // the runtime is gone, which its process tells
	}
	if len(body) > maxAnswer {
		if r.done(q.PathValue("id"), func() result { return tooLarge(len(body)) }) {
			say(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", fmt.Sprintf("Exceeded maximum allowed payload size (%d bytes).", maxAnswer))
		} else {
			unknown(w)
		}
		return
	}
	r.accept(w, q.PathValue("id"), func() result {
		answer, own := unwrap(body)
		return result{status: http.StatusOK, body: answer, timings: r.timings(own)}
	})
}

// maxRead bounds the bytes read of an answer that is too large, to report its size.
const maxRead = 4 * maxAnswer

// failed is the failure of one, in the runtime's words.
func (r *instance) failed(w http.ResponseWriter, q *http.Request) {
	words, err := io.ReadAll(io.LimitReader(q.Body, maxAnswer))
	if err != nil {
		return
	}
	r.accept(w, q.PathValue("id"), func() result { return inWords(words) })
}

// unable is the failure of its start, in the runtime's words.
func (r *instance) unable(w http.ResponseWriter, q *http.Request) {
	words, err := io.ReadAll(io.LimitReader(q.Body, maxAnswer))
	if err != nil {
		return
	}
	var ok bool
	r.platform.change(r.pool, func() { ok = r.pool.unable(r.environment, inWords(words)) })
	if !ok {
		say(w, http.StatusForbidden, "InvalidStateTransition", "this environment has started")
		return
	}
	accepted(w)
}

func inWords(words []byte) result {
	if !json.Valid(words) || len(bytes.TrimSpace(words)) == 0 {
		return failure("Runtime.Unknown", fmt.Sprintf("the runtime told a failure, and not in JSON: %.200q", words))
	}
	return result{status: http.StatusBadGateway, body: words, failed: true}
}

// done ends the invocation that the environment has, and takes its time; false where it is another.
func (r *instance) done(id string, what func() result) (ok bool) {
	r.platform.change(r.pool, func() {
		if e := r.environment; e.current == nil || e.current.id != id {
			return
		}
		ok = r.pool.answered(r.environment, id, what())
		if clock, told := processClock(r.pid); told {
			r.clock, r.clocked = clock, true
		}
	})
	return ok
}

func (r *instance) accept(w http.ResponseWriter, id string, what func() result) {
	if !r.done(id, what) {
		unknown(w)
		return
	}
	accepted(w)
}

// timings are the entries of Server-Timing of the invocation that the environment has: its handler's own, how long it had
// the invocation, in its first answer how long it took to start, and the CPU that it used behind the answer before.
func (r *instance) timings(own string) []string {
	var out []string
	if own != "" {
		out = append(out, own)
	}
	out = append(out, timing("function", time.Duration(now()-r.given)))
	if r.forked > 0 && !r.toldStart {
		r.toldStart = true
		out = append(out, timing("init", time.Duration(r.first-r.forked)))
	}
	if r.hasAfter {
		out = append(out, timing("after", r.after))
	}
	return out
}

func accepted(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, `{"status":"OK"}`+"\n") // an error means that the runtime is gone
}

func unknown(w http.ResponseWriter) {
	say(w, http.StatusBadRequest, "InvalidRequestID", "this environment has no such invocation")
}

func say(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(told(map[string]string{"errorType": kind, "errorMessage": message})) // likewise
}

func arn(function string) string {
	return "arn:aws:lambda:" + region + ":000000000000:function:" + function
}

const region = "us-east-1"

// What goes wrong, in the words of AWS. Unlike there, a function that fails does not answer 200: who asks by HTTP alone
// would take a failure for an answer.

// failure is that of a function.
func failure(kind, message string) result {
	return result{status: 502, body: told(map[string]string{"errorType": kind, "errorMessage": message}), failed: true}
}

// refused is that of a request which does not come to a function.
func refused(status int, kind, message string) result {
	return result{status: status, body: told(map[string]string{"Type": kind, "Message": message})}
}

func told(words map[string]string) []byte {
	text, err := json.Marshal(words)
	if err != nil { // strings always can
		panic(err)
	}
	return text
}

// tooLarge is the failure of a function with an answer of so many bytes.
func tooLarge(size int) result {
	return failure("Function.ResponseSizeTooLarge", fmt.Sprintf("Response payload size (%d bytes) exceeded maximum allowed payload size (%d bytes).", size, maxAnswer))
}

// dead is the failure of whom an environment had when its process ended.
func (e Ended) dead(f Function, i *invocation) result {
	id := "none"
	if i != nil {
		id = i.id
	}
	if e.OutOfMemory {
		return failure("Runtime.OutOfMemory", fmt.Sprintf("RequestId: %s Error: Runtime exited with error: %s: it used more than its %d MB of memory", id, e.Status, f.Memory))
	}
	return failure("Runtime.ExitError", fmt.Sprintf("RequestId: %s Error: Runtime exited with error: %s", id, e.Status))
}

// The most that an event and an answer may have, as with Lambda: 6 MB, and for an answer 100 bytes more.
const (
	maxEvent  = 6 << 20
	maxAnswer = maxEvent + 100
)
