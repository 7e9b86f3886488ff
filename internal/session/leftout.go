package session

// This file is what becomes of variants and workloads that cannot run here: they
// are left out by name, and the rest runs.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/shell"
)

// makeReady makes every variant ready that can run here. Others are left out, with
// the reason. It fails where the baseline, all the others, or one of the named
// variants cannot run; or for a reason that has nothing to do with the variant.
func (s *Session) makeReady(ctx context.Context, open func() (*artifact.Store, error)) error {
	var fatal, lacking []error
	var left []Lack
	for i, v := range s.asked.Variants {
		cell, err := prepare.Variant(ctx, open, s.asked, v, s.options.Progress)
		var unready *prepare.UnreadyError
		switch {
		case err == nil:
			s.environment.Digests[v.Name] = cell.Digests
			env, _ := shell.Environment(os.Environ(), s.environment.KeptEnv)
			shadowed, err := prepare.Shadowed(ctx, v, cell.Plan, cell.Folders, env)
			if err != nil {
				return err
			}
			s.environment.Shadowed = append(s.environment.Shadowed, shadowed...)
			s.loop.Cells = append(s.loop.Cells, experiment.Cell{
				Variant: v, Plan: cell.Plan, Calibration: cell.Calibration, Folders: cell.Folders,
			})
		case ctx.Err() != nil:
			return err
		case !errors.As(err, &unready):
			fatal = append(fatal, err)
		case slices.Contains(s.options.Named, v.Name):
			fatal = append(fatal, fmt.Errorf("%v ("+askedFor+")", err))
		case i == 0:
			fatal = append(fatal, err) // without its baseline nothing is compared
		default:
			lacking = append(lacking, err)
			left = append(left, Lack{Variant: v.Name, Missing: []string{unready.Reason.Error()}})
			s.environment.LeftOut = append(s.environment.LeftOut, finding.LeftOut{Variant: v.Name, Reason: firstLine(unready.Reason.Error())})
		}
	}
	if len(s.loop.Cells) == 1 && len(lacking) > 0 {
		fatal = append(fatal, lacking...)
	}
	if fatal != nil {
		return errors.Join(fatal...)
	}
	if len(left) > 0 {
		s.options.Listener.LeftOut(left)
	}
	return nil
}

// without is an experiment without the variants that are left out. What was to be
// compared with one of them besides the baseline is compared with the baseline alone.
func without(e *config.Experiment, left []finding.LeftOut) *config.Experiment {
	gone := func(name string) bool {
		return slices.ContainsFunc(left, func(l finding.LeftOut) bool { return l.Variant == name })
	}
	kept := *e
	kept.Variants = slices.DeleteFunc(slices.Clone(e.Variants), func(v config.Variant) bool { return gone(v.Name) })
	for i := range kept.Variants {
		if gone(kept.Variants[i].Against) {
			kept.Variants[i].Against = ""
		}
	}
	return &kept
}

// sameLeftOut complains where other variants can run here than when the experiment
// was begun: its blocks would not hold the same.
func sameLeftOut(before, now []finding.LeftOut) error {
	missing := func(in, of []finding.LeftOut) (finding.LeftOut, bool) {
		for _, one := range in {
			if !slices.ContainsFunc(of, func(l finding.LeftOut) bool { return l.Variant == one.Variant }) {
				return one, true
			}
		}
		return finding.LeftOut{}, false
	}
	if gone, found := missing(now, before); found {
		return fmt.Errorf("variant %s was measured, and cannot run here any more (%s): put back what it needs, or "+startAgain, gone.Variant, gone.Reason)
	}
	if come, found := missing(before, now); found {
		return fmt.Errorf("variant %s could not run when this was begun (%s), and can now: "+startAgain, come.Variant, come.Reason)
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
