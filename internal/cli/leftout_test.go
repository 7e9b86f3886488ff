package cli

import (
	"errors"
	"fmt"
	"testing"

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
		"all ran":           {exitFine, 2, nil, exitFine},
		"over budget":       {exitOverBudget, 1, nil, exitOverBudget},
		"one cannot run":    {exitFine, 1, []omission{unready}, exitFine},
		"a variant cannot":  {exitFine, 1, []omission{{what: "variant x"}}, exitFine},
		"one of no use":     {exitOverBudget, 1, []omission{final}, exitFailed},
		"none can run":      {exitFine, 0, []omission{unready, unready}, -1},
		"over, one cannot ": {exitInconclusive, 1, []omission{unready}, exitInconclusive},
	} {
		err := conclude(test.worst, test.ran, test.left)
		var status *statusError
		got := exitFine
		if errors.As(err, &status) {
			got = status.code
		} else if err != nil {
			got = -1
		}
		if got != test.status {
			t.Errorf("%s: %v, want status %d", name, err, test.status)
		}
	}
}
