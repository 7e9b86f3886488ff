// Package platform owns a serverless platform on this machine: AWS Lambda's way to invoke a function in front, Lambda's
// Runtime API behind, and between the two environments: processes with one invocation at a time. It must not know tracing,
// nor what is measured.
//
// Two processes run it. One is asked by clients and by the runtimes' clients (Platform); the other has the environments
// for children (Environments), so that what they use is found where the program under test is.
package platform

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/process/supervisor"
)

// Platform is asked for invocations, and gives them to environments.
type Platform struct {
	runtimes *http.Server

	mu        sync.Mutex // over all below, and whatever belongs to an environment
	pools     map[string]*pool
	living    map[string]*instance // by environment
	supplier  net.Conn             // whose children the environments are; nil: there is none yet
	runtimeOn func() (net.Listener, error)
}

// New returns a platform with these functions.
func New(functions []Function) (*Platform, error) {
	p := &Platform{pools: map[string]*pool{}, living: map[string]*instance{}, runtimeOn: func() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }}
	for _, f := range functions {
		if p.pools[f.Name] != nil {
			return nil, fmt.Errorf("a second function is called %q", f.Name)
		}
		p.pools[f.Name] = &pool{function: f}
	}
	if len(functions) == 0 {
		return nil, errors.New("there is no function: write --function NAME=HANDLER")
	}
	p.runtimes = p.runtimeServer()
	return p, nil
}

// Serve answers at front and takes the process with the environments at control, until ctx ends.
func (p *Platform) Serve(ctx context.Context, front, control net.Listener) error {
	server := &http.Server{Handler: p.handler(), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() {
		server.Close()
		control.Close()
		p.runtimes.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.supplier != nil {
			p.supplier.Close()
		}
	})
	defer stop()
	failed := make(chan error, 2)
	go func() { failed <- server.Serve(front) }()
	go func() { failed <- p.supplied(ctx, control) }()
	err := <-failed
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("serving functions: %w", err)
}

// handler serves clients.
func (p *Platform) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /payloads/{size}", payload)
	mux.HandleFunc("POST /2015-03-31/functions/{name}/invocations", p.invoked)
	return mux
}

// invoked is one invocation, from the request to its answer.
func (p *Platform) invoked(w http.ResponseWriter, r *http.Request) {
	i := &invocation{id: newID(), context: r.Header.Get("X-Amz-Client-Context"), trace: traceOf(r.Header), result: make(chan result, 1)}
	name := r.PathValue("name")
	pool := p.pools[name]
	var err error
	i.ask, err = asked(r.Header)
	switch kind := r.Header.Get("X-Amz-Invocation-Type"); {
	case pool == nil:
		write(w, i, refused(404, "ResourceNotFoundException", fmt.Sprintf("Function not found: %.64q", name)))
		return
	case kind != "" && kind != "RequestResponse":
		write(w, i, refused(400, "InvalidParameterValueException", "X-Amz-Invocation-Type: only RequestResponse is supported"))
		return
	case err != nil:
		write(w, i, refused(400, "InvalidParameterValueException", err.Error()))
		return
	}
	if i.event, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxEvent)); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			write(w, i, refused(413, "RequestTooLargeException", fmt.Sprintf("Request must be smaller than %d bytes for the InvokeFunction operation", maxEvent)))
		}
		return // otherwise the client is gone
	}
	if len(i.event) == 0 {
		i.event = []byte("{}")
	}
	p.change(pool, func() { pool.invoke(i) })
	select {
	case answer := <-i.result:
		write(w, i, answer)
	case <-r.Context().Done():
		p.change(pool, func() { pool.left(i) })
	}
}

func write(w http.ResponseWriter, i *invocation, r result) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", fmt.Sprint(len(r.body)))
	h.Set("X-Amzn-Requestid", i.id)
	if r.failed {
		h.Set("X-Amz-Function-Error", "Unhandled")
	} else if r.status < 300 {
		h.Set("X-Amz-Executed-Version", version)
	}
	if len(r.timings) > 0 {
		h.Set("Server-Timing", strings.Join(r.timings, ", "))
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(r.body) // an error means that the client is gone
}

const version = "$LATEST"

// newID is as those of Lambda's requests: a random UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// change lets something happen to a function's environments, and does what follows from it.
func (p *Platform) change(of *pool, event func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	event()
	for actions := of.take(); len(actions) > 0; actions = of.take() {
		for _, a := range actions {
			p.act(of, a)
		}
	}
}

// act carries out an action.
func (p *Platform) act(of *pool, a action) {
	switch a.do {
	case doReply:
		a.invocation.result <- a.result
	case doStart:
		p.start(of, a.environment)
	case doGive:
		a.environment.runtime.give(a.invocation)
	case doFreeze:
		p.order(order{Do: orderFreeze, ID: a.environment.runtime.id})
	case doThaw:
		p.order(order{Do: orderThaw, ID: a.environment.runtime.id})
	case doLinger:
		a.environment.runtime.limit(linger, func() { of.lingered(a.environment) })
	case doEnd:
		p.end(a.environment)
	}
}

// start orders an environment. That it cannot be is the failure of whom it was for.
func (p *Platform) start(of *pool, e *environment) {
	r := &instance{platform: p, pool: of, environment: e, id: environmentID(of.function.Name, e.id), work: make(chan *invocation, 1), ended: make(chan struct{})}
	e.runtime = r
	unable := func(why string) {
		of.died(e, func(*invocation) result { return refused(503, "ServiceException", why) })
	}
	if p.supplier == nil {
		unable("there is no process for environments: start 'tracetax agent environments'")
		return
	}
	listener, err := p.runtimeOn()
	if err != nil {
		unable(fmt.Sprintf("opening the Runtime API of an environment: %v", err))
		return
	}
	r.listener = listener
	p.living[r.id] = r
	go func() { _ = p.runtimes.Serve(&runtimeListener{Listener: listener, runtime: r}) }() // its end is told by the process
	r.limit(startLimit, func() {
		of.died(e, func(*invocation) result {
			return failure("Sandbox.Timedout", fmt.Sprintf("the environment did not ask for an invocation within %v", startLimit))
		})
	})
	p.order(order{Do: orderStart, ID: r.id, Function: of.function, API: listener.Addr().String()})
}

func (p *Platform) end(e *environment) {
	r := e.runtime
	if p.living[r.id] != r {
		return
	}
	delete(p.living, r.id)
	r.close()
	p.order(order{Do: orderEnd, ID: r.id})
}

// order tells the process with the environments. A connection that takes no order is at its end, which is dealt with where
// it is read.
func (p *Platform) order(o order) {
	if p.supplier == nil {
		return
	}
	_ = p.supplier.SetWriteDeadline(time.Now().Add(10 * time.Second))
	if json.NewEncoder(p.supplier).Encode(o) != nil {
		p.supplier.Close()
	}
}

// supplied takes the process with the environments, one at a time.
func (p *Platform) supplied(ctx context.Context, control net.Listener) error {
	for {
		connection, err := control.Accept()
		if err != nil {
			return err
		}
		p.mu.Lock()
		p.supplier = connection
		p.mu.Unlock()
		if ctx.Err() != nil { // it came as the platform ended
			connection.Close()
		}
		p.listen(connection)
		connection.Close()
		p.lost()
	}
}

// listen reads its messages until the connection ends.
func (p *Platform) listen(connection net.Conn) {
	for lines := json.NewDecoder(connection); ; {
		var told report
		if lines.Decode(&told) != nil {
			return
		}
		p.mu.Lock()
		r := p.living[told.ID]
		if r != nil && told.What == toldStarted {
			r.pid, r.forked = told.PID, told.At
		}
		p.mu.Unlock()
		if r != nil && told.What == toldEnded {
			p.change(r.pool, func() {
				r.pool.died(r.environment, func(i *invocation) result { return told.End.dead(r.pool.function, i) })
			})
		}
	}
}

// lost is the end of the process with the environments, and so of them.
func (p *Platform) lost() {
	p.mu.Lock()
	p.supplier = nil
	var all []*instance
	for _, r := range p.living {
		all = append(all, r)
	}
	p.mu.Unlock()
	for _, r := range all {
		p.change(r.pool, func() {
			r.pool.died(r.environment, func(i *invocation) result {
				return Ended{Status: "the process of all environments has ended"}.dead(r.pool.function, i)
			})
		})
	}
}

// now is the time of the clock by which forks are told, ns.
func now() int64 { return supervisor.Monotonic() }
