// This file has the reasons for which a verdict is what it is, or is not given: codes and figures, of which words makes
// sentences.
package finding

// Reason is one of them. A field that does not apply is empty.
type Reason struct {
	Code          Code     `json:"code"`
	Part          string   `json:"part,omitempty"`           // of a mean: that it is so of, as "workload, operation, variant"
	Operation     string   `json:"operation,omitempty"`      // where it is so, if it is told of something wider
	Variant       string   `json:"variant,omitempty"`        // that it is about
	Result        string   `json:"result,omitempty"`         // in which of the results it is so; "" where there is one
	Against       string   `json:"against,omitempty"`        // the variant that Variant is held against
	AgainstResult string   `json:"against_result,omitempty"` // and its result
	Figures       []Figure `json:"figures,omitempty"`        // in the order in which Code lists them
	Said          string   `json:"said,omitempty"`           // by whom the reason is from, in its words, where there are no figures
	Text          string   `json:"text"`                     // the same in words
}

// Figure is a number of a reason.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"` // as of a Finding
}

// Words are those of a reason; none where there is no reason.
func (r *Reason) Words() string {
	if r == nil {
		return ""
	}
	return r.Text
}

// Reason is the first reason of a verdict; one without a code where it has none.
func (v Verdict) Reason() Reason {
	if len(v.Reasons) == 0 {
		return Reason{}
	}
	return v.Reasons[0]
}

// Figure is the value of a figure by its name, 0 where there is none.
func (r Reason) Figure(name string) float64 {
	for _, f := range r.Figures {
		if f.Name == name {
			return f.Value
		}
	}
	return 0
}

// Code says what kind of reason it is: one of a closed list.
type Code string

// The codes, each with its figures.
const (
	WhyQuick       Code = "quick"        // a quick run gives figures only
	WhyFewBlocks   Code = "few-blocks"   // too few blocks for any interval: blocks, and least, that it takes
	WhyCorrection  Code = "correction"   // too few blocks for an interval that is corrected for all claims: more, that it takes, and claims
	WhyNotSure     Code = "not-sure"     // the interval excludes zero only if it is not corrected: claims
	WhyStraddles   Code = "straddles"    // the budget lies inside the interval
	WhyMoreBlocks  Code = "more-blocks"  // about so many more would settle it: blocks
	WhyTooClose    Code = "too-close"    // no number of blocks that anybody makes would settle it
	WhyBetweenEnds Code = "between-ends" // no number of blocks settles it, the values are known only to lie between two ends

	WhyNoRatio     Code = "no-ratio"      // there is no ratio to a baseline of zero, which the budget is
	WhyOpenBracket Code = "open-bracket"  // a search found one end alone: blocks, of which so is
	WhyModes       Code = "modes"         // the runs of Variant fall into modes that the other side has not: share and at, a pair a mode
	WhyCostModes   Code = "cost-modes"    // the costs in Result fall into modes that the other result has not: share and cost, a pair a mode
	WhyLag         Code = "lag"           // the load generator's own lag differs too much: lag, effect
	WhyBent        Code = "bent"          // what is read off a line is not, because the line is bent
	WhyOverloaded  Code = "overloaded"    // Variant could not hold the rate
	WhySharedCPU   Code = "shared-cpu"    // variants that share a CPU are not compared by the clock
	WhyUntraced    Code = "untraced"      // no span came with Variant
	WhyLost        Code = "lost"          // Variant lost spans, and so did less work
	WhyMayBeLost   Code = "may-be-lost"   // nobody knows whether it did
	WhyLostMore    Code = "lost-more"     // Variant of Result lost more of its spans than Against of AgainstResult: share, other
	WhyMayLostMore Code = "may-lost-more" // it may have: share, other
	WhyHiddenLoss  Code = "hidden-loss"   // more may have been lost in whole traces that chance hides: share
	WhyOtherRates  Code = "other-rates"   // a search gives it at another rate for each variant
	WhyNotInBoth   Code = "not-in-both"   // it was not measured in both results, or is zero
	WhyFigureOnly  Code = "figure-only"   // the results have it without a verdict
	WhyLossUnknown Code = "loss-unknown"  // how many spans were lost is not known
	WhyNoResult    Code = "no-result"     // of the workload
	WhyNotMeasured Code = "not-measured"
	WhyLeftOut     Code = "left-out"      // the variant could not run: Said says why
	WhyNotOnOther  Code = "not-on-other"  // it was not measured on the workload that it is held against
	WhyItLost      Code = "it-lost"       // over 1 % of its spans
	WhyBaseLost    Code = "baseline-lost" // likewise the baseline
	WhyLeast       Code = "least"         // the figure is the least that it costs, for it lost over 1 % of its spans
	WhyHeldBack    Code = "unsent"        // a limit of the tracer's own kept spans back: share, and parts, that this is the largest of
	WhyTold        Code = "told"          // as Said has it
)
