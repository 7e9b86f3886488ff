// This file has the reasons for a verdict, or for giving none: codes and figures, from which words makes
// sentences.

package finding

import (
	"slices"
)

// Reason is one of them. A field that does not apply is empty.
type Reason struct {
	Code          Code     `json:"code"`                     // what kind of reason it is; its figures are listed after the colon
	Part          string   `json:"part,omitempty"`           // of a mean: that it is so of, as "workload, operation, variant"
	Operation     string   `json:"operation,omitempty"`      // the operation, if the reason stands beside something wider
	Variant       string   `json:"variant,omitempty"`        // that it is about
	Result        string   `json:"result,omitempty"`         // in which of the results it is so; "" where there is one
	Against       string   `json:"against,omitempty"`        // the variant that Variant is held against
	AgainstResult string   `json:"against_result,omitempty"` // and its result
	Metric        string   `json:"metric,omitempty"`         // the metric, if the reason stands beside something wider
	Because       Code     `json:"because,omitempty"`        // why it is unknown: as LossUnknown.Why
	Figures       []Figure `json:"figures,omitempty"`        // in the order in which Code lists them
	Said          string   `json:"said,omitempty"`           // the reason in the words of its source, if there are no figures
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

// Code is the kind of a reason: one of a closed list.
type Code string

// The codes, each with its figures.
const (
	WhyFewBlocks   Code = "few-blocks"   // too few blocks for any interval: blocks, and least, that it takes
	WhyCorrection  Code = "correction"   // too few blocks for an interval that is corrected for all claims: more, that it takes, and claims
	WhyNotSure     Code = "not-sure"     // the interval excludes zero only if it is not corrected: claims
	WhyStraddles   Code = "straddles"    // the budget lies inside the interval
	WhyMoreBlocks  Code = "more-blocks"  // about so many more would decide it: blocks
	WhyTooClose    Code = "too-close"    // no feasible number of blocks would decide it
	WhyBetweenEnds Code = "between-ends" // no number of blocks decides it: the values lie between two known ends

	WhyNoRatio     Code = "no-ratio"             // there is no ratio to a baseline of zero, which the budget is
	WhyNotAbove    Code = "not-above-zero"       // there is no ratio: the figure of Variant is zero or below in blocks, of all of them
	WhyOpenBracket Code = "open-bracket"         // a search found one end only: blocks
	WhyModes       Code = "modes"                // the runs of Variant fall into modes that the other side has not: share and at, a pair a mode
	WhyCostModes   Code = "cost-modes"           // the costs in Result fall into modes that the other result has not: share and cost, a pair a mode
	WhyLag         Code = "lag"                  // the load generator's own lag differs too much: lag, effect
	WhyLate        Code = "generator-late"       // the load generator was late with both: lag, on average, that is a part of each latency: latency
	WhyPutOff      Code = "put-off"              // answers of Variant came in two pieces, and the second waited for a delayed acknowledgement: share, of its answers
	WhyBent        Code = "bent"                 // what is read off a line is not, because the line is bent: below and between, what a further call costs below the two deepest levels and between them; first, before and last, the levels
	WhyOverloaded  Code = "overloaded"           // Variant could not hold the rate: offered, reached; least, the ratio that it then costs at the least, where that is a reason to be over a budget
	WhyNoCPU       Code = "no-cpu"               // Variant used next to no CPU for the requests that were answered, so the program that answered them is another one: cpu, of a request
	WhyDied        Code = "died"                 // Variant broke down in more of its runs than Against: died, of, and the same of Against: other, runs
	WhyRestless    Code = "restless"             // Variant did other work while others had the load: share, of a window's CPU, that this may be
	WhyUnseen      Code = "program-unseen"       // it cannot be seen whether the program that answers is one of Variant's, whose use was read
	WhyRested      Code = "rested"               // operations of Variant cost another amount after a rest, in windows that follow others' load, than after its own: rested, own
	WhyTails       Code = "shared-tails"         // what tracers send late falls into slices of other variants: a high percentile is of both
	WhySharedCPU   Code = "shared-cpu"           // variants that share a CPU are not compared by the clock
	WhyAnswers     Code = "other-answers"        // Variant had another share of answers with a status than Against, and so did other work: status, share, other
	WhyBodies      Code = "other-bodies"         // the bodies of its answers are of another size on average: bytes, other
	WhyUntraced    Code = "untraced"             // no span came with Variant
	WhyElsewhere   Code = "traces-elsewhere"     // Variant sent spans elsewhere than to the sink, or tried to
	WhyLost        Code = "lost"                 // Variant lost spans, and so did less work: share
	WhyMayBeLost   Code = "may-be-lost"          // Variant may have lost spans: share at the most; allows, the budget for lost spans that would do; Because
	WhyLostMore    Code = "lost-more"            // Variant of Result lost more of its spans than Against of AgainstResult: share, other
	WhyMayLostMore Code = "may-lost-more"        // it may have lost more: share, other
	WhyHiddenLoss  Code = "hidden-loss"          // more may have been lost in whole traces that chance hides: share
	WhyOtherRates  Code = "other-rates"          // a search gives it at another rate for each variant
	WhyNotInBoth   Code = "not-in-both"          // it was not measured in both results, or is zero
	WhyFigureOnly  Code = "figure-only"          // the results have it without a verdict
	WhyLossUnknown Code = "loss-unknown"         // how many spans were lost is not known
	WhyNoResult    Code = "no-result"            // there is no result of the workload
	WhyNotMeasured Code = "not-measured"         // it was not measured
	WhyNoSample    Code = "no-sample"            // no sample is of this cause
	WhyLeftOut     Code = "left-out"             // the variant could not run: Said says why
	WhyNotOnOther  Code = "not-on-other"         // it was not measured on the workload that it is held against
	WhyItLost      Code = "it-lost"              // it lost over 1 % of its spans
	WhyBaseLost    Code = "baseline-lost"        // the baseline lost over 1 % of its spans
	WhyLeast       Code = "least"                // the figure is the least that it costs: it lost over 1 % of its spans, or may have (Because); or a bound, since no sample is of one side
	WhySuppressed  Code = "suppressed-spans"     // a limit of the tracer's own kept spans back: share, and parts, that this is the largest of
	WhyBaseMayLose Code = "baseline-may-be-lost" // Variant, the baseline, may have: share at the most; Because
	WhyLossAim     Code = "loss-searched"        // a limit on lost spans cannot be held: a search for the highest rate without loss loses them on purpose
	WhyNoLedger    Code = "no-ledger"            // a limit on lost spans cannot be held: no span was accounted for
	WhyInWindow    Code = "lost-in-window"       // lost in the window; a code of the ledger follows: share
	WhyOfAny       Code = "lost-together"        // operations lost spans together, and it is not sure which of them did; a code of the ledger follows
	WhyAnyLoss     Code = "any-loss"             // a limit is kept, whatever was lost: any loss is allowed
	WhyNoIDs       Code = "ids-not-looked-at"    // a limit on lost spans cannot be held: their ids were not checked; the sink does that in checking mode
	WhyNone        Code = "none-on-either-side"  // a limit is kept: there is none on either side
	WhyNoCapacity  Code = "capacity-not-found"   // a capacity was not found in every run
	WhyNoSearch    Code = "not-searched"         // no capacity was searched for
	WhySearchOnly  Code = "search-only"          // a search compares nothing else at the same work
	WhyMaximum     Code = "maximum"              // a maximum has no interval
	WhyClosedLoop  Code = "closed-loop"          // a closed loop gives no latency to compare
	WhyFewValues   Code = "few-values"           // too few values lie above the quantile in each run, or it reaches into time-outs

	WhyNoProfile  Code = "no-profile"  // Variant has no profile: Said says why
	WhyNoRules    Code = "no-rules"    // there are no rules for the frames of Variant's tracer: samples that others know, of all that were taken
	WhyFewSamples Code = "few-samples" // too few samples of tracing were taken of Variant: samples, and least, that causes take

	WhyTold Code = "told" // as Said has it
)

// This file has the codes of what stands beside a figure, of blocks that are left out, and of how an experiment ended.

// The codes, each with its figures.
const (
	NoteHarness     Code = "of-harness"      // the figure is of the load generator or the sink: shown, not charged
	NoteWithin      Code = "within-blocks"   // the values' centres lie the other way than the difference, which is taken within blocks
	NoteBracket     Code = "bracket"         // each search knows its rate only to lie between two: share, that they are apart at the most
	NoteSittings    Code = "sittings"        // blocks differ between sittings by more than within them: sitting, the centre of each in time
	NoteNodes       Code = "nodes"           // the blocks were made on several nodes of a cluster: nodes; standard deviations of the log-ratios between and within
	NoteNodesApart  Code = "nodes-apart"     // blocks differ between nodes by more than within them: node, the centre of each, by the nodes' names
	NoteSharedCPU   Code = "of-shared-cpu"   // the figure is of programs that share their CPUs
	NoteOtherRate   Code = "not-at-the-rate" // Variant could not hold the rate: offered, reached
	NoteLossy       Code = "of-lossy"        // Variant lost spans: share
	NoteMayBeLossy  Code = "of-may-be-lossy" // Variant may have lost spans: share at most, Because
	NotePerSpan     Code = "per-span"        // the added CPU is over so many spans per operation: low, high
	NotePerTrace    Code = "per-kept-trace"  // the added CPU is over the traces that came
	NoteAdded       Code = "line-of-added"   // the figure is of the line through what tracing adds: depth, a figure a level
	NoteLine        Code = "line"            // the figure is of the line through the time per call: depth, a figure a level
	NoteLineLost    Code = "line-of-lossy"   // of the spans of a level were lost: share, the most
	NoteLineMayLose Code = "line-may-lose"   // of the spans of a level may have been lost: share, the most
	NoteMeanSlope   Code = "mean-slope"      // the line is bent, and the slope a mean: as of bent

	DoubtBelow     Code = "below-zero"       // the idle rate over the drain is more than the window used: block
	DoubtRanFirst  Code = "ran-first"        // the difference depends on whether Variant ran before Against: there, elsewhere
	DoubtRightNext Code = "ran-right-after"  // the difference depends on whether Against ran right after Variant: there, elsewhere
	DoubtRightPrev Code = "ran-right-before" // the difference depends on whether Variant ran right after Against: there, elsewhere

	SpoiltSteal   Code = "steal"     // the host took CPU time while Variant ran: block, share
	SpoiltWindows Code = "disturbed" // other programs, or the host, disturbed windows of the block, too many to leave them out: block, disturbed, windows

	StopPrecise Code = "precise-enough" // the precision was reached: blocks, precision
	StopMost    Code = "most-blocks"    // the precision was not reached, and no more blocks may be made: blocks, precision
)

// The reasons why the number of lost spans is unknown, LossUnknown.Why: without figures.
const (
	LossNumber  Code = "number-unknown"     // how many were to come is not known
	LossVaries  Code = "number-varies"      // their number varies from operation to operation
	LossFailed  Code = "operations-failed"  // operations failed or were sent again
	LossSurplus Code = "more-than-expected" // more came than were expected
	LossCrossed Code = "others-spans"       // spans that came, or that are missing, may be of other operations
	LossUnmade  Code = "made-unknown"       // how many were made is not known
	LossNoProbe Code = "no-probe"           // there is no probe at the rate that a search found
)

// This file has the codes of what a page of the ledger comes to.

// The codes, each with its figures. Where nothing else is said they are of the spans of the page.
const (
	PageOfStarting         Code = "of-starting"       // of the start, which no operation accounts for: spans, and requests, the readiness requests made
	PageOfStopping         Code = "of-stopping"       // of the stop, which no operation accounts for: spans
	PageNotExported        Code = "not-exported"      // the variant exports none, by intent
	PageCameUnexported     Code = "came-unexported"   // the variant exports none, and yet some came: spans
	PageCameUnsampled      Code = "came-unsampled"    // none is sampled, and yet some came: spans
	PageCame               Code = "came"              // so many came: spans
	PageUnknown            Code = "expected-unknown"  // how many were to come is not known
	PageCameUnexpected     Code = "came-unexpected"   // none was expected: spans
	PageNoneLearnt         Code = "none-learnt"       // none came, as in the calibration
	PageNone               Code = "none-expected"     // none came, as is declared
	PageNoSpan             Code = "no-span"           // none came, though some should have, and no loss is reported
	PageNothingLost        Code = "nothing-lost"      // no span was lost, for sure
	PageLost               Code = "spans-lost"        // lost for sure: share, and the spans of it: dropped, as the tracer says; failed, in exports; dropped-on-way and failed-on-way, where there are hops; dropped-early and torn, where hops decide on traces; at-stop, where any were; unaccounted
	PageVaries             Code = "varies"            // none was lost for sure, the number varies
	PageMayVary            Code = "may-vary"          // none was lost for sure, the number varies, and some may be: spans
	PageMayHaveFailed      Code = "may-have-failed"   // none was lost for sure, some of failed operations may be: spans, operations
	PageMayNotBeMade       Code = "may-not-be-made"   // none was lost for sure, some may be or were never made: spans
	PageNotReady           Code = "not-ready-yet"     // none was lost for sure, readiness requests that failed may have made spans, or not: spans, requests
	PageMayBeOthers        Code = "may-be-others"     // none was lost for sure, spans that came or that are missing may be of other operations: spans
	PageHopSilent          Code = "hop-silent"        // none was lost for sure, the tracer or a hop does not say what it leaves out on purpose: spans
	PageCopies             Code = "copies"            // none was lost for sure, and some may be: hops left spans out by their count, in which are copies of others: spans
	PageByCount            Code = "by-count"          // none was lost, by the counts of hops, which count a span and its copy as two
	PageUnchecked          Code = "ids-unchecked"     // as many came as expected, and their ids were not checked: spans
	PageTracesKept         Code = "traces-kept"       // traces that a sampler kept: traces, of trials, at sampling; chance allows low to high
	PageComplete           Code = "traces-complete"   // all traces that came are complete
	PageTooFewTraces       Code = "too-few-traces"    // fewer traces came than chance allows
	PageTooManyTraces      Code = "too-many-traces"   // more traces came than chance allows
	PageHidden             Code = "hidden"            // may be lost in whole traces: spans, share
	PageHiddenInAll        Code = "hidden-in-all"     // may be lost with those that are for sure: spans, share
	PageSuppressed         Code = "suppressed"        // a limit of the tracer's own suppressed them: spans, share
	PageSurplus            Code = "surplus"           // more came than expected: spans
	PageBesides            Code = "besides"           // of starting, beside those of the first request: spans
	PageBesideWhole        Code = "beside-whole"      // beside the traces of all operations, each of which is whole: spans
	PageRepeated           Code = "repeated"          // came more than once: spans
	PageParentsAbsent      Code = "parents-absent"    // others name them as their parent, and they never came: spans
	PageOtherWork          Code = "other-work"        // of what the program does besides: spans, then those of the most frequent roots, by the root's name
	PageForeign            Code = "other-ids"         // the program gives traces other ids than its requests bring, so other work is told by names alone: traces
	PageReportedBeyond     Code = "said-beyond"       // the tracer says that it dropped more than are missing: spans
	PageReportedOfStart    Code = "said-beyond-start" // the tracer says that it dropped more than are missing, and they may be of starting: spans
	PageReportedSuppressed Code = "said-beyond-sent"  // the tracer says that it dropped more than are missing, and they were not to be sent: spans
	PageFailedCame         Code = "failed-came"       // the tracer says that their export failed, and they came: spans
)

// WideBound is the largest share that is worth telling as "no difference larger than": an interval that leaves room for
// more tells nothing.
const WideBound = 0.25

// Wide reports whether a verdict's interval holds zero and so much besides that it tells nothing; ratio says that it is a
// ratio's.
func (v Verdict) Wide(ratio bool) bool {
	return v.Kind == NoDifference && ratio && v.Bound != nil && *v.Bound > WideBound
}

// Inconclusive reports whether a verdict is open only because its interval is too wide: for a limit, for a claim, or to
// tell anything.
func (v Verdict) Inconclusive(ratio bool) bool {
	return v.Wide(ratio) || v.Kind == CannotTell && slices.ContainsFunc(v.Reasons, func(r Reason) bool {
		return r.Code == WhyStraddles || r.Code == WhyNotSure || r.Code == WhyCorrection
	})
}

// TooWide reports whether a finding is a ratio whose own interval holds zero and so much besides that no correction matters:
// a block or two more would tell nothing.
func (f *Finding) TooWide() bool {
	return f.ByRatio() && f.Relative.tellsNothing()
}

// TooWide is the same of a change.
func (c *Change) TooWide() bool { return c.Relative.tellsNothing() }

func (i *Interval) tellsNothing() bool {
	return i != nil && i.Low != nil && i.High != nil && *i.Low <= 0 && *i.High >= 0 && max(-*i.Low, *i.High) > WideBound
}

// ShownKind is the kind that a verdict is shown as: a wide interval is one that cannot tell.
func (v Verdict) ShownKind(ratio bool) Kind {
	if v.Wide(ratio) {
		return CannotTell
	}
	return v.Kind
}
