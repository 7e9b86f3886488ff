// This file has the reasons for which a verdict is what it is, or is not given: codes and figures, of which words makes
// sentences.

package finding

// Reason is one of them. A field that does not apply is empty.
type Reason struct {
	Code          Code     `json:"code"`                     // what kind of reason it is; its figures are listed after the colon
	Part          string   `json:"part,omitempty"`           // of a mean: that it is so of, as "workload, operation, variant"
	Operation     string   `json:"operation,omitempty"`      // where it is so, if it is told of something wider
	Variant       string   `json:"variant,omitempty"`        // that it is about
	Result        string   `json:"result,omitempty"`         // in which of the results it is so; "" where there is one
	Against       string   `json:"against,omitempty"`        // the variant that Variant is held against
	AgainstResult string   `json:"against_result,omitempty"` // and its result
	Metric        string   `json:"metric,omitempty"`         // whose figures they are, if it is told of something wider
	Because       Code     `json:"because,omitempty"`        // why nobody knows: as LossUnknown.Why
	Figures       []Figure `json:"figures,omitempty"`        // in the order in which Code lists them
	Said          string   `json:"said,omitempty"`           // by whom the reason is from, in its words, where there are no figures
	Text          string   `json:"text"`                     // the same in words
}

// Figure is a number of a reason.
type Figure struct {
	Name  string  `json:"name"`  // as Code lists it
	Value float64 `json:"value"` // the number
	Unit  string  `json:"unit"`  // as of a Finding
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
	WhyFewBlocks   Code = "few-blocks"   // too few blocks for any interval: blocks, and least, that it takes
	WhyCorrection  Code = "correction"   // too few blocks for an interval that is corrected for all claims: more, that it takes, and claims
	WhyNotSure     Code = "not-sure"     // the interval excludes zero only if it is not corrected: claims
	WhyStraddles   Code = "straddles"    // the budget lies inside the interval
	WhyMoreBlocks  Code = "more-blocks"  // so many more would settle it, about: blocks
	WhyTooClose    Code = "too-close"    // no number of blocks that anybody makes would settle it
	WhyBetweenEnds Code = "between-ends" // no number of blocks settles it, the values are known only to lie between two ends

	WhyNoRatio     Code = "no-ratio"             // there is no ratio to a baseline of zero, which the budget is
	WhyOpenBracket Code = "open-bracket"         // a search found one end alone: blocks, of which so is
	WhyModes       Code = "modes"                // the runs of Variant fall into modes that the other side has not: share and at, a pair a mode
	WhyCostModes   Code = "cost-modes"           // the costs in Result fall into modes that the other result has not: share and cost, a pair a mode
	WhyLag         Code = "lag"                  // the load generator's own lag differs too much: lag, effect
	WhyLate        Code = "generator-late"       // the load generator was late with both: lag, on average, that is a part of each latency: latency
	WhyBent        Code = "bent"                 // what is read off a line is not, because the line is bent: below and between, what a further call costs below the two deepest levels and between them; first, before and last, the levels
	WhyOverloaded  Code = "overloaded"           // Variant could not hold the rate: offered, reached
	WhyRestless    Code = "restless"             // Variant did other work while others had the load: share, of a window's CPU, that this may be
	WhySharedCPU   Code = "shared-cpu"           // variants that share a CPU are not compared by the clock
	WhyAnswers     Code = "other-answers"        // Variant had another share of answers with a status than Against, and so did other work: status, share, other
	WhyBodies      Code = "other-bodies"         // the bodies of its answers are of another size on average: bytes, other
	WhyUntraced    Code = "untraced"             // no span came with Variant
	WhyElsewhere   Code = "traces-elsewhere"     // Variant sent spans elsewhere than to the sink, or tried to
	WhyLost        Code = "lost"                 // Variant lost spans, and so did less work: share
	WhyMayBeLost   Code = "may-be-lost"          // nobody knows whether Variant lost spans: share at the most; allows, the budget for lost spans that would do; Because
	WhyLostMore    Code = "lost-more"            // Variant of Result lost more of its spans than Against of AgainstResult: share, other
	WhyMayLostMore Code = "may-lost-more"        // it may have lost more: share, other
	WhyHiddenLoss  Code = "hidden-loss"          // more may have been lost in whole traces that chance hides: share
	WhyOtherRates  Code = "other-rates"          // a search gives it at another rate for each variant
	WhyNotInBoth   Code = "not-in-both"          // it was not measured in both results, or is zero
	WhyFigureOnly  Code = "figure-only"          // the results have it without a verdict
	WhyLossUnknown Code = "loss-unknown"         // how many spans were lost is not known
	WhyNoResult    Code = "no-result"            // there is no result of the workload
	WhyNotMeasured Code = "not-measured"         // it was not measured
	WhyLeftOut     Code = "left-out"             // the variant could not run: Said says why
	WhyNotOnOther  Code = "not-on-other"         // it was not measured on the workload that it is held against
	WhyItLost      Code = "it-lost"              // it lost over 1 % of its spans
	WhyBaseLost    Code = "baseline-lost"        // the baseline lost over 1 % of its spans
	WhyLeast       Code = "least"                // the figure is the least that it costs, for it lost over 1 % of its spans
	WhySuppressed  Code = "suppressed-spans"     // a limit of the tracer's own kept spans back: share, and parts, that this is the largest of
	WhyBaseMayLose Code = "baseline-may-be-lost" // nobody knows whether Variant, the baseline, did: share at the most; Because
	WhyLossAim     Code = "loss-searched"        // a limit on lost spans cannot be held: a search for the highest rate without loss loses them on purpose
	WhyNoLedger    Code = "no-ledger"            // a limit on lost spans cannot be held: no span was accounted for
	WhyInWindow    Code = "lost-in-window"       // lost in the window; a code of the ledger follows: share
	WhyAnyLoss     Code = "any-loss"             // a limit is kept, whatever was lost: any loss is allowed
	WhyNoIDs       Code = "ids-not-looked-at"    // a limit on lost spans cannot be held: nobody looked at their ids; the sink does where it is checking
	WhyNone        Code = "none-on-either-side"  // a limit is kept: there is none on either side
	WhyNoCapacity  Code = "capacity-not-found"   // a capacity was not found in every run
	WhyNoSearch    Code = "not-searched"         // no capacity was searched for
	WhySearchOnly  Code = "search-only"          // a search compares nothing else at the same work
	WhyMaximum     Code = "maximum"              // a maximum has no interval
	WhyClosedLoop  Code = "closed-loop"          // a closed loop gives no latency to compare
	WhyFewValues   Code = "few-values"           // too few values lie above the quantile in each run, or it reaches into time-outs

	WhyTold Code = "told" // as Said has it
)
