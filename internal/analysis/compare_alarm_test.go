// Simulations: how often a comparison, or a budget, raises an alarm where nothing
// changed, and how often it finds what did. The figures of docs/statistics.md are
// printed by
//
//	TRACETAX_E2E=all go test ./internal/analysis -run Alarm -v

package analysis_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/tracetax/tracetax/internal/compare"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// experiments is how many are simulated; two make a comparison. Of 5 % of alarms among a fifth of them, alarmAllowed
// bears 6.5 % where all are made, 7.8 % in the quick set of the long tests, and 11.8 % among the others.
func experiments() int {
	switch os.Getenv("TRACETAX_E2E") {
	case "":
		return 500
	case "all":
		return 10000
	}
	return 3000
}

// alarmAllowed is the share of alarms that is bearable among n: 5 %, and what luck
// adds to that in one of a thousand simulations.
func alarmAllowed(n int) float64 { return allowedOf(0.05, n) }

// allowedOf is the same of another share than 5 %.
func allowedOf(share float64, n int) float64 {
	return share + 3.1*math.Sqrt(share*(1-share)/float64(n))
}

// alarms counts what comparisons without a change say nevertheless: without a budget
// (any verdict, and one on the headline), and with one of nothing (any verdict, and
// one that is over it).
type alarms struct{ any, headline, budgeted, over int }

func (a *alarms) plus(b alarms) {
	a.any, a.headline, a.budgeted, a.over = a.any+b.any, a.headline+b.headline, a.budgeted+b.budgeted, a.over+b.over
}

// bearable logs the shares of alarms among n comparisons, and fails where there are
// too many of any kind.
func (a *alarms) bearable(t *testing.T, what string, n int) {
	t.Helper()
	share := func(k int) float64 { return 100 * float64(k) / float64(n) }
	t.Logf("%s, %d comparisons: an alarm in %.2f %% (of the headline in %.2f %%); with budgets of 0 in %.2f %% (over one in %.2f %%)",
		what, n, share(a.any), share(a.headline), share(a.budgeted), share(a.over))
	if allowed := 100 * alarmAllowed(n); share(max(a.any, a.budgeted)) > allowed {
		t.Errorf("too many alarms, allowed %.2f %%", allowed)
	}
}

// Two results of one experiment in which nothing changed but the day: no verdict
// of any metric on any operation says that something did.
func TestAlarmOfComparisons(t *testing.T) {
	pairs := experiments() / 4 // for each of two numbers of blocks
	for _, blocks := range []int{8, 12} {
		t.Run(fmt.Sprint(blocks), func(t *testing.T) {
			t.Parallel()
			var got alarms
			for i := range pairs {
				got.plus(samePair(t, i, blocks))
			}
			got.bearable(t, fmt.Sprintf("%d blocks each", blocks), pairs)
		})
	}
}

// samePair compares two results of one experiment, with and without a budget.
func samePair(t *testing.T, i, blocks int) alarms {
	r := rand.New(rand.NewPCG(uint64(i), uint64(blocks)))
	before := shop(uint64(2*i), blocks, moody(r)).result(t, "before")
	after := shop(uint64(2*i+1), blocks, moody(r)).result(t, "after")
	return alarmsOf(func(budget []config.Limit) *finding.Comparison {
		return compared(t, compare.Input{Base: before, News: []*finding.Document{after}, Budget: budget})
	})
}

// alarmsOf compares without a budget and with one. To be within a budget of nothing
// is a claim, too, that nothing makes true.
func alarmsOf(compare func([]config.Limit) *finding.Comparison) alarms {
	any, headline := alarmed(compare(nil), finding.Costs, finding.Saves)
	with := compare(noBudget())
	budgeted, _ := alarmed(with, finding.Costs, finding.Saves, finding.Over, finding.Within)
	over, _ := alarmed(with, finding.Over)
	return alarms{count(any), count(headline), count(budgeted), count(over)}
}

// noBudget allows nothing more of several metrics.
func noBudget() []config.Limit {
	var out []config.Limit
	for _, metric := range []string{metric.CPUPerOperation, "memory_peak", "startup_time"} {
		limit := cpuBudget(0)[0]
		limit.Metric = metric
		out = append(out, limit)
	}
	return out
}

// alarmed reports whether any verdict is one of kinds, and whether one on the
// headline is.
func alarmed(doc *finding.Comparison, kinds ...finding.Kind) (any, headline bool) {
	for _, c := range doc.Changes {
		for _, kind := range kinds {
			if c.Verdict.Kind == kind {
				any, headline = true, headline || c.Headline && c.Role == ""
			}
		}
	}
	return any, headline
}

// One experiment in which no variant costs anything: no budget is broken, not even
// one of nothing.
func TestAlarmOfBudgets(t *testing.T) {
	t.Parallel()
	n, over := experiments(), 0
	for i := range n {
		s := alike(uint64(i), 12)
		s.budget = noBudget()
		for _, f := range s.result(t, "same").Findings {
			if f.Verdict.Kind == finding.Over {
				over++
				break
			}
		}
	}
	share := float64(over) / float64(n)
	t.Logf("%d experiments without a cost: over a budget of 0 in %.2f %%", n, 100*share)
	if allowed := alarmAllowed(n); share > allowed {
		t.Errorf("a budget of 0 is broken in %.2f %% of experiments without a cost, allowed %.2f %%", 100*share, 100*allowed)
	}
}

// How often a change of the CPU per operation is found.
func TestAlarmWhereThereIsOne(t *testing.T) {
	t.Parallel()
	n := experiments() / 20
	for _, c := range []struct {
		blocks int
		more   float64 // of the CPU per operation with otel
		least  float64 // share found
	}{{8, 0.05, 0}, {8, 0.1, 0.5}, {12, 0.05, 0.15}, {20, 0.05, 0.5}} {
		found, over := 0, 0
		for i := range n {
			r := rand.New(rand.NewPCG(uint64(i), uint64(c.blocks)))
			before := shop(uint64(2*i), c.blocks, moody(r)).result(t, "before")
			slow := shop(uint64(2*i+1), c.blocks, moody(r)).slowed(c.more * 80e-6)
			after := slow.result(t, "after")
			doc := compared(t, compare.Input{Base: before, News: []*finding.Document{after}})
			found += count(changeIn(t, doc, 0, "json", "otel", metric.CPUPerOperation).Verdict.Kind == finding.Costs)
			doc = compared(t, compare.Input{Base: before, News: []*finding.Document{after}, Budget: cpuBudget(0.02)})
			any, _ := alarmed(doc, finding.Over)
			over += count(any)
		}
		t.Logf("%d blocks, %.0f %% more: found in %.0f %%, over a budget of 2 %% in %.0f %% of %d", c.blocks, 100*c.more,
			100*float64(found)/float64(n), 100*float64(over)/float64(n), n)
		if share := float64(found) / float64(n); share < c.least {
			t.Errorf("%d blocks, %.0f %% more: found in %.0f %% of cases, want %.0f", c.blocks, 100*c.more, 100*share, 100*c.least)
		}
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
