package wording

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// What settles what is known only to lie between two ends.
const (
	finerSearch = "each search finds its rate only to within its resolution: a finer one would help, more blocks would not"
	finerCount  = "the number of spans per operation is an interval: if it is the same in every operation, declare it (operations: {NAME: {spans: 3}}); more blocks would not help"
)

// Reason is a reason in words.
func Reason(r finding.Reason) string {
	text := r.Said
	switch {
	case text == "":
		text = reasonText(r)
	case r.Code == finding.WhyLeftOut:
		text = "left out: " + text
	case r.Code == finding.WhyNoProfile:
		text = r.Variant + " was not profiled: " + text
	}
	if r.Result != "" && r.Code != finding.WhyCostModes && r.Code != finding.WhyLostMore && r.Code != finding.WhyMayLostMore {
		text = "in " + r.Result + ", " + text
	}
	if r.Operation != "" {
		text = "on " + r.Operation + ", " + text
	}
	if r.Part != "" {
		text = r.Part + ": " + text
	}
	return text
}

func reasonText(r finding.Reason) string {
	figure := func(name string) string { return figureText(r, name) }
	switch r.Code {
	case finding.WhyFewBlocks:
		return Blocks(int(r.Figure("blocks"))) + ": figures only"
	case finding.WhyLossUnknown:
		return "the number of lost spans is unknown"
	case finding.WhyNoProfile:
		return r.Variant + " was not profiled"
	case finding.WhyNoRules:
		return fmt.Sprintf("tracetax has no rules for the frames of the tracer of %s, and knows %.0f of its %s: write rules (--rules FILE, see docs/causes.md)", r.Variant, r.Figure("samples"), Counted(int(r.Figure("of")), "sample"))
	case finding.WhyFewSamples:
		return fmt.Sprintf("%s of tracing with %s are too few for causes, which take %.0f: profile for longer (profile: {cpu: 30s}), or make more blocks", Counted(int(r.Figure("samples")), "sample"), r.Variant, r.Figure("least"))
	case finding.WhyNoResult:
		return "there is no result of this workload"
	case finding.WhyNotMeasured:
		return "it was not measured"
	case finding.WhyNoSample:
		return "no sample is of it"
	case finding.WhyNotOnOther:
		return "it was not measured on the other workload"
	case finding.WhyItLost:
		return "it lost over 1 % of its spans"
	case finding.WhyBaseLost:
		if len(r.Figures) > 0 {
			return "the baseline, " + r.Variant + ", lost " + figure("share") + " of its spans and did less work, which makes the other look expensive"
		}
		return "the baseline lost over 1 % of its spans"
	case finding.WhyLeast:
		if r.Because == finding.WhyLossUnknown {
			return "it costs at least this: the number of lost spans is unknown"
		}
		if r.Because == finding.WhyNoSample {
			return "a bound: no sample is of one side"
		}
		return "it costs at least this: it lost over 1 % of its spans"
	case finding.WhySuppressed:
		upTo := ""
		if r.Figure("parts") > 1 {
			upTo = "up to "
		}
		return "the tracer's own limit suppressed " + upTo + figure("share") + " of the spans"
	case finding.WhyNoRatio:
		return "there is no ratio to a baseline of zero"
	case finding.WhyNotAbove:
		return fmt.Sprintf("there is no ratio: the figure of %s is zero or below in %.0f of %s", r.Variant, r.Figure("blocks"), Blocks(int(r.Figure("of"))))
	case finding.WhyOpenBracket:
		return "in " + Blocks(int(r.Figure("blocks"))) + " the search found a rate that passed or one that did not, but not both"
	case finding.WhyModes:
		return "the runs of " + r.Variant + " fall into modes, " + modes(r.Figures)
	case finding.WhyCostModes:
		return "the costs in " + r.Result + " fall into modes, " + modes(r.Figures)
	case finding.WhyTails:
		return "exports fall into other variants' slices, and are a part of the slowest operations there; order: windows and a duration of two delays of the tracer tell it"
	case finding.WhyLag:
		return "the load generator's own lag differs by " + figure("lag") + ", over a tenth of the measured difference (" + figure("effect") + ")"
	case finding.WhyLate:
		return "the load generator was " + figure("lag") + " late on average; every latency (" + figure("latency") + ") contains that, which hides the difference"
	case finding.WhyPutOff:
		return PutOff(r.Variant, r.Figure("share")) + ": that wait hides the difference in latency"
	case finding.WhyAnswers:
		return fmt.Sprintf("%s answered %s with status %.0f, and %s %s: this is the cost of other work", r.Variant, figure("share"), r.Figure("status"), r.Against, figure("other"))
	case finding.WhyBodies:
		return fmt.Sprintf("the bodies of answers with %s have %s on average, and with %s %s: this is the cost of other work", r.Variant, figure("bytes"), r.Against, figure("other"))
	case finding.WhyNoCPU:
		return r.Variant + " used " + figure("cpu") + " of CPU for each answered request: another program answered them"
	case finding.WhyDied:
		return fmt.Sprintf("%s broke down in %.0f of %.0f runs, and %s in %.0f of %.0f: the runs that are left may not be like the others",
			r.Variant, r.Figure("died"), r.Figure("of"), r.Against, r.Figure("other"), r.Figure("runs"))
	case finding.WhyRestless:
		return r.Variant + " also worked without load: up to " + figure("share") + " of its CPU may not belong to its operations"
	case finding.WhyUnseen:
		return "it cannot be seen whether the program that answers is a process of " + r.Variant + ": this may be the use of another program"
	case finding.WhyRested:
		return "an operation of " + r.Variant + " takes " + figure("rested") + " of CPU after a rest, and " + figure("own") + " under load: windows measure it rested"
	case finding.WhySharedCPU:
		return OnlyCPU
	case finding.WhyOverloaded:
		return overloadText(r)
	case finding.WhyBent:
		return bentText(r)
	case finding.WhyLost:
		return r.Variant + " lost " + figure("share") + " of its spans: this is the cost of less work"
	case finding.WhyMayBeLost:
		return r.Variant + " may have lost up to " + figure("share") + " of its spans" + because(r) + ": this may be the cost of less work; a budget of lost=" + fmt.Sprintf("%.0f%%", 100*r.Figure("allows")) + " allows it"
	case finding.WhyBaseMayLose:
		return "the baseline, " + r.Variant + ", may have lost up to " + figure("share") + " of its spans" + because(r) + ": it may have done less work, which makes the other look expensive"
	case finding.WhyUntraced:
		return "no span came with " + r.Variant + ": this is not the cost of tracing"
	case finding.WhyElsewhere:
		return r.Variant + " sent spans elsewhere than to the sink: this is not the cost of tracing"
	case finding.WhyLostMore:
		than := "under 1 %"
		if r.Figure("other") > 0 {
			than = figure("other")
		}
		return fmt.Sprintf("%s of %s lost %s of its spans, against %s of %s of %s: it did less work",
			r.Variant, r.Result, figure("share"), than, r.Against, r.AgainstResult)
	case finding.WhyMayLostMore:
		return fmt.Sprintf("%s of %s may have lost up to %s of its spans, against up to %s of %s of %s: it may have done less work",
			r.Variant, r.Result, figure("share"), figure("other"), r.Against, r.AgainstResult)
	case finding.WhyHiddenLoss:
		return "it may have lost up to " + figure("share") + " more of the spans, in whole traces that chance hides"
	case finding.WhyOtherRates:
		return "a search measures it at another rate for each variant"
	case finding.WhyNotInBoth:
		return "it was not measured in both results, or is zero in both"
	case finding.WhyFigureOnly:
		return "the results give it no verdict"
	}
	return limitText(r)
}

// limitText returns the reason why a limit is not held against an interval.
func limitText(r finding.Reason) string {
	switch r.Code {
	case finding.WhyLossAim:
		return "the search for the highest rate without loss loses spans on purpose"
	case finding.WhyNoLedger:
		return "no span was accounted for"
	case finding.WhyInWindow:
		return figureText(r, "share") + " of the spans lost in the window"
	case finding.WhyOfAny:
		return "it is not sure which operation lost spans"
	case finding.WhyAnyLoss:
		return "any loss is allowed"
	case finding.WhyNoIDs:
		return "sink: checking looks at the ids"
	case finding.WhyNone:
		return "none on either side"
	case finding.WhyNoCapacity:
		return "the capacity was not found in every run"
	case finding.WhyNoSearch:
		return "no capacity was searched for"
	case finding.WhySearchOnly:
		return "a search for the capacity compares nothing else at the same rate"
	case finding.WhyMaximum:
		return "a maximum has no interval"
	case finding.WhyClosedLoop:
		return "a closed loop gives no latency to compare"
	case finding.WhyFewValues:
		return "too few values support it in each run, or it reaches into time-outs"
	}
	if text := besideText(r); text != "" {
		return text
	}
	return pageText(r, "")
}

// modes are the shares of the modes and where they are, a pair a mode.
func modes(figures []finding.Figure) string {
	var parts []string
	for i := 0; i+1 < len(figures); i += 2 {
		share, at := figures[i], figures[i+1]
		parts = append(parts, fmt.Sprintf("%.0f %% at %s", share.Value*100, modeText(at)))
	}
	return strings.Join(parts, " and ")
}

func modeText(at finding.Figure) string {
	if at.Name == "cost" {
		return finding.FormatInterval(finding.Interval{Estimate: at.Value}, "1", true)
	}
	return finding.FormatValue(at.Value, at.Unit)
}
