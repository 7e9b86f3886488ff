// This file knows what only the first operation of its kind makes in a process: spans of a pool that opens its connections, of
// a cache that is filled. They are a pattern, and no loss where they do not come again.

package ledger

import (
	"maps"
	"math"

	"github.com/tracetax/tracetax/internal/record"
)

// cold is what an operation may make besides the first time in a process.
type cold struct {
	sizes map[string]map[int]bool // of traces, by the name of their root, that are larger than all others of it
	spans float64                 // beside such traces, at most; of which operation they are need not be known
}

// and is what two calibrations teach together.
func (c cold) and(other cold) cold {
	sum := cold{sizes: maps.Clone(c.sizes), spans: math.Max(c.spans, other.spans)}
	for root, sizes := range other.sizes {
		for size := range sizes {
			sum.add(root, size)
		}
	}
	return sum
}

func (c *cold) add(root string, size int) {
	if c.sizes == nil {
		c.sizes = map[string]map[int]bool{}
	}
	one := maps.Clone(c.sizes[root])
	if one == nil {
		one = map[int]bool{}
	}
	one[size] = true
	c.sizes[root] = one
}

// coldOf is what a calibration shows of an operation's first time: traces of its roots that came before the operations
// from which the number was learnt, and spans that all operations made beyond it.
func coldOf(r *record.Record, run Run, found []PerOperation, p PerOperation) cold {
	var out cold
	for root, sizes := range run.Start.Sink.Shapes {
		most, own := p.Roots[root]
		for size, n := range sizes {
			if own && root != record.NoRoot && size > most && n > 0 {
				out.add(root, size)
			}
		}
	}
	if r.Start.OnceSink == nil || !p.exact() {
		return out
	}
	t := Tracing{Sampling: 1, Spans: map[string]PerOperation{}}
	for i, s := range run.Phases {
		t.Spans[record.Work(r.Phases[i].Operation, r.Phases[i].Parameter)] = found[i]
		if s.Operation == record.ProbeOperation && !found[i].known() {
			delete(t.Spans, s.Operation)
		}
	}
	once, _ := r.Start.OnceSink.Apart(t.Begun())
	made := 0.0
	for _, work := range r.Start.Once {
		if !t.Spans[work].exact() {
			return out
		}
		made += t.Spans[work].Low
	}
	out.spans = math.Max(0, float64(once.Told())-made)
	for root, sizes := range once.Shapes {
		for size, n := range sizes {
			if out.sizes[root][size] && n > 0 {
				out.spans -= float64(n) * float64(size-p.Roots[root])
			}
		}
	}
	out.spans = math.Max(0, out.spans)
	return out
}

// cold takes what a stretch shows of first operations for what they made: whole traces as large as those of a calibration,
// and spans beyond what is expected, as many as there were. Of fewer the rest may be missing.
func (l *line) cold(s Stretch, per PerOperation) {
	if per.exact() && per.Roots != nil && tells(s.Sink, 1) {
		for root, sizes := range per.Cold.sizes {
			for size := range sizes {
				l.widen(exactly(float64(max(0, s.Sink.Shapes[root][size])) * float64(size-per.Roots[root])))
			}
		}
	}
	if per.Cold.spans <= 0 {
		return
	}
	came := math.Min(per.Cold.spans, math.Max(0, -l.missing.high))
	l.exact = l.exact && came == per.Cold.spans
	l.widen(between{came, per.Cold.spans})
}
