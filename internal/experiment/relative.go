// Rates relative to what the slowest variant can do, from the pilots.

package experiment

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/wording"
)

// unfound returns the reason why a pilot is of no use; nil if it is of use.
func unfound(pilot *record.Record) *record.Failure {
	var missing []string
	for _, phase := range pilot.Phases {
		c := phase.Capacity
		if c == nil {
			missing = append(missing, phase.Operation+": no search was made")
			continue
		}
		if _, exact := c.Carries(); !exact && !unbounded(c) {
			missing = append(missing, fmt.Sprintf("%s: %s%s", phase.Operation, wording.Outcome(c.Outcome), noted(c)))
		}
	}
	if missing == nil {
		return nil
	}
	return &record.Failure{
		Stage:   "pilot",
		Message: fmt.Sprintf("no rate was found that %s can do (%s); name a rate, or another goal of the search", pilot.Variant, strings.Join(missing, "; ")),
	}
}

func noted(c *record.Search) string {
	if c.Note == "" {
		return ""
	}
	return ", " + c.Note
}

// unbounded reports whether the search ended before the variant did: it can do
// more than Passing. One that sends no spans can lose none at any rate.
func unbounded(c *record.Search) bool {
	return c.Outcome == record.ByGenerator || c.Outcome == record.AboveMax || c.Outcome == record.NoSpans
}

// rates are what the slowest variant can do by operation, in a measured run and in a pilot for its warm-up, where the load is
// relative to that: the same for every variant, and the same whenever they are derived.
func (l *Loop) rates(next design.Run) (map[string]float64, error) {
	relative := l.Experiment.Load.Relative
	if relative == nil || next.Kind != record.Measured && next.Purpose != record.ForWarmup {
		return nil, nil
	}
	out := map[string]float64{}
	for _, operation := range l.Experiment.Operations {
		least, err := l.slowest(operation.Name)
		if err != nil {
			return nil, &FinalError{fmt.Errorf("asking operation %s %s: %w", operation.Name, l.Experiment.Load.Summary(), err)}
		}
		operation.Rate = 0 // it is not asked at that one
		one := config.Experiment{Operations: []program.Operation{operation}, Load: l.Experiment.Load}
		for _, level := range l.Experiment.Load.Steps() {
			one.Load.Rate, one.Load.Relative = level.Load.Relative.Share*least, nil
			if err := one.CheckWindow(); err != nil {
				return nil, &FinalError{err}
			}
		}
		out[operation.Name] = least
	}
	return out, nil
}

// slowest is the smallest capacity that a pilot found for an operation, in
// operations/s. Variants whose pilot failed are given up and do not count.
func (l *Loop) slowest(operation string) (float64, error) {
	var least float64
	var limits []*record.Record // of those whose search ended before they did
	for i := range l.history {
		r := &l.history[i]
		c := pilotOf(r, operation)
		if c == nil {
			continue
		}
		if rate, exact := c.Carries(); exact && (least == 0 || rate < least) {
			least = rate
		} else if !exact {
			limits = append(limits, r)
		}
	}
	for _, r := range limits {
		if c := pilotOf(r, operation); least == 0 || c.Outcome != record.NoSpans && c.Passing < least {
			return 0, fmt.Errorf("the capacity of the slowest variant is unknown (%s: %s; it reached %.4g/s); name a rate, or another goal or limit of the search",
				r.Variant, wording.Outcome(c.Outcome), c.Passing)
		}
	}
	if least == 0 {
		return 0, errors.New("no pilot searched for its capacity; start again")
	}
	return least, nil
}

// pilotOf returns the result of a good pilot for an operation; nil for every other record.
func pilotOf(r *record.Record, operation string) *record.Search {
	if r.Kind != record.Pilot || r.Failed() {
		return nil
	}
	for _, phase := range r.Phases {
		if phase.Operation == operation {
			return phase.Capacity
		}
	}
	return nil
}
