// Tracers that hold spans back until a buffer is full, however long that takes: in
// a calibration nothing of them is heard before the processes end.
package run

import (
	"context"
	"fmt"

	"github.com/tracetax/tracetax/internal/record"
)

// heldBack reports whether a calibration's phases cannot say whose spans came in them: the
// tracer is known to hold some back, or some of a workload that makes itself work came only
// when its processes ended, or all of any. A full buffer may have been sent in the middle
// of any phase.
func heldBack(q Request, r *record.Record) bool {
	if q.Kind != record.Calibration || q.twice > 0 || r.Failed() || len(r.Phases) == 0 || r.Stop.Sink.Spans == 0 {
		return false
	}
	if q.Plan.Holds > 0 || q.Plan.Manner().Leaves {
		return true
	}
	for i := range r.Phases {
		if r.Phases[i].Sink.Spans > 0 {
			return false
		}
	}
	return true
}

// learnAtEnds makes a calibration once more for each of its phases, which is then
// twice as long: what came more, over the life of the processes, is the phase's. A
// failure of any of them is the failure of the calibration.
func (c *Conductor) learnAtEnds(ctx context.Context, q Request, r *record.Record) error {
	plan := *q.Plan
	plan.Verify = nil // it was done
	q.Plan = &plan
	name := q.Name
	for i := range r.Phases {
		q.Name, q.twice = fmt.Sprintf("%s-longer-%d", name, i+1), i+1
		longer, err := c.Run(ctx, q)
		if err != nil {
			return err
		}
		if longer.Failed() {
			r.Failure = longer.Failure
			return nil
		}
		more := longer.Phases[i].Load.Started - r.Phases[i].Load.Started
		if longer.Stop.Unquiet || r.Stop.Unquiet || longer.Life.Spans < r.Life.Spans || more != r.Phases[i].Load.Started {
			r.Phases[i].Quiet = false // nothing can be learnt of it
			continue
		}
		r.Phases[i].Sink = longer.Life.Minus(r.Life)
	}
	return nil
}
