package session

// Variants and workloads that cannot run here: they
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
	"github.com/tracetax/tracetax/internal/results"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/userenv"
)

// makeReady makes every variant ready that can run here. Others are left out, with
// the reason. It fails where the baseline, all the others, or one of the named
// variants cannot run; or for a reason that has nothing to do with the variant.
func (s *Session) makeReady(ctx context.Context, open func() (*artifact.Store, error)) error {
	var fatal, lacking []error
	var left []Lack
	for i, v := range s.asked.Variants {
		made, err := prepare.Variant(ctx, open, s.askInPods(), s.asked, v, s.options.Progress)
		var unready *prepare.UnreadyError
		switch {
		case err == nil:
			s.environment.Digests[v.Name] = made.Digests
			env, _ := userenv.Environment(os.Environ(), s.environment.KeptEnv)
			shadowed, err := prepare.Shadowed(ctx, s.askInPods(), v, made.Plan, made.Folders, env)
			if err != nil {
				return err
			}
			s.environment.Shadowed = append(s.environment.Shadowed, shadowed...)
			s.loop.Variants = append(s.loop.Variants, experiment.Prepared{
				Variant: v, Plan: made.Plan, Calibration: made.Calibration, Folders: made.Folders,
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
	if len(s.loop.Variants) == 1 && len(lacking) > 0 {
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

// This file says which part of an experiment can run on this machine, as run will have
// it: variants that lack something are left out, and workloads whose baseline, or all
// but the baseline, do.

// Lack is a variant, or all of a workload, that cannot run here.
type Lack struct {
	Workload string
	Variant  string   // "" is all of them
	Missing  []string // what is missing, and how to get it
}

// LackingParts returns the parts of an experiment that cannot run here; none reports whether that
// leaves nothing of it.
func LackingParts(experiments []*config.Experiment) (left []Lack, none bool) {
	none = true
	for _, e := range experiments {
		some, whole := Lacking(e)
		left, none = append(left, some...), none && whole
	}
	return left, none
}

// Lacking returns the variants of an experiment that cannot run here; whole reports whether that leaves
// nothing of it, and then one Lack stands for all.
func Lacking(e *config.Experiment) (left []Lack, whole bool) {
	var all []string
	for i, v := range e.Variants {
		missing := prepare.Missing(e, v)
		if len(missing) == 0 {
			continue
		}
		if i == 0 {
			return []Lack{{Workload: e.Workload.Name, Missing: missing}}, true
		}
		left = append(left, Lack{Workload: e.Workload.Name, Variant: v.Name, Missing: missing})
		all = append(all, missing...)
	}
	if len(left) > 0 && len(left) == len(e.Variants)-1 {
		slices.Sort(all)
		return []Lack{{Workload: e.Workload.Name, Missing: slices.Compact(all)}}, true
	}
	return left, false
}

// Foreseen is the part of an experiment that can run here.
type Foreseen struct {
	Experiment *config.Experiment // without what cannot run; all of it where nothing can
	Schedule   experiment.Schedule
	Lacking    []Lack // what cannot run
	None       bool   // nothing can
}

// Foresee returns the part of an experiment that a session would run here.
func Foresee(asked *config.Experiment) (Foreseen, error) {
	f := Foreseen{Experiment: Runnable(asked)}
	f.Lacking, f.None = Lacking(asked)
	var err error
	if f.Schedule, err = experiment.Foresee(f.Experiment); err != nil {
		return f, &results.AskedError{Err: err}
	}
	return f, nil
}

// Runnable is the experiment without the variants that cannot run here; all of it where
// nothing can.
func Runnable(e *config.Experiment) *config.Experiment {
	lacking, none := Lacking(e)
	if none {
		return e
	}
	var left []finding.LeftOut
	for _, l := range lacking {
		left = append(left, finding.LeftOut{Variant: l.Variant})
	}
	return results.Without(e, left)
}

// What to do, in the words of the command line.
const (
	startAgain  = "start again with --out"
	chooseOther = "choose another with --out"
	askedFor    = "it was asked for by --variants"
)
