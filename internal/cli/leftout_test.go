package cli

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/run/prepare"
)

// Some that cannot run here are no failure; runs of which nothing can be concluded are.
func TestConclude(t *testing.T) {
	unready := omission{what: "workload a", err: &prepare.UnreadyError{Variant: "none", Reason: errors.New("no java")}}
	final := omission{what: "workload b", err: fmt.Errorf("later: %w", new(experiment.FinalError))}
	for name, test := range map[string]struct {
		worst, ran int
		left       []omission
		status     int // −1: an error without a status
	}{
		"all ran":           {console.Fine, 2, nil, console.Fine},
		"over budget":       {console.OverBudget, 1, nil, console.OverBudget},
		"one cannot run":    {console.Fine, 1, []omission{unready}, console.Fine},
		"a variant cannot":  {console.Fine, 1, []omission{{what: "variant x"}}, console.Fine},
		"one of no use":     {console.OverBudget, 1, []omission{final}, console.Failed},
		"none can run":      {console.Fine, 0, []omission{unready, unready}, -1},
		"over, one cannot ": {console.Inconclusive, 1, []omission{unready}, console.Inconclusive},
	} {
		err := conclude(test.worst, test.ran, test.left)
		var status *console.StatusError
		got := console.Fine
		if errors.As(err, &status) {
			got = status.Code
		} else if err != nil {
			got = -1
		}
		if got != test.status {
			t.Errorf("%s: %v, want status %d", name, err, test.status)
		}
	}
}
