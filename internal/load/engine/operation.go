// An operation as it goes over the wire: its requests, one after the other, and the ids of its trace.

package engine

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/load/feed"
	"github.com/tracetax/tracetax/internal/traceparent"
)

// operation is a request as sent.
type operation struct {
	target  int // index in plan.targets
	part    int // index in Task.Operations
	wire    []byte
	head    bool       // the response has no body, whatever its headers say
	resend  bool       // may be sent twice
	tracing *tracing   // chooses the ids of its trace; nil: nothing, or the request's own header
	traceAt int        // their place in wire
	status  []int      // the right ones; none is any 2xx or 3xx
	rows    *feed.Rows // nil: the request is the same each time; see operation.bytes
	first   int        // number of the first connection among those of all generators: rows go by them

	number int          // of a step, from 1; 0: the operation has no others
	then   *operation   // the next step; nil: the answer to this one ends the operation
	takes  feed.Takers  // of its answer, for the next steps
	filled *feed.Filled // of a step: the request with the taken values; nil: the same each time
}

// walks reports whether an operation of the plan has several steps.
func (p *plan) walks() bool {
	return slices.ContainsFunc(p.ops, func(o operation) bool { return o.then != nil })
}

func newOperation(r load.Request, target int, ids *tracing) operation {
	method := r.Verb()
	o := operation{
		target: target,
		wire:   feed.Render(r),
		head:   method == "HEAD",
		resend: isIdempotent(method),
		status: r.Status,
	}
	if slices.Contains(r.Headers, roomForIDs) {
		o.tracing, o.traceAt = ids, traceAt(o.wire)
	}
	return o
}

func isIdempotent(method string) bool {
	switch method {
	case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE":
		return true
	}
	return false
}

// expects reports whether status means success.
func (o *operation) expects(status int) bool {
	if len(o.status) > 0 {
		return slices.Contains(o.status, status)
	}
	return status >= 200 && status < 400
}

// bytes returns the nth request as sent; if requests differ it is written into room, which is returned for the next one, grown
// if need be.
func (o *operation) bytes(nth uint64, room []byte) (wire, grown []byte) {
	if o.rows == nil {
		return o.wire, room
	}
	room = o.rows.Bytes(nth, room)
	return room, room
}

// turn returns the number by which the nth request takes its row: its own, or that of its connection.
func (o *operation) turn(nth uint64, connection int) uint64 {
	if o.rows != nil && o.rows.ByConnection {
		return uint64(o.first + connection)
	}
	return nth
}

// chain gives o its next steps.
func (o *operation) chain(r load.Request, ids *tracing) error {
	if len(r.Then) == 0 {
		return nil
	}
	var err error
	if o.takes, err = feed.NewTakers(r.Takes); err != nil {
		return err
	}
	o.number = 1
	last := o
	for _, then := range r.Then {
		next := newOperation(then, o.target, ids)
		next.number = last.number + 1
		if next.takes, err = feed.NewTakers(then.Takes); err != nil {
			return err
		}
		if next.filled, err = feed.NewFilled(then); err != nil {
			return err
		}
		last.then, last = &next, &next
	}
	return nil
}

// says returns the kind of failure, with the step that failed.
func (o *operation) says(kind string) string {
	if o.number == 0 {
		return kind
	}
	return fmt.Sprintf("step %d: %s", o.number, kind)
}

// walk is the way of one operation through its steps.
type walk struct {
	op     *operation        // the first step
	at     *operation        // the current step; nil: the first
	taken  map[string]string // from the answers so far
	wire   []byte            // the request of this step, if it differs each time
	body   uint64            // bytes of the answers' bodies so far
	timing []byte            // the Server-Timing of the answers so far
	putOff bool              // one of the answers seems to have waited for a delayed acknowledgement

	traced uint64 // the number that its traces got their ids by; 0: none yet
}

// step returns the current step.
func (k *walk) step() *operation {
	if k.at != nil {
		return k.at
	}
	return k.op
}

// bytes returns the request of the current step (see operation.bytes), with its ids.
func (k *walk) bytes(nth uint64, room []byte) (wire, grown []byte) {
	step := k.step()
	wire = k.wire
	if wire == nil {
		wire, room = step.bytes(nth, room)
	}
	if step.tracing == nil {
		return wire, room
	}
	at := step.traceAt
	switch {
	case k.wire != nil || step.rows != nil:
		at = traceAt(wire)
	default: // the same for all
		room = append(room[:0], wire...)
		wire = room
	}
	step.tracing.put(wire[at:at+traceparent.Length], k)
	return wire, room
}

// errUnfit is the failure of an operation with a value that breaks the request it goes into.
var errUnfit = errors.New("a value that was taken does not fit into the request that follows")

// advance goes to the next step, with the values of the answer to this one. kind names the missing value, "" if none.
func (k *walk) advance(answer *feed.Tape) (kind string) {
	step := k.step()
	if len(step.takes) > 0 && k.taken == nil {
		k.taken = map[string]string{}
	}
	if kind := step.takes.Take(answer, k.taken); kind != "" {
		return step.says(kind)
	}
	k.at, k.wire = step.then, nil
	if k.at.filled == nil {
		return ""
	}
	var err error
	if k.wire, err = k.at.filled.Render(k.taken); err != nil {
		return k.at.says(errUnfit.Error())
	}
	return ""
}

// The ids of traces that the generator chooses.

// tracing gives ids to operations.
type tracing struct {
	load.Traces
	made *atomic.Uint64 // operations that have got ids, in the generator's life
}

// put writes the ids for the current step of k. An operation that is sent again keeps its ids.
func (t *tracing) put(into []byte, k *walk) {
	if k.traced == 0 {
		k.traced = t.Number(t.made.Add(1))
	}
	t.Key.Put(into, k.traced, max(0, k.step().number-1), t.IsSampled(k.traced))
}

// identify adds room for ids to those requests of a task that get them.
func (p *plan) identify(made *atomic.Uint64) {
	if p.task.Traces == nil {
		return
	}
	p.tracing = &tracing{*p.task.Traces, made}
	p.task.Operations = slices.Clone(p.task.Operations)
	for i := range p.task.Operations {
		p.task.Operations[i] = withRoom(p.task.Operations[i])
	}
}

// withRoom returns r with room for ids in it and in its next steps, except in those with such a header of their own.
func withRoom(r load.Request) load.Request {
	if !saysTrace(r) {
		r.Headers = append(slices.Clone(r.Headers), roomForIDs)
	}
	r.Then = slices.Clone(r.Then)
	for i := range r.Then {
		r.Then[i] = withRoom(r.Then[i])
	}
	return r
}

func saysTrace(r load.Request) bool {
	return slices.ContainsFunc(r.Headers, func(h load.Header) bool { return strings.EqualFold(h.Name, traceparent.Header) })
}

// roomForIDs is the header for ids.
var roomForIDs = load.Header{Name: traceparent.Header, Value: traceparent.Blank}

// roomLine is the text before them in a request.
var roomLine = []byte("\r\n" + traceparent.Header + ": ")

// traceAt returns the place of the ids in a request with room for them, as sent.
func traceAt(wire []byte) int { return bytes.Index(wire, roomLine) + len(roomLine) }

// identified reports whether the generator chooses the ids of all of an operation's traces.
func (o *operation) identified() bool {
	return o == nil || o.tracing != nil && o.then.identified()
}

// A task ready to be carried out: addresses looked up, requests rendered.

// plan is a task with all its preparations done.
type plan struct {
	task    load.Task
	ops     []operation
	targets []target
	tracing *tracing     // nil: the program chooses the ids of traces
	sources []netip.Addr // local addresses of connections, in turn; none: the system's choice
}

// plain reports whether all operations go over HTTP/1.1 without TLS.
func (p *plan) plain() bool {
	return !slices.ContainsFunc(p.targets, func(t target) bool { return t.grpc || t.tls != nil })
}

// target is a server: operations with the same Address and the same protocol share its connections.
type target struct {
	key     string // tells targets apart
	address string
	addrs   []netip.AddrPort // to try in this order
	grpc    bool             // HTTP/2, otherwise HTTP/1.1
	tls     *tls.Config      // nil: plain
}

// newPlan checks t and looks up its addresses, with files of request data that may have been read before and the number of
// operations that have got ids.
func newPlan(ctx context.Context, t load.Task, files *feed.Files, identified *atomic.Uint64) (*plan, error) {
	if err := feed.Check(t); err != nil {
		return nil, err
	}
	p := &plan{task: t.WithDefaults()}
	p.identify(identified)
	var err error
	if p.task.Operations, err = feed.Encoded(p.task.Operations); err != nil {
		return nil, err
	}
	index := map[string]int{}
	for _, r := range p.task.Operations {
		i, ok := index[r.Target()]
		if !ok {
			t, err := newTarget(ctx, r)
			if err != nil {
				return nil, err
			}
			i = len(p.targets)
			index[t.key] = i
			p.targets = append(p.targets, t)
		}
		o := newOperation(r, i, p.tracing)
		if err := o.chain(r, p.tracing); err != nil {
			return nil, fmt.Errorf("operation %q: %w", r.Name, err)
		}
		o.part = len(p.ops)
		p.ops = append(p.ops, o)
	}
	rows, err := files.Rows(ctx, p.task.Operations, p.task.Seed)
	if err != nil {
		return nil, err
	}
	for i := range p.ops {
		p.ops[i].rows, p.ops[i].first = rows[i], p.task.FirstOpen()
	}
	p.sources = p.chooseSources()
	return p, nil
}

func newTarget(ctx context.Context, r load.Request) (target, error) {
	addrs, err := lookUp(ctx, r.Address)
	if err != nil {
		return target{}, err
	}
	t := target{key: r.Target(), address: r.Address, addrs: addrs, grpc: r.GRPC}
	if r.TLS != nil {
		t.tls, err = tlsConfig(r.TLS, r.Address, r.GRPC)
	}
	return t, err
}

func lookUp(ctx context.Context, address string) ([]netip.AddrPort, error) {
	if a, err := netip.ParseAddrPort(address); err == nil {
		return []netip.AddrPort{a}, nil
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address %q: want host:port: %w", address, err)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("address %q: reading the port: %w", address, err)
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("looking up the host of %q: %w", address, err)
	}
	var addrs []netip.AddrPort
	for _, ip := range ips {
		addrs = append(addrs, netip.AddrPortFrom(ip.Unmap(), uint16(n)))
	}
	return addrs, nil
}

// deadline returns the time to give up an operation with this intended start.
func (p *plan) deadline(intended time.Duration) time.Duration { return intended + p.task.Timeout }
