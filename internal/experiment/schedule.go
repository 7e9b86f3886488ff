package experiment

import (
	"time"

	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/spec"
)

// Schedule is what an experiment would run, said before anything is made ready.
type Schedule struct {
	Calibrated []string      // variants that are run once beforehand
	Blocks     [][]string    // the variants of each block, in their order
	Length     time.Duration // about; fetching and building not counted
}

// Foresee returns the schedule of an experiment. An error is one of its file.
func Foresee(e *spec.Experiment) (Schedule, error) {
	var s Schedule
	plans := make([]*spec.Plan, len(e.Variants))
	for i, v := range e.Variants {
		plan, err := e.Plan(v)
		if err != nil {
			return s, err
		}
		plans[i] = plan
		s.Length += time.Duration(e.Design.Blocks) * run.Length(plan, e.Load, len(e.Operations), record.Measured)
		if run.Exports(plan) {
			s.Length += run.Length(plan, e.Load, len(e.Operations), record.Calibration)
		}
	}
	p := planOf(e, plans)
	s.Calibrated = p.Calibrated
	for block := 1; block <= p.Blocks; block++ {
		s.Blocks = append(s.Blocks, p.Order(block))
	}
	return s, nil
}

// planOf is an experiment as the design sees it; plans are those of its variants.
func planOf(e *spec.Experiment, plans []*spec.Plan) design.Plan {
	p := design.Plan{Seed: e.Design.Seed, Blocks: e.Design.Blocks}
	for _, plan := range plans {
		p.Variants = append(p.Variants, plan.Variant)
		if run.Exports(plan) {
			p.Calibrated = append(p.Calibrated, plan.Variant)
		}
	}
	for _, operation := range e.Operations {
		p.Operations = append(p.Operations, operation.Name)
	}
	return p
}
