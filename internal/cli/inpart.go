package cli

// This file says which part of an experiment can run on this machine, as run will have
// it: variants that lack something are left out, and workloads whose baseline, or all
// but the baseline, do.

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/spec"
)

// lackView is a variant, or all of a workload, that cannot run here.
type lackView struct {
	Workload string   `json:"workload"`
	Variant  string   `json:"variant,omitempty"` // "" is all of them
	Missing  []string `json:"missing"`           // what is missing, and how to get it
}

// missingParts are the parts of an experiment that cannot run here; none is whether that
// leaves nothing of it.
func missingParts(experiments []*spec.Experiment) (left []lackView, none bool) {
	none = true
	for _, e := range experiments {
		some, whole := lackingOf(e)
		left, none = append(left, some...), none && whole
	}
	return left, none
}

func lackingOf(e *spec.Experiment) (left []lackView, whole bool) {
	var all []string
	for i, v := range e.Variants {
		missing := prepare.Missing(e.Workload, v)
		if len(missing) == 0 {
			continue
		}
		if i == 0 {
			return []lackView{{Workload: e.Workload.Name, Missing: missing}}, true
		}
		left = append(left, lackView{Workload: e.Workload.Name, Variant: v.Name, Missing: missing})
		all = append(all, missing...)
	}
	if len(left) > 0 && len(left) == len(e.Variants)-1 {
		slices.Sort(all)
		return []lackView{{Workload: e.Workload.Name, Missing: slices.Compact(all)}}, true
	}
	return left, false
}

// name is what a part is called; where an experiment has one workload its name says
// nothing.
func (l lackView) name(several bool) string {
	switch {
	case l.Variant == "":
		return "workload " + l.Workload
	case several:
		return l.Variant + " of " + l.Workload
	}
	return l.Variant
}

func lackNames(left []lackView, several bool) string {
	var names []string
	for _, l := range left {
		names = append(names, l.name(several))
	}
	return strings.Join(names, ", ")
}

// canRun prints whether an experiment can run here, and what is left out of it.
func (p *page) canRun(e *spec.Experiment) {
	left, whole := lackingOf(e)
	if whole || len(left) == 0 {
		p.needs(e.Needs())
		return
	}
	p.line("\nruns here: in part; left out are")
	for _, l := range left {
		p.line("  %s: %s", l.name(false), strings.Join(l.Missing, "; "))
	}
}
