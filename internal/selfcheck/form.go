// This file says what is measured: the experiments, their orders, and how long each form takes.

package selfcheck

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
)

// The experiments of a selfcheck. They are ordinary ones: 'tracetax run NAME'.
const (
	LossySink     = "selfcheck-lossy-sink"
	LateSink      = "selfcheck-late-sink"
	LateGenerator = "selfcheck-late-generator"
	Costs         = "selfcheck-costs"
	DeferredCosts = "selfcheck-deferred-costs"
	Flushes       = "selfcheck-flushes" // in the full form only
)

// The variants of Costs, DeferredCosts and Flushes, but their baselines.
const (
	Again    = "again"
	Burn3    = "burn-3"
	Burn73   = "burn-73"
	Sleep1   = "sleep-1" // in the full form only
	Idle5    = "idle-5"
	Flush200 = "flush-200"
)

// Form is how thorough a selfcheck is.
type Form string

// The forms.
const (
	Quick Form = "quick" // under three minutes, in windows
	Full  Form = "full"  // about twenty minutes, in windows and woven, with narrower intervals
)

// Experiment is one experiment of a selfcheck.
type Experiment struct {
	Name     string
	Order    config.Order
	Blocks   int    // 0: as its file says
	Variants string // "a,b"; "": all
	Duration string // of a window; "": as its file says; and so is the rate
	Rate     string
}

// Folder is the name of its results folder, and of its evidence.
func (e Experiment) Folder() string {
	if e.Order == config.Windows {
		return e.Name
	}
	return e.Name + "-" + string(e.Order)
}

// Experiments lists what a form runs, in this order. Woven, the variants of Costs together must leave most of the CPU free.
func (f Form) Experiments() []Experiment {
	if f == Quick {
		return []Experiment{
			{Name: LossySink, Order: config.Windows}, {Name: LateSink, Order: config.Windows}, {Name: LateGenerator, Order: config.Windows},
			{Name: DeferredCosts, Order: config.Windows}, {Name: Costs, Order: config.Windows, Variants: "again,burn-3,burn-73,idle-5"},
		}
	}
	return []Experiment{
		{Name: LossySink, Order: config.Windows}, {Name: LateSink, Order: config.Windows}, {Name: LateGenerator, Order: config.Windows},
		{Name: DeferredCosts, Order: config.Windows, Blocks: 20}, {Name: Costs, Order: config.Windows, Blocks: 20, Duration: "2s"}, {Name: Flushes, Order: config.Windows},
		{Name: LossySink, Order: config.Woven}, {Name: Costs, Order: config.Woven, Blocks: 20, Duration: "2s", Rate: "1000/s"}, {Name: Flushes, Order: config.Woven},
	}
}

// orders names the orders of its experiments.
func (f Form) orders() []string {
	var names []string
	for _, e := range f.Experiments() {
		if !slices.Contains(names, string(e.Order)) {
			names = append(names, string(e.Order))
		}
	}
	return names
}

// has reports whether a variant is measured.
func (e Experiment) has(variant string) bool {
	return e.Variants == "" || slices.Contains(strings.Split(e.Variants, ","), variant)
}
