package cli

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/stats"
)

// dryRun says what would be run: the order, about how long it takes, and how
// small a difference it could show. Drawn is whether the seeds of the orders were drawn
// for it: a run then draws others.
func dryRun(s streams, experiments []*spec.Experiment, drawn bool) error {
	for _, e := range experiments {
		foreseen, err := experiment.Foresee(e)
		if err != nil {
			return usageError(err)
		}
		fmt.Fprintf(s.out, "%s: %s; %s (fetching and building not counted)\n", e.Name, e.Summary(), foreseenLength(foreseen))
		if len(foreseen.Calibrated) > 0 {
			fmt.Fprintf(s.out, "  calibration: %s\n", strings.Join(foreseen.Calibrated, " "))
		}
		if len(foreseen.Piloted) > 0 {
			fmt.Fprintf(s.out, "  pilot, which finds %s: %s\n", e.Load.Relative.Search.Summary(), strings.Join(foreseen.Piloted, " "))
		}
		if len(foreseen.Warmed) > 0 {
			fmt.Fprintf(s.out, "  pilot, which finds the warm-up: %s\n", strings.Join(foreseen.Warmed, " "))
		}
		whole := true
		for _, v := range e.Variants {
			if missing := run.Missing(e.Workload, v); len(missing) > 0 {
				whole = false
				fmt.Fprintf(s.out, "  cannot run here: %s: %s\n", v.Name, strings.Join(missing, "; "))
			}
		}
		between := " "
		if foreseen.Duet {
			between = " beside "
		}
		for i, order := range foreseen.Blocks {
			fmt.Fprintf(s.out, "  block %d: %s\n", i+1, strings.Join(order, between))
			if i+1 == foreseen.Least && foreseen.Least < len(foreseen.Blocks) {
				fmt.Fprintf(s.out, "  from here on it ends when %s is known to ±%.3g %%\n", finding.MetricName(e.Design.Metric), 100*e.Design.Precision)
			}
		}
		fmt.Fprintln(s.out, "  "+orderOf(e.Design.Seed, drawn, whole))
		fmt.Fprintln(s.out, "  "+resolution(len(foreseen.Blocks)))
	}
	return nil
}

// orderOf says which seed the order that is shown has, and how to run in it. That
// takes that the whole of it can run here.
func orderOf(seed uint64, drawn, whole bool) string {
	text := fmt.Sprintf("order with seed %d", seed)
	switch {
	case !whole:
		return text + "; without what cannot run here the order is another"
	case drawn:
		return fmt.Sprintf("%s; to run in this order: --seed %d", text, seed)
	}
	return text
}

// foreseenLength says about how long an experiment takes.
func foreseenLength(s experiment.Schedule) string {
	if s.Shortest < s.Length {
		return "about " + about(s.Shortest) + " to " + about(s.Length)
	}
	return "about " + about(s.Length)
}

// resolution says what a number of blocks can show. How much blocks differ is
// known only afterwards, so it is said for a quiet and for a noisy machine.
func resolution(blocks int) string {
	if need := stats.MinBlocks(0.95); blocks < need {
		return fmt.Sprintf("%d blocks give figures only; an interval needs %d", blocks, need)
	}
	const quiet, noisy = 0.01, 0.05
	return fmt.Sprintf("differences that it could show: about %.1f %% if blocks differ by 1 %%, %.0f %% if they differ by 5 %%",
		100*stats.HalfWidth(blocks, quiet), 100*stats.HalfWidth(blocks, noisy))
}
