// This file counts an event that was read.

package elastic

import (
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

// count counts the event. Errors are no spans and no log records; they are not counted.
func (w *walker) count(b *tally.Batch, kind string) error {
	switch kind {
	case "transaction", "span":
		return w.countSpan(b, kind == "span")
	case "metricset":
		b.Metrics++
	case "log":
		b.Logs++
	}
	return nil
}

func (w *walker) countSpan(b *tally.Batch, child bool) error {
	e := &w.current
	switch {
	case len(e.id) == 0 || len(e.trace) == 0:
		return errNoID
	case child && len(e.parent) == 0:
		return errNoParent
	}
	var trace [16]byte
	var id, parent [8]byte
	before := b.Spans
	merging := w.merges != nil && string(w.agent) == agentJava
	merged := e.composite - min(e.composite, 1)
	if merging && !child {
		e.dropped -= min(e.dropped, w.merges.take(e.id))
	}
	b.Span(&tally.Span{
		Trace: decoded(trace[:], e.trace), ID: decoded(id[:], e.id), Parent: decoded(parent[:], e.parent),
		Name: e.name, Kind: kindOf(e, child), Loose: true, Wide: true, Merged: merged,
		// The statistics are of spans that are counted as dropped as well: of the exit
		// spans among them, and of a composite one they count all that it is made of. How
		// many were composite is not told, so that this is the least.
		Suppressed: max(e.dropped, e.summed),
	})
	counted := b.Spans - before
	b.Service(w.service, counted)
	if counted > 0 && merged > 0 && merging {
		w.merges.add(e.transaction, merged)
	}
	return nil
}

// decoded is an id: the number that its digits are, or its text where it is none.
func decoded(room, id []byte) []byte {
	if wire.Hex(room, id) {
		return room
	}
	return id
}

// kindOf is the kind of a span or transaction: the one that OpenTelemetry's bridge
// says, or what the type tells, as the server derives it.
func kindOf(e *event, child bool) tally.Kind {
	if kind, ok := otelKinds[string(e.otel)]; ok {
		return kind
	}
	switch string(e.kind) {
	case "request":
		if !child {
			return tally.Server
		}
	case "messaging":
		if child {
			return tally.Producer
		}
		return tally.Consumer
	case "db", "external", "storage", "cache":
		if child {
			return tally.Client
		}
	}
	return tally.Internal
}

var otelKinds = map[string]tally.Kind{
	"SERVER": tally.Server, "CLIENT": tally.Client, "PRODUCER": tally.Producer, "CONSUMER": tally.Consumer, "INTERNAL": tally.Internal,
}
