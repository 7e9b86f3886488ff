// This file looks at what there is between a tracer and the sink: tracers that are
// attached and trace nothing, which cost little, and those that were waited for.
package analysis

import (
	"fmt"
	"math"

	"github.com/tracetax/tracetax/internal/finding"
)

// byChance is how unlikely it must be that sampling alone has kept no trace.
const byChance = 0.001

// noticeable is a wait that a user may ask about, in seconds.
const noticeable = 0.1

// findWaited says of tracers how long their connection took.
func (s *study) findWaited() []hit {
	return s.perVariant(noticeable, func(r *run) float64 { return r.Start.ConnectedSeconds }, func(worst float64) string {
		return fmt.Sprintf("the first operation waited up to %s until the tracer was connected", finding.FormatValue(worst, "s"))
	})
}

// findNothingTraced looks at variants that are meant to export, and of which not one
// span came in any run, the calibration included. Learnt from that, none would be
// expected, and none be missed.
func (s *study) findNothingTraced() []hit {
	var hits []hit
	for _, v := range s.variants {
		t := s.tracing[v.Name]
		if t.Silent || t.Sampling <= 0 || !s.traces(v.Name) || s.declaresNone(v.Name) {
			continue
		}
		runs, operations, spans := s.seenOf(v.Name)
		if spans > 0 || operations == 0 || math.Pow(1-t.Sampling, float64(operations)) > byChance {
			continue
		}
		hits = append(hits, hit{fmt.Sprintf("not one span came in %d runs, the calibration included: the tracer is attached, and traces nothing that arrives", runs), v.Name})
	}
	return hits
}

// declaresNone reports whether it is declared of all operations that they make no span.
func (s *study) declaresNone(variant string) bool {
	plan := s.in.Plans[variant]
	if plan == nil {
		return false
	}
	for _, operation := range s.operations() {
		if declared, ok := plan.Spans[operation]; !ok || declared.High > 0 {
			return false
		}
	}
	return true
}

// seenOf is what came of a variant over all of its runs, and of how many operations.
func (s *study) seenOf(variant string) (runs int, operations, spans uint64) {
	records := s.calibrations(variant)
	for _, r := range s.all[variant] {
		records = append(records, *r.Record)
	}
	for i := range records {
		r := &records[i]
		if r.Failed() {
			continue
		}
		runs++
		spans += r.Life.Spans + r.Life.Merged + r.Life.Forgone
		for _, p := range r.Phases {
			operations += p.Warmup.Completed + p.Load.Completed
			spans += p.Sink.Spans + p.Sink.Merged + p.Sink.Forgone
		}
	}
	return runs, operations, spans
}
