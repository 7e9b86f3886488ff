// This file says what is measured: the experiments, and how long each form takes.

package selfcheck

// The experiments of a selfcheck. They are ordinary ones: 'tracetax run NAME'.
const (
	LossySink     = "selfcheck-lossy-sink"
	LateSink      = "selfcheck-late-sink"
	LateGenerator = "selfcheck-late-generator"
	SmallCosts    = "selfcheck-small-costs"
	Costs         = "selfcheck-costs"
	OtherCosts    = "selfcheck-other-costs"
	DeferredCosts = "selfcheck-deferred-costs"
	WovenSame     = "selfcheck-woven-same" // in the full form only
	WovenBurn     = "selfcheck-woven-burn"
)

// The variants of SmallCosts, Costs, OtherCosts and DeferredCosts.
const (
	Again   = "again"
	Burn20  = "burn-20"
	Burn200 = "burn-200"
	Sleep   = "sleep-1"
	Hold    = "hold-50"

	Flush200 = "flush-200"
)

// Form is how thorough a selfcheck is.
type Form string

// The forms.
const (
	Quick Form = "quick" // under five minutes
	Full  Form = "full"  // about twenty minutes, with narrower margins
)

// Experiment is one experiment of a selfcheck.
type Experiment struct {
	Name     string
	Blocks   int    // 0: as its file says
	Duration string // of a window; "": as its file says
}

// Experiments lists what a form runs, in this order.
func (f Form) Experiments() []Experiment {
	exact := []Experiment{{Name: LossySink}, {Name: LateSink}, {Name: LateGenerator}}
	if f == Full {
		return append(exact, Experiment{Name: DeferredCosts, Blocks: 20}, Experiment{Name: OtherCosts, Blocks: 20}, Experiment{Name: SmallCosts, Blocks: 40, Duration: "3s"}, Experiment{Name: Costs, Blocks: 40, Duration: "3s"}, Experiment{Name: WovenSame}, Experiment{Name: WovenBurn})
	}
	return append(exact, Experiment{Name: DeferredCosts}, Experiment{Name: OtherCosts}, Experiment{Name: SmallCosts}, Experiment{Name: Costs})
}
