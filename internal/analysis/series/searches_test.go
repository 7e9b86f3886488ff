package series

import (
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// Between the least rate that passed and the least that did not lies the block that can do least.
func TestHeldInEveryBlock(t *testing.T) {
	for name, test := range map[string]struct {
		made         []*record.Search
		held, failed float64
	}{
		"both":         {[]*record.Search{{Passing: 20, Failing: 30}, {Passing: 18, Failing: 40}}, 18, 30},
		"none passed":  {[]*record.Search{{Passing: 20, Failing: 30}, {Failing: 10}}, 0, 10},
		"none failed":  {[]*record.Search{{Passing: 20}, {Passing: 25}}, 20, 0},
		"one did fail": {[]*record.Search{{Passing: 20}, {Passing: 25, Failing: 26}}, 20, 26},
	} {
		if held, failed := heldIn(test.made); held != test.held || failed != test.failed {
			t.Errorf("%s: %g and %g", name, held, failed)
		}
	}
}

// A probe that did not pass at a rate that the searches ended above is not forgotten, nor where
// the search was made once more.
func TestFailedBelow(t *testing.T) {
	failed := func(rate float64) record.Probe { return record.Probe{Rate: rate} }
	passed := func(rate float64) record.Probe { return record.Probe{Rate: rate, Passed: true} }
	made := []*record.Search{
		{Passing: 20, Probes: []record.Probe{passed(15), failed(30), passed(20)}},
		{Passing: 18, Probes: []record.Probe{failed(18), passed(18), passed(18), failed(17), failed(40)}},
		{Passing: 25, Before: []record.Probe{passed(20), failed(12)}, Probes: []record.Probe{passed(25)}},
	}
	for rate, want := range map[float64]int{18: 2, 17: 2, 16: 1, 11: 0, 30: 3} {
		if got := failedBelow(made, rate); got != want {
			t.Errorf("at %g/s or below it %d searches had a probe that did not pass, want %d", rate, got, want)
		}
	}
}
