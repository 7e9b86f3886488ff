package wording

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

// FillLedgers puts pages of the ledger into words.
func FillLedgers(ledgers []finding.Ledger) {
	for i := range ledgers {
		ledgers[i].Verdict = pageOf(ledgers[i].Outcome, expectedIn(ledgers[i]))
	}
}

// expectedIn is the number of spans that a ledger expects: "91,200", "90,000 to 91,200", or "" where nobody knows it.
func expectedIn(l finding.Ledger) string {
	for _, e := range l.Entries {
		switch {
		case e.Name != ledger.Expected.String():
		case e.High > e.Low:
			return number(float64(e.Low)) + " to " + number(float64(e.High))
		case e.Spans > 0:
			return number(float64(e.Spans))
		}
	}
	return ""
}

// Page returns the result of a page of the ledger in words, each of the reasons in its own.
func Page(outcome []finding.Reason) string { return pageOf(outcome, "") }

// pageOf is Page where it is known how many spans were expected, in words; "" where it is not.
func pageOf(outcome []finding.Reason, expected string) string {
	var parts []string
	for i := range outcome {
		outcome[i].Text = pageText(outcome[i], expected)
		parts = append(parts, outcome[i].Text)
	}
	return strings.Join(parts, "; ")
}

// uncertain says how many spans may be lost, where no loss is certain, and why nobody knows.
func uncertain(r finding.Reason, expected, why string) string {
	most := spans(r.Figure("spans"))
	if expected != "" {
		most = number(r.Figure("spans")) + " of " + expected
	}
	return "no span is known to be lost; up to " + most + " may be: " + why
}

func pageText(r finding.Reason, expected string) string {
	n := spans(r.Figure("spans"))
	share := " (" + finding.FormatValue(r.Figure("share"), "1") + ")"
	switch r.Code {
	case finding.PageOfStarting:
		return fmt.Sprintf("%s came from the start and from %s; they belong to no operation", n, Counted(int(r.Figure("requests")), "readiness request"))
	case finding.PageOfStopping:
		return n + " came during the stop; they belong to no operation"
	case finding.PageNotExported:
		return "the variant exports no spans, on purpose"
	case finding.PageCameUnexported:
		return n + " came nevertheless"
	case finding.PageCameUnsampled:
		return n + " came, though nothing is sampled"
	case finding.PageCame:
		return n + " came"
	case finding.PageUnknown:
		return "the expected number is unknown"
	case finding.PageCameUnexpected:
		return n + " came where none was expected"
	case finding.PageNoneLearnt:
		return "none came, here or in the calibration: none is expected"
	case finding.PageNone:
		return "none was expected, and none came"
	case finding.PageNoSpan:
		return "no span came"
	case finding.PageNothingLost:
		return "nothing lost"
	case finding.PageLost:
		return lostText(r)
	case finding.PageVaries:
		return "no span is known to be lost; their number varies"
	case finding.PageMayVary:
		return uncertain(r, expected, "the number of spans varies")
	case finding.PageMayHaveFailed:
		operations := int(r.Figure("operations"))
		were := "were"
		if operations == 1 {
			were = "was"
		}
		return uncertain(r, expected, Counted(operations, "operation")+" failed or "+were+" sent again")
	case finding.PageMayNotBeMade:
		return uncertain(r, expected, "too few operations agree on their number of spans")
	case finding.PageNotReady:
		requests := Counted(int(r.Figure("requests")), "readiness request")
		return fmt.Sprintf("no span is known to be lost; %s failed, which made up to %s, or none", requests, n)
	case finding.PageMayBeOthers:
		return uncertain(r, expected, "spans that came late, or are missing, may belong to another operation")
	case finding.PageHopSilent:
		return uncertain(r, expected, "the tracer or a hop does not report what it leaves out on purpose")
	case finding.PageCopies:
		return uncertain(r, expected, "a hop left spans out, and counts a span that came twice as two")
	case finding.PageByCount:
		return "nothing lost, by the count of a hop, which counts a span that came twice as two"
	case finding.PageUnchecked:
		return "as many came as expected; the ids of " + n + " are unchecked, and duplicates may hide a loss"
	case finding.PageTracesKept:
		return fmt.Sprintf("the sampler kept %s of %s traces (at %.4g %% chance allows %s to %s)", number(r.Figure("traces")), number(r.Figure("trials")),
			100*r.Figure("sampling"), number(r.Figure("low")), number(r.Figure("high")))
	case finding.PageComplete:
		return "all traces that came are complete"
	case finding.PageTooFewTraces:
		return "fewer traces came than chance allows: some were lost, or the sampler keeps fewer than configured"
	case finding.PageTooManyTraces:
		return "more traces came than configured"
	case finding.PageHidden:
		return "up to " + n + share + " may be lost in whole traces"
	case finding.PageHiddenInAll:
		return "up to " + n + share + " may be lost in all"
	case finding.PageSuppressed:
		return "the tracer's own limit suppressed " + n + share
	case finding.PageSurplus:
		return Counted(int(r.Figure("spans")), "span") + " more came than expected"
	case finding.PageBesides:
		return n + " came from the start, besides those of the first request"
	case finding.PageBesideWhole:
		return n + " more came, and the trace of every operation is whole"
	case finding.PageRepeated:
		return n + " came more than once"
	case finding.PageParentsAbsent:
		return n + " that others name as their parent never came"
	case finding.PageOtherWork:
		return n + " came from the program's other work (" + roots(r.Figures) + ") and count for nothing"
	case finding.PageForeign:
		return Counted(int(r.Figure("traces")), "trace") + " without the id of their request (traceparent), told by their names: other work of the same name may hide a loss"
	case finding.PageReportedBeyond:
		return saidBeyond(r) + ": its count and the sink's disagree"
	case finding.PageReportedOfStart:
		return saidBeyond(r) + ": they came from the start, or its count and the sink's disagree"
	case finding.PageReportedSuppressed:
		return saidBeyond(r) + ": the variant does not send them"
	case finding.PageFailedCame:
		return n + " came, though the tracer reports that their export failed"
	}
	return string(r.Code)
}

func saidBeyond(r finding.Reason) string {
	return "the tracer reports that it dropped " + Counted(int(r.Figure("spans")), "span") + " more than are missing"
}

// lostText returns the lost spans, and the source of the number.
func lostText(r finding.Reason) string {
	var parts []string
	for f := range ledger.Fates {
		if n := r.Figure(f.Figure()); n > 0 {
			parts = append(parts, f.Loss(number(n)))
		}
	}
	return finding.FormatValue(r.Figure("share"), "1") + " lost: " + strings.Join(parts, ", ")
}

// roots are the names of the figures behind the first, which is their sum.
func roots(figures []finding.Figure) string {
	var names []string
	rest := 0.0
	for i, f := range figures {
		if i == 0 {
			rest = f.Value
			continue
		}
		rest -= f.Value
		names = append(names, f.Name)
	}
	text := strings.Join(names, ", ")
	if rest > 0 {
		text += ", …"
	}
	return text
}

func spans(n float64) string { return Counted(int(n), "span") }

func number(n float64) string { return finding.FormatCount(int64(n)) }

// BackendDiffers is "zipkin says that it has stored 900 spans, and answers with 300"; "" where both are the same, and where
// there is no backend. What it threw away is in neither: it is missing in the account of spans. Spans that went to the sink in its
// place are told in any case: they look like lost ones.
func BackendDiffers(b *record.Backend) string {
	if b == nil {
		return ""
	}
	text := answersOtherwise(b)
	if b.Astray == 0 {
		return text
	}
	if text != "" {
		text += "; "
	}
	return text + fmt.Sprintf("%s came to the sink, not to %s, and count as lost", spans(float64(b.Astray)), b.Name)
}

func answersOtherwise(b *record.Backend) string {
	switch {
	case b.Answered != nil && *b.Answered == b.Stored:
		return ""
	case b.Dropped > 0 && b.Answered != nil:
		return fmt.Sprintf("%s reports that it stored %s and threw %s away, and returns %s", b.Name, spans(float64(b.Stored)),
			finding.FormatCount(int64(b.Dropped)), finding.FormatCount(int64(*b.Answered)))
	case b.Answered == nil:
		return fmt.Sprintf("%s reports that it stored %s; the number that it returns is unknown: %s", b.Name, spans(float64(b.Stored)), b.Unreported)
	}
	return fmt.Sprintf("%s reports that it stored %s, and returns %s", b.Name, spans(float64(b.Stored)), finding.FormatCount(int64(*b.Answered)))
}

// This file puts into words why no span came.

// Cause puts a cause into words.
func Cause(c finding.NoSpanBy) string {
	n := finding.FormatCount(int64(c.Count))
	switch c.Cause {
	case finding.NotTold:
		return "no process of it gets the address of tracetax's receiver"
	case finding.OtherLanguage:
		return "this tracer does not trace what ran: " + listed(c.Names)
	case finding.NotLoaded:
		return NotLoaded(c.Names[0])
	case finding.NotInherited:
		return fmt.Sprintf("%s of %d programs started without the variables that say where spans go: something that starts them did not pass these on", n, c.Of)
	case finding.TracerFailed:
		return fmt.Sprintf("the log of %s says that something could not be loaded: %s", c.Process, c.Log)
	case finding.ExportFailed:
		if c.Log != "" {
			return fmt.Sprintf("the log of %s says that sending failed: %s", c.Process, c.Log)
		}
		return fmt.Sprintf("the tracer reports that sending %s spans failed", n)
	case finding.Refused:
		text := "the sink refused " + n + " requests or spans"
		if c.Log != "" {
			return text + ": " + c.Log
		}
		return text + ": they are not in the format that this tracer sends"
	case finding.Dropped:
		return fmt.Sprintf("the tracer reports that it dropped %s spans", n)
	case finding.OtherSignals:
		return n + " metrics and logs came, and no span: the tracer exports only these"
	case finding.NotUnderstood:
		return fmt.Sprintf("%s came, none with a request that the receiver understands: the tracer speaks another protocol, or has nothing to send", Counted(int(c.Count), "connection"))
	case finding.Empty:
		return fmt.Sprintf("%s came without a span: the tracer reaches the receiver, and instruments nothing that the program does", Counted(int(c.Count), "request"))
	case finding.OnlyBefore:
		return n + " spans came in the calibration, before the compared runs"
	case finding.NotInstrumented:
		if len(c.Names) > 0 {
			return fmt.Sprintf("%s spans came from other operations: the tracer instruments nothing of this one", n)
		}
		return "the tracer is loaded and sent nothing: it instruments nothing that the program does"
	case finding.NotConnected:
		return "nothing connected to the receiver; see the process's log for the reason"
	}
	return ""
}

// NotLoaded returns the sentence that a program, such as bun, loads no tracer.
func NotLoaded(program string) string {
	return program + " does not load what this tracer is attached by (NODE_OPTIONS): run the program by node, or trace in its own code"
}

// Elsewhere puts into words where a process sent spans.
func Elsewhere(e finding.Elsewhere) string {
	var parts []string
	if len(e.To) > 0 {
		who := "a process"
		if e.Process != "" {
			who = "process " + e.Process
		}
		parts = append(parts, who+" was connected to "+listed(e.To)+", a port of span receivers")
	}
	if e.Log != "" {
		parts = append(parts, "the log of "+e.Process+" says that sending failed: "+e.Log)
	}
	return fmt.Sprintf("%s (%d of %s)", strings.Join(parts, "; "), e.Runs, Counted(e.Of, "run"))
}

// Because is a clause of the first cause; "" where none is known.
func Because(causes []finding.NoSpanBy) string {
	if len(causes) == 0 {
		return ""
	}
	return ": " + strings.TrimRight(causes[0].Text, ". ")
}
