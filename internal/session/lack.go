package session

// This file says which part of an experiment can run on this machine, as run will have
// it: variants that lack something are left out, and workloads whose baseline, or all
// but the baseline, do.

import (
	"slices"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/run/prepare"
)

// Lack is a variant, or all of a workload, that cannot run here.
type Lack struct {
	Workload string
	Variant  string   // "" is all of them
	Missing  []string // what is missing, and how to get it
}

// LackingParts are the parts of an experiment that cannot run here; none is whether that
// leaves nothing of it.
func LackingParts(experiments []*config.Experiment) (left []Lack, none bool) {
	none = true
	for _, e := range experiments {
		some, whole := Lacking(e)
		left, none = append(left, some...), none && whole
	}
	return left, none
}

// Lacking are the variants of an experiment that cannot run here; whole is whether that leaves
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

// Foreseen is what would be run of an experiment here.
type Foreseen struct {
	Experiment *config.Experiment // without what cannot run; all of it where nothing can
	Schedule   experiment.Schedule
	Lacking    []Lack // what cannot run
	None       bool   // nothing can
}

// Foresee says what would be run of an experiment here, as a session runs it.
func Foresee(asked *config.Experiment) (Foreseen, error) {
	f := Foreseen{Experiment: Runnable(asked)}
	f.Lacking, f.None = Lacking(asked)
	var err error
	if f.Schedule, err = experiment.Foresee(f.Experiment); err != nil {
		return f, &AskedError{err}
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
	return without(e, left)
}
