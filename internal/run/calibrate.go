package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/drive"
	"github.com/tracetax/tracetax/internal/spec"
)

// calibrationOperations is how often an operation is made, one at a time, to
// learn how many spans it makes.
const calibrationOperations = 20

// calibrate makes each operation a few times, one at a time, and waits each time
// until its spans have come. The readiness request is one of them.
func (s *stage) calibrate(ctx context.Context) error {
	requests := s.request.Phases
	if probe, ok := s.probe(); ok && len(requests) > 0 {
		requests = slices.Concat([]PhaseRequest{{Operation: probe, Load: s.request.Load}}, requests)
	}
	counted := s.record.Start.Sink
	for i, request := range requests {
		j, err := s.job(request.Operation, request.Load, request.Parameter)
		if err != nil {
			return err
		}
		j.Purpose, j.Rate, j.Count, j.Duration = drive.Learn, s.manner().CalibrationRate, calibrationOperations, 0
		if i == s.request.twice-1 {
			j.Count *= 2
		}
		did, err := s.load(ctx, j)
		if err != nil {
			return err
		}
		end, err := s.drain(ctx, counted, -1)
		if err != nil {
			return err
		}
		s.record.Phases = append(s.record.Phases, record.Phase{
			Operation: request.Operation.Name, Parameter: request.Parameter, Position: i, Connections: 1, Load: did,
			Sink: end.counts.Minus(counted), DrainSeconds: end.took.Seconds(), Quiet: end.quiet,
		})
		counted = end.counts
	}
	return nil
}

// probe is the readiness request of the first process that has one, as an
// operation.
func (s *stage) probe() (spec.Operation, bool) {
	if !s.manner().Generator {
		return spec.Operation{}, false // there is nobody to make requests
	}
	for _, p := range s.request.Plan.Processes {
		if p.Traced && strings.HasPrefix(p.Ready, "http://") {
			url, err := spec.Expand(p.Ready, s.valuesFor(p))
			if err != nil {
				return spec.Operation{}, false // would have failed when it was waited for
			}
			return spec.Operation{Name: record.ProbeOperation, Method: "GET", URL: url, Process: p.Name}, true
		}
	}
	return spec.Operation{}, false
}

// What a calibration learns of a tracer that holds spans back until a buffer is full, however long that takes: in it
// nothing of them is heard before the processes end.

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
