// This file has the words of a decision: what each way of tracing shows of the requests, and what it costs.

package finding

// Decision holds the ways of tracing one operation at the rate of its load, for whoever has to choose one.
type Decision struct {
	Operation string            `json:"operation"`           // the operation
	Parameter map[string]string `json:"parameter,omitempty"` // the level of what was varied between phases, as {"rate": "100/s"}; levels are never mixed
	Baseline  string            `json:"baseline"`            // the variant that all ways are held against
	Rate      float64           `json:"rate"`                // operations/s that were offered
	Reached   float64           `json:"reached,omitempty"`   // operations/s that the baseline reached, where it could not hold the rate
	Missed    *Missed           `json:"missed,omitempty"`    // absent where the baseline held the rate in all runs, or Reached is there
	Carries   *Interval         `json:"carries"`             // operations/s that one CPU carries with the baseline, if each costs what it costs at this rate; null: not known
	Whole     string            `json:"whole,omitempty"`     // the cheapest way that keeps every trace
	Choice    string            `json:"choice,omitempty"`    // under a budget, the way within it that keeps most traces, and of several the cheapest
	Blocks    int               `json:"blocks,omitempty"`    // blocks in which the ways were measured; absent: not known
	Seconds   float64           `json:"seconds,omitempty"`   // time that one of these took; absent: not known
	Ways      []Way             `json:"ways"`                // in the order of the experiment
}

// Way is one way of tracing: how much it shows, and what it costs.
type Way struct {
	Variant  string    `json:"variant"`             // name of the variant
	Kept     Number    `json:"kept"`                // share of the traces of which something comes, 0 to 1; of a way that loses spans the share of the spans; null: not known
	Picks    bool      `json:"picks,omitempty"`     // it decides on traces once they are there, such as on those with errors: Kept is not all that it shows
	Failed   *float64  `json:"failed,omitempty"`    // Picks: share of its requests that were answered with a status of 500 or more; absent: not known, or one status alone was right
	Relative *Interval `json:"relative"`            // added CPU per operation, as a share of the baseline's; null where there is no ratio
	CPU      *Interval `json:"cpu"`                 // CPUs that it adds at the rate: 0.13 is 13 % of one
	Carries  *Interval `json:"carries"`             // operations/s that one CPU carries with it, as of Decision
	Saves    *Interval `json:"saves,omitempty"`     // share of what Decision.Whole adds that it does not, from the ratios within blocks; absent for that one, and where what that adds is not sure
	Needs    int       `json:"needs,omitempty"`     // blocks in all that may tell it from Decision.Whole, if they go on as so far; absent where it is told, or keeps fewer traces
	Standing Standing  `json:"standing"`            // its place among the ways
	By       string    `json:"by,omitempty"`        // Dominated: the way that is better
	Lost     float64   `json:"lost,omitempty"`      // LosesSpans and MayLoseSpans: the share of the spans
	Reached  float64   `json:"reached,omitempty"`   // CannotHold: operations/s that it reached
	Missed   *Missed   `json:"missed,omitempty"`    // absent where it held the rate in all runs, or cannot hold it
	InBudget Kind      `json:"in_budget,omitempty"` // the worst of its verdicts on budgets: within, cannot-tell, overloaded or over
}

// Missed counts the runs in which a variant did not hold the rate: fewer than half, as in a pause of the machine.
type Missed struct {
	Missed int `json:"missed"` // runs in which it did not hold the rate
	Runs   int `json:"runs"`   // of how many
}

// Standing is the place of a way among the others.
type Standing string

// The places. A way that loses spans, or cannot hold the rate, is never on the frontier, whatever it costs.
const (
	OnFrontier   Standing = "frontier"       // no other way keeps at least as many traces for less
	Dominated    Standing = "dominated"      // another way keeps at least as many, and its interval lies wholly below
	LosesSpans   Standing = "loses-spans"    // over 1 % of them
	MayLoseSpans Standing = "may-lose-spans" // over 1 % of them, as far as anybody knows
	CannotHold   Standing = "cannot-hold"    // it did not hold the rate
	NotPlaced    Standing = "not-placed"     // its cost has no interval, or the share that it keeps is not known
)

// Way returns the way of that name; nil where there is none.
func (d *Decision) Way(variant string) *Way {
	for i := range d.Ways {
		if d.Ways[i].Variant == variant {
			return &d.Ways[i]
		}
	}
	return nil
}
