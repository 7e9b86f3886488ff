// Operations of which a few make more spans than most: a check of a connection that has been idle, a batch that is full. Those of the
// least number are most of them, and how rare the others are shows over all runs.

package ledger

import (
	"maps"
	"math"

	"github.com/tracetax/tracetax/internal/record"
)

// mostlyLeast returns the least number of spans of so many traces, one an operation, that at least half of them have, and by how many the
// largest has more.
func mostlyLeast(c record.Counts, operations uint64) (least, above int, mostly bool) {
	if !tells(c, operations) || c.Traces != operations || len(c.Shapes) != 1 {
		return 0, 0, false
	}
	most := 0
	for _, sizes := range c.Shapes {
		for size, n := range sizes {
			if n < 0 {
				return 0, 0, false
			}
			if n > 0 && (least == 0 || size < least) {
				least = size
			}
			most = max(most, size)
		}
		mostly = 2*sizes[least] >= int64(operations)
	}
	return least, most - least, mostly && most > least
}

// chanced is how many more there may be of what was seen so many times, but for one case in a thousand.
func chanced(times float64) float64 { return standardErrors*math.Sqrt(times) - math.Log(overlooked) }

// further returns how many more of so many traces may be larger than those that are, if spans of them were lost.
func (p PerOperation) further(many, of float64) float64 {
	if p.share == 0 {
		return chanced(many)
	}
	return math.Max(0, p.share*of-many)
}

// holds reports whether all traces have the least number of spans, or as many more as some are known to have.
func (p PerOperation) holds(shapes record.Shapes) bool {
	for root, sizes := range shapes {
		least, own := p.Roots[root]
		for size, n := range sizes {
			if n != 0 && (!own || n < 0 || size < least || size > least+p.Above) {
				return false
			}
		}
	}
	return true
}

// varied adds how rare larger traces are over all runs, for operations of which the calibration or the runs show some.
func varied(t Tracing, spans map[string]PerOperation, runs []Run) map[string]PerOperation {
	if t.none() {
		return spans
	}
	t.Spans = spans
	many, all, top := map[string]float64{}, map[string]float64{}, map[string]int{}
	for _, run := range runs {
		begun := run.begun(t)
		for _, s := range run.Phases {
			name, per := s.Level, t.per(s)
			if _, level := spans[name]; !level || name == "" {
				name = s.Operation
			}
			if !per.exact() || per.How != Inferred || per.Roots == nil || per.Later || per.Shown {
				continue
			}
			own, _ := s.Sink.OfOperations(begun)
			if !tells(own, 1) {
				continue
			}
			traces, _, most := own.Shapes.Larger(per.Roots, per.Cold.in(s))
			many[name], all[name] = many[name]+float64(traces), all[name]+float64(own.Traces)
			top[name] = max(top[name], most)
		}
	}
	out := maps.Clone(spans)
	for name, traces := range all {
		per := out[name]
		if per.Above = max(per.Above, top[name]); per.Above > 0 {
			per.share = math.Min(1, (many[name]+chanced(many[name]))/traces)
			out[name] = per
		}
	}
	return out
}
