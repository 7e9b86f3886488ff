package show

// This file names the parts of an experiment that cannot run on this machine.

import (
	"strings"

	"github.com/tracetax/tracetax/internal/session"
)

// lackView is a part that cannot run here as JSON has it.
type lackView struct {
	Workload string   `json:"workload"`
	Variant  string   `json:"variant,omitempty"` // "" is all of them
	Missing  []string `json:"missing"`           // what is missing, and how to get it
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

// lackViews is the same for JSON; nil where there is none.
func lackViews(all []session.Lack) []lackView {
	var out []lackView
	for _, l := range all {
		out = append(out, lackView(l))
	}
	return out
}

func lackNames(left []lackView, several bool) string {
	var names []string
	for _, l := range left {
		names = append(names, l.name(several))
	}
	return strings.Join(names, ", ")
}
