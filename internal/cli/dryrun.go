package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/stats"
)

// dryRun says what would be run: the order, about how long it takes, and how
// small a difference it could show.
func dryRun(s streams, experiments []*spec.Experiment) error {
	for _, e := range experiments {
		plan, length, err := schedule(e)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s: %s; about %s (fetching and building not counted)\n", e.Name, e.Summary(), about(length))
		if len(plan.Calibrated) > 0 {
			fmt.Fprintf(s.out, "  calibration: %s\n", strings.Join(plan.Calibrated, " "))
		}
		for block := 1; block <= e.Design.Blocks; block++ {
			fmt.Fprintf(s.out, "  block %d: %s\n", block, strings.Join(plan.Order(block), " "))
		}
		fmt.Fprintln(s.out, "  "+resolution(e.Design.Blocks))
	}
	return nil
}

// schedule returns the design of an experiment and about how long it takes.
func schedule(e *spec.Experiment) (design.Plan, time.Duration, error) {
	p := design.Plan{Seed: e.Design.Seed, Blocks: e.Design.Blocks}
	for _, o := range e.Operations {
		p.Operations = append(p.Operations, o.Name)
	}
	var length time.Duration
	for _, v := range e.Variants {
		plan, err := e.Plan(v)
		if err != nil {
			return p, 0, usageError(err)
		}
		p.Variants = append(p.Variants, v.Name)
		if run.Exports(plan) {
			p.Calibrated = append(p.Calibrated, v.Name)
			length += run.Length(plan, e.Load, len(e.Operations), record.Calibration)
		}
		length += time.Duration(e.Design.Blocks) * run.Length(plan, e.Load, len(e.Operations), record.Measured)
	}
	return p, length, nil
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
