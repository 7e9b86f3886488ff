// The ids of traces that the generator chooses: every request has a header traceparent, unless it has one of its own.

package load

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tracetax/tracetax/internal/traceparent"
)

// Traces says which ids the traces of a task's operations get.
type Traces struct {
	Key     traceparent.Key `json:"key"`
	Sampled float64         `json:"sampled"` // share of the operations whose traces are to be sampled, 0 to 1
}

// parts is how finely a share of operations is told.
const parts = 1_000_000_000

// IsSampled reports whether the trace of an operation is to be sampled, which is the so-many-th, from 1. Of each run of
// operations that is as long as the share allows one is, by chance which (the key is its seed): their number is exact, and no
// rhythm of the load, of its rows or its connections, falls together with that of the choice.
func (t Traces) IsSampled(number uint64) bool {
	share := uint64(math.Round(math.Max(0, math.Min(1, t.Sampled)) * parts))
	if share == 0 || number == 0 {
		return false
	}
	nth := (number - 1) * share / parts // the run that it is in
	first, next := (nth*parts+share-1)/share, ((nth+1)*parts+share-1)/share
	return number-1 == first+t.Key.Draw(nth)%(next-first)
}

// tracing gives ids to operations.
type tracing struct {
	Traces
	made *atomic.Uint64 // operations that have got one, of the generator's life
}

// put writes the value for the step of k that is made. An operation that is sent again keeps its ids.
func (t *tracing) put(into []byte, k *walk) {
	if k.traced == 0 {
		k.traced = t.made.Add(1)
	}
	t.Key.Put(into, k.traced, max(0, k.step().number-1), t.IsSampled(k.traced))
}

// identify gives the requests of a task, which get ids, room for them.
func (p *plan) identify(made *atomic.Uint64) {
	if p.task.Traces == nil {
		return
	}
	p.tracing = &tracing{*p.task.Traces, made}
	p.task.Operations = slices.Clone(p.task.Operations)
	for i := range p.task.Operations {
		p.task.Operations[i] = p.task.Operations[i].withRoom()
	}
}

// withRoom is r with room for ids in it and in the requests that follow it, in those of them that have no such header.
func (r Request) withRoom() Request {
	if !r.saysTrace() {
		r.Headers = append(slices.Clone(r.Headers), roomForIDs)
	}
	r.Then = slices.Clone(r.Then)
	for i := range r.Then {
		r.Then[i] = r.Then[i].withRoom()
	}
	return r
}

func (r Request) saysTrace() bool {
	return slices.ContainsFunc(r.Headers, func(h Header) bool { return strings.EqualFold(h.Name, traceparent.Header) })
}

// roomForIDs is the header in whose value ids are put.
var roomForIDs = Header{Name: traceparent.Header, Value: traceparent.Blank}

// roomLine is what stands before them in a request.
var roomLine = []byte("\r\n" + traceparent.Header + ": ")

// traceAt is where the ids of a request that has room for them stand as it goes over the wire.
func traceAt(wire []byte) int { return bytes.Index(wire, roomLine) + len(roomLine) }

// identified reports whether the generator chooses the ids of all of an operation's traces.
func (o *operation) identified() bool {
	return o == nil || o.tracing != nil && o.then.identified()
}
