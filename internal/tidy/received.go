// This file takes what was counted where the spans' way ends: by the sink, or by a backend in its place.

package tidy

import (
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// ofBackend is the process that a backend's own counts are of.
func ofBackend(b *record.Backend) whose {
	return whose{process: b.Name, role: string(role.Backend)}
}

// received takes what came to the end of the spans' way. A backend there counts spans, and nothing else.
func (t *taken) received(r *record.Record, a at, c record.Counts) {
	if r.Backend == nil {
		t.take(a, ofSink, c)
		return
	}
	if c.Spans > 0 || !t.failed {
		t.add(a, ofBackend(r.Backend), "spans", "", "count", float64(c.Spans))
	}
}
