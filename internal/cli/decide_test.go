//go:build linux

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report"
	"github.com/tracetax/tracetax/internal/results"
)

// Kept results of real programs are decided on: with intervals there is a share that sampling saves, and a budget chooses.
func TestDecideOnAResult(t *testing.T) {
	kept, err := filepath.Abs("testdata/kept")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"levels", "windows", "capacity"} {
		unpackKept(t, filepath.Join(kept, name), name)
		said(t, "report", name, "--reanalyze")
	}
	if err := os.Rename("levels", "my levels"); err != nil { // the command that is advised can be copied all the same
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		status int
		want   []string
	}{
		{[]string{"my levels", "--cores", "40"}, console.Fine, []string{
			"Not at 400/s: none in 1 of 6 runs, otel in 1 of 6 runs. Lower the rate", "at 100/s\n", "at 400/s\n", "saves of otel", "40 full cores", "sampled keeps 0 % of the traces, and saves ",
			"Cheapest that keeps every trace: otel. At 100/s otel takes ", ". A CPU that does nothing else carries ", "Over none, memory peak: ", "Over none, start-up time: ",
			"Cores and machines: those that are full today",
			"tracetax explain 'my levels/experiment.yaml' --variants otel --quick --try",
		}},
		{[]string{"windows", "--budget", "cpu=500%"}, console.Inconclusive, []string{
			"? inconclusive", "Within the budget: nothing that was measured. Inconclusive: otel.",
		}},
		{[]string{"capacity"}, console.Failed, nil}, // without a rate there is nothing to decide at
	} {
		var out, errOut bytes.Buffer
		if status := Main(append([]string{"decide"}, c.args...), strings.NewReader(""), &out, &errOut); status != c.status {
			t.Errorf("%v: status %d, want %d: %s", c.args, status, c.status, errOut.String())
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v: no %q in\n%s", c.args, want, out.String())
			}
		}
	}
}

// What docs/decide.md shows is what the kept result of that run says, in a terminal of 112 columns.
func TestDecideDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/decide.md")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Abs("testdata/kept/decide")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	unpackKept(t, kept, "shop")
	said(t, "report", "shop", "--reanalyze")
	docs, err := results.ReadResults("shop")
	if err != nil {
		t.Fatal(err)
	}
	limits, err := reportFlags{budget: "cpu=60%"}.limits()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := results.Judge(docs[0].Results, limits, BuiltIn(), Version())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := report.Decision(&out, doc, report.TerminalOptions{Width: 112}, report.Size{Number: 12, Unit: "machines"}); err != nil {
		t.Fatal(err)
	}
	_, shown, found := strings.Cut(string(page), "\n    $ tracetax decide shop --budget cpu=60% --fleet 12\n")
	shown, _, _ = strings.Cut(shown, "\n\n")
	lines := strings.Split(shown, "\n")
	if !found || len(lines) < 10 {
		t.Fatalf("%d lines are shown", len(lines))
	}
	for _, line := range lines {
		if line = strings.TrimPrefix(line, "    "); !strings.Contains(out.String(), line+"\n") {
			t.Errorf("it shows %q, which is none of\n%s", line, out.String())
		}
	}
}

// The answer of a run ends with what it means, and the next command.
func TestRunEndsWithTheConsequence(t *testing.T) {
	kept, err := filepath.Abs("testdata/kept/levels")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	unpackKept(t, kept, "levels")
	text := string(said(t, "report", "levels", "--reanalyze")) + string(said(t, "report", "levels"))
	for _, want := range []string{"json at 100/s: At 100/s otel takes ", "tracetax decide levels --cores 40"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// With a budget the exit status is whether any way is within it.
func TestChoiceStatus(t *testing.T) {
	for name, c := range map[string]struct {
		choice string
		kinds  []finding.Kind
		want   int
	}{
		"no budget":         {"", []finding.Kind{finding.None, finding.None}, console.Fine},
		"one is within":     {"b", []finding.Kind{finding.Over, finding.Within}, console.Fine},
		"all are over":      {"", []finding.Kind{finding.Over, finding.Over}, console.OverBudget},
		"nobody knows":      {"", []finding.Kind{finding.Over, finding.CannotTell}, console.Inconclusive},
		"within, and lossy": {"", []finding.Kind{finding.Over, finding.Within}, console.Inconclusive},
	} {
		d := finding.Decision{Choice: c.choice}
		for _, kind := range c.kinds {
			d.Ways = append(d.Ways, finding.Way{InBudget: kind})
		}
		if got := choiceStatus(&finding.Document{Decisions: []finding.Decision{d}}); got != c.want {
			t.Errorf("%s: status %d, want %d", name, got, c.want)
		}
	}
	unknown := []finding.Way{{Variant: "all", Kept: finding.NotKnown()}}
	if got := choiceStatus(&finding.Document{Decisions: []finding.Decision{{Ways: unknown}}}); got != console.Inconclusive {
		t.Errorf("nobody knows what a way keeps: status %d", got)
	}
	if got := choiceStatus(&finding.Document{Untraced: []finding.Untraced{{Variant: "all"}}}); got != console.Inconclusive {
		t.Errorf("nothing was traced: status %d", got)
	}
}

// The rate that is proposed has two digits, and is below what was reached.
func TestLowerRate(t *testing.T) {
	for reached, want := range map[float64]string{143: "--rate 85", 12345: "--rate 7400", 1.5: "--rate 0.9"} {
		err := lowerRate(fmt.Errorf("running: %w", &experiment.MistakeError{Mistake: experiment.RateNotReached, Reached: reached}))
		if err == nil || !strings.HasSuffix(err.Error(), want) || !errors.As(err, new(*experiment.MistakeError)) {
			t.Errorf("%g: %v, want %s", reached, err, want)
		}
	}
	other := &experiment.MistakeError{Mistake: experiment.NoSpans}
	if err := lowerRate(other); err != error(other) || lowerRate(nil) != nil {
		t.Errorf("another error became %v", err)
	}
}
