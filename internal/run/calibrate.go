package run

import (
	"context"
	"strings"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// calibrationOperations is how often an operation is made, one at a time, to
// learn how many spans it makes.
const calibrationOperations = 20

// calibrate makes each operation a few times, one at a time, and waits each time
// until its spans have come. The readiness request is one of them.
func (s *stage) calibrate(ctx context.Context) error {
	var operations []spec.Operation
	if probe, ok := s.probe(); ok {
		operations = append(operations, probe)
	}
	for _, phase := range s.request.Phases {
		operations = append(operations, phase.Operation)
	}
	counted := s.record.Start.Sink
	for i, operation := range operations {
		task, err := s.task(operation, s.request.Load)
		if err != nil {
			return err
		}
		task.Rate, task.Count, task.Connections, task.Duration = 0, calibrationOperations, 1, 0
		did, err := s.load(ctx, operation, task)
		if err != nil {
			return err
		}
		end, err := s.drain(ctx, counted, -1)
		if err != nil {
			return err
		}
		s.record.Phases = append(s.record.Phases, record.Phase{
			Operation: operation.Name, Position: i, Connections: 1, Load: did,
			Sink: end.counts.Minus(counted), DrainSeconds: end.took.Seconds(), Quiet: end.quiet,
		})
		counted = end.counts
	}
	return nil
}

// probe is the readiness request of the first process that has one, as an
// operation.
func (s *stage) probe() (spec.Operation, bool) {
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
