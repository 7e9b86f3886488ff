package cli

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/stats"
)

// dryRun says what would be run: the order, about how long it takes, and how
// small a difference it could show.
func dryRun(s streams, experiments []*spec.Experiment) error {
	for _, e := range experiments {
		foreseen, err := experiment.Foresee(e)
		if err != nil {
			return usageError(err)
		}
		fmt.Fprintf(s.out, "%s: %s; about %s (fetching and building not counted)\n", e.Name, e.Summary(), about(foreseen.Length))
		if len(foreseen.Calibrated) > 0 {
			fmt.Fprintf(s.out, "  calibration: %s\n", strings.Join(foreseen.Calibrated, " "))
		}
		for i, order := range foreseen.Blocks {
			fmt.Fprintf(s.out, "  block %d: %s\n", i+1, strings.Join(order, " "))
		}
		fmt.Fprintln(s.out, "  "+resolution(e.Design.Blocks))
	}
	return nil
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
