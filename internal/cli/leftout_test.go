package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/spec"
)

func TestWithout(t *testing.T) {
	e := &spec.Experiment{Variants: []spec.Variant{{Name: "none"}, {Name: "a"}, {Name: "b", Against: "a"}, {Name: "c", Against: "b"}}}
	kept := without(e, []finding.LeftOut{{Variant: "a"}})
	var got []string
	for _, v := range kept.Variants {
		got = append(got, v.Name+":"+v.Against)
	}
	if want := "[none: b: c:b]"; fmt.Sprint(got) != want {
		t.Errorf("kept %v, want %s", got, want)
	}
	if len(e.Variants) != 4 || e.Variants[2].Against != "a" {
		t.Error("what the user has was changed")
	}
}

func TestSameLeftOut(t *testing.T) {
	left := func(names ...string) (out []finding.LeftOut) {
		for _, name := range names {
			out = append(out, finding.LeftOut{Variant: name, Reason: "why"})
		}
		return out
	}
	for name, test := range map[string]struct {
		before, now []finding.LeftOut
		want        string
	}{
		"none":      {nil, nil, ""},
		"the same":  {left("a", "b"), left("b", "a"), ""},
		"one more":  {left("a"), left("a", "b"), "variant b was measured, and cannot run here any more (why)"},
		"one fewer": {left("a", "b"), left("a"), "variant b could not run when this was begun (why), and can now"},
	} {
		if err := sameLeftOut(test.before, test.now); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

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
