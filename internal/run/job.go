// An operation that is ready to be made, however that is done.

package run

import (
	"context"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/drive"
)

// job is an operation at one level of the load.
type job struct {
	drive.Stretch
	work string // the key of its spans; see record.Work
}

// job makes an operation ready for a level of the load.
func (s *stage) job(operation config.Operation, l config.Load, parameter map[string]string) (job, error) {
	j := job{
		work:    record.Work(operation.Name, parameter),
		Stretch: drive.Stretch{Operation: operation, Load: l, Rate: l.Rate, Duration: l.Duration, Seed: s.request.Seed},
	}
	if operation.Rate > 0 {
		j.Rate = operation.Rate
	}
	return j, s.driver.Check(j.Stretch)
}

// load makes a stretch of load of which only the counts are of interest. Too many
// wrong answers are an error.
func (s *stage) load(ctx context.Context, j job) (record.Load, error) {
	did, err := s.attempt(ctx, j)
	if err != nil {
		return did, err
	}
	return did, s.wellDone(j, did)
}

// attempt is load, however the operations are answered.
func (s *stage) attempt(ctx context.Context, j job) (record.Load, error) {
	stretch, err := s.driver.Prepare(ctx, j.Stretch)
	if err != nil {
		return record.Load{}, err
	}
	return stretch.Run(ctx)
}

// wellDone is an error where too many operations went wrong.
func (s *stage) wellDone(j job, did record.Load) error {
	if did.Completed == 0 || float64(did.Failed) > badShare*float64(did.Started) {
		return s.answeredBadly(j.Operation, did)
	}
	return nil
}

// answeredBadly is of the process that was asked, whichever of them is the cause.
func (s *stage) answeredBadly(operation config.Operation, did record.Load) error {
	return of(ownerOf(operation, s.request.Plan.Processes), s.driver.Wrong(operation, did))
}
