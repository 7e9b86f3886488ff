// This file walks one event: a line of JSON that is an object with one member, named
// after the kind of event.

package elastic

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

const metadata = "metadata"

var (
	errNoID     = errors.New("id and trace_id are required")
	errNoParent = errors.New("a span's parent_id is required")
	errEmpty    = errors.New("an event is an object with one member")
)

// walker holds what is known of the event that is being read, and of its sender.
type walker struct {
	*wire.JSON
	service []byte  // of the metadata
	agent   []byte  // its name, of the metadata
	merges  *merges // of the receiver

	current event
}

// event has the fields that are read of a transaction or a span.
type event struct {
	id, trace, parent, transaction, name, kind, otel []byte

	composite uint64 // spans that were merged into this one, itself included
	dropped   uint64 // spans that the transaction's agent suppressed
	summed    uint64 // the same, of the statistics of them
}

// event counts one line, and returns its kind.
func (w *walker) event(b *tally.Batch, line []byte) (kind string, err error) {
	if w.JSON == nil {
		w.JSON = new(wire.JSON)
	}
	w.JSON.Reset(line)
	err = w.Document(func(name []byte) error {
		if kind != "" {
			return errEmpty
		}
		var known bool
		if kind, known = kinds[string(name)]; !known {
			return fmt.Errorf("did not recognize object type: %.40q", name)
		}
		return w.read(kind)
	})
	if err != nil {
		return kind, err
	}
	if kind == "" {
		return "", errEmpty
	}
	return kind, w.count(b, kind)
}

// kinds are the kinds of events.
var kinds = map[string]string{
	metadata: metadata, "transaction": "transaction", "span": "span", "error": "error", "metricset": "metricset", "log": "log",
}

func (w *walker) read(kind string) error {
	switch kind {
	case metadata:
		return w.Object(w.Only("service", func() error { return w.Object(w.sender) }))
	case "transaction", "span":
		w.current = event{
			id: w.current.id[:0], trace: w.current.trace[:0], parent: w.current.parent[:0], transaction: w.current.transaction[:0],
			name: w.current.name[:0], kind: w.current.kind[:0], otel: w.current.otel[:0],
		}
		return w.Object(w.member)
	}
	return w.Object(func([]byte) error { return w.Skip() })
}

// sender reads a member of the metadata's service.
func (w *walker) sender(name []byte) error {
	switch string(name) {
	case "name":
		return w.copied(&w.service)
	case "agent":
		return w.Object(w.Only("name", func() error { return w.copied(&w.agent) }))
	}
	return w.Skip()
}

// member reads a member of a transaction or a span.
func (w *walker) member(name []byte) error {
	switch string(name) {
	case "id":
		return w.copied(&w.current.id)
	case "trace_id":
		return w.copied(&w.current.trace)
	case "parent_id":
		return w.copied(&w.current.parent)
	case "transaction_id":
		return w.copied(&w.current.transaction)
	case "name":
		return w.copied(&w.current.name)
	case "type":
		return w.copied(&w.current.kind)
	case "otel":
		return w.Object(w.Only("span_kind", func() error { return w.copied(&w.current.otel) }))
	case "composite":
		return w.Object(w.Only("count", func() error { return w.whole(&w.current.composite) }))
	case "span_count":
		return w.Object(w.Only("dropped", func() error { return w.whole(&w.current.dropped) }))
	case "dropped_spans_stats":
		return w.Objects(w.Only("duration", func() error {
			return w.Object(w.Only("count", func() error {
				var n uint64
				err := w.whole(&n)
				w.current.summed += n
				return err
			}))
		}))
	}
	return w.Skip()
}

func (w *walker) copied(to *[]byte) error {
	text, err := w.Text()
	*to = append((*to)[:0], text...)
	return err
}

// maxCount bounds a count that one event may claim: no agent makes that many spans
// within one transaction.
const maxCount = 1 << 32

// whole reads a number of spans.
func (w *walker) whole(to *uint64) error {
	n, _, ok, err := w.Number()
	if err != nil {
		return err
	}
	if !ok || n < 0 || n > maxCount {
		return errors.New("a count of spans is no whole number")
	}
	*to = uint64(n)
	return nil
}

// This file takes out of what the Java agent calls dropped those spans that it has
// merged into others.

// agentJava is the name of the agent that counts the spans which it merged into another
// among the dropped ones of their transaction: ten queries that became one are "dropped":
// 9, without statistics of them. The agents for Go, Node and Python do not.
const agentJava = "java"

// mostMerges bounds how many transactions are remembered at least. The agent sends a
// transaction right behind its spans, so few are open at a time.
const mostMerges = 1 << 14

// merges remembers how many spans were merged, by the id of their transaction: it may
// come in another request than they. The zero value is empty. It may be used
// concurrently.
type merges struct {
	lock       sync.Mutex
	young, old map[[8]byte]uint64
}

// add remembers n more spans of a transaction.
func (m *merges) add(transaction []byte, n uint64) {
	var id [8]byte
	if !wire.Hex(id[:], transaction) {
		return
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.young == nil || len(m.young) >= mostMerges {
		m.old, m.young = m.young, map[[8]byte]uint64{}
	}
	m.young[id] += n
}

// take returns how many spans of a transaction were merged, and forgets it.
func (m *merges) take(transaction []byte) uint64 {
	var id [8]byte
	if !wire.Hex(id[:], transaction) {
		return 0
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	n := m.young[id] + m.old[id]
	delete(m.young, id)
	delete(m.old, id)
	return n
}
