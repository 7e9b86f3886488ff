// This file judges what is counted: nothing of it is estimated, so a noisy machine
// is no excuse.

package selfcheck

import (
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

// exact is a check without an interval. It returns what is known, what was found
// instead, and what is wrong; "" where nothing is.
type exact struct {
	name       string
	experiment string
	unit       string
	find       func(Evidence) (known, measured float64, wrong string)
}

// warningUnit is the unit of a check for a warning: 1 where it is given.
const warningUnit = "warning"

// exacts lists the checks without intervals.
var exacts = []exact{
	{"spans lost in the sink", LossySink, "count", lostInSink},
	{"warning of lost spans", LossySink, warningUnit, warns("spans-unaccounted")},
	{"spans dropped, late sink", LateSink, "count", droppedForLateSink},
	{"warning of drops", LateSink, warningUnit, warns("spans-lost")},
	{"latency, late generator", LateGenerator, "s", lateInLatency},
	{"warning of lateness", LateGenerator, warningUnit, warns("generator-late")},
}

func (x exact) check(of Experiment, all map[string]Evidence) Check {
	c := Check{Name: x.name, Experiment: x.experiment, Order: of.Order, Unit: x.unit, Exact: true}
	e, made := all[of.Folder()]
	if !made || e.Document == nil {
		return c.verdict(Failed, NotMeasured, "it was not measured: "+x.experiment+" has no result")
	}
	c.Blocks = e.Document.Runs.Blocks
	var wrong string
	if c.Known, c.Measured, wrong = x.find(e); wrong != "" {
		return c.verdict(Failed, Wrong, wrong)
	}
	return c.verdict(Passed, Found, "found")
}

// faultyShare is the share of spans that the sink of LossySink throws away.
const faultyShare = 0.03

// lostInSink compares what the ledger of each variant cannot account for with what the variant's sink says that it threw
// away, and that with the share that was asked for.
func lostInSink(e Evidence) (known, measured float64, wrong string) {
	var met float64
	for _, variant := range traced {
		var thrown float64
		for _, r := range runsOf(e.Records, variant) {
			thrown += float64(r.Life.Thrown)
			met += float64(r.Life.Thrown + r.Life.Spans)
		}
		unaccounted := entries(e.Document, variant, ledger.Unaccounted)
		switch {
		case thrown == 0:
			wrong = fmt.Sprintf("the sink of %s threw nothing away: the fault was not made", variant)
		case unaccounted != thrown:
			wrong = fmt.Sprintf("the sink of %s threw %.0f spans away; the ledger says that %.0f are unaccounted", variant, thrown, unaccounted)
		}
		known, measured = known+thrown, measured+unaccounted
	}
	if share := known / max(met, 1); wrong == "" && (share < 0.9*faultyShare || share > 1.1*faultyShare) {
		wrong = fmt.Sprintf("the sinks threw %.3g %% of the spans away, and were asked for 3 %%", 100*share)
	}
	return known, measured, wrong
}

// runsOf are the good measured runs of a variant.
func runsOf(records []record.Record, variant string) []*record.Record {
	var out []*record.Record
	for i := range records {
		if r := &records[i]; r.Kind == record.Measured && !r.Failed() && r.Variant == variant {
			out = append(out, r)
		}
	}
	return out
}

// entries sums an entry over the whole life of all runs of a variant.
func entries(doc *finding.Document, variant string, f ledger.Fate) float64 {
	var sum float64
	for _, l := range doc.Ledgers {
		if l.Operation == ledger.All && l.Variant == variant {
			sum += float64(ledger.Spans(l, f))
		}
	}
	return sum
}

// lateness is how late the generator of LateGenerator is made.
const lateness = 5e-3 // seconds

// lateInLatency looks whether the latency counts from the intended start: then no
// operation can have taken less than the generator was late.
func lateInLatency(e Evidence) (known, measured float64, wrong string) {
	i := slices.IndexFunc(e.Document.Findings, func(f finding.Finding) bool { return f.Metric == "latency_p50" })
	if i < 0 {
		return lateness, 0, "it was not measured: there is no latency"
	}
	least := float64(e.Document.Findings[i].Baseline)
	for _, s := range e.Document.Findings[i].Samples {
		least = min(least, s.Baseline, s.Value)
	}
	if least < lateness*(1-histogramStep) {
		wrong = fmt.Sprintf("operations were made %s late, and half of them took no more than %s: the latency does not count from when they were due",
			finding.FormatValue(lateness, "s"), finding.FormatValue(least, "s"))
	}
	return lateness, least, wrong
}

// histogramStep is the relative width of a step of the latency histogram.
const histogramStep = 1e-3

// warns looks for a warning of the closed list.
func warns(code string) func(Evidence) (known, measured float64, wrong string) {
	return func(e Evidence) (known, measured float64, wrong string) {
		var n float64
		for _, w := range e.Document.Warnings {
			if w.Code == code {
				n++
			}
		}
		if n == 0 {
			return 1, 0, "the warning " + code + " is not given"
		}
		return 1, n, ""
	}
}

// This file judges what the ledger says that a tracer dropped, by counts that the
// ledger has no part in.

// What the variants of LossySink and LateSink make: every operation a span, the first one included; readiness requests
// none (workloads/hello/go/workload.yaml).
const spansPerCall = 1

// traced are these variants; LateSink has the first alone. They live at the same time, each with a sink of its own.
var traced = []string{"otel", "otel-small"}

// droppedForLateSink holds three counts against each other that know nothing of one another: the spans of the operations
// made less those that came, from the load generator and the sink; what the tracer itself says that it dropped; and what the
// ledger makes of that. A receiver that is slow makes a tracer drop spans, and nothing else may be missing.
func droppedForLateSink(e Evidence) (known, measured float64, wrong string) {
	variant := traced[0]
	made, came, unsure := madeAndCame(e.Records, variant)
	missing, reported := made-came, reportedLost(e.Records, variant)
	dropped := entries(e.Document, variant, ledger.Dropped) + entries(e.Document, variant, ledger.FailedSend)
	switch {
	case unsure > 0:
		wrong = fmt.Sprintf("%.0f operations failed or had to be sent again: it is not known how many spans were made", unsure)
	case missing == 0:
		wrong = "nothing was dropped: the sink was not late"
	case missing != dropped:
		wrong = fmt.Sprintf("%.0f spans did not come; the ledger says that %.0f were dropped by the tracer", missing, dropped)
	case missing != reported:
		wrong = fmt.Sprintf("%.0f spans did not come; the tracer counts %.0f as dropped", missing, reported)
	case entries(e.Document, variant, ledger.ReportedBeyond) != 0:
		wrong = fmt.Sprintf("the ledger says that the tracer counts %.0f drops too many, and it does not", entries(e.Document, variant, ledger.ReportedBeyond))
	}
	return missing, dropped, wrong
}

// madeAndCame returns, over the life of the processes of a variant, how many spans the operations made and how many of them
// the sink counted; and the operations that made nobody knows how many.
func madeAndCame(records []record.Record, variant string) (made, came, unsure float64) {
	for _, r := range runsOf(records, variant) {
		if r.Start.FirstOperation != "" {
			made += spansPerCall
		}
		for i := range r.Phases {
			for _, l := range r.Phases[i].Made() {
				made += spansPerCall * float64(l.Started)
				unsure += float64(l.Started-min(l.Started, l.Completed)) + float64(l.Resent)
			}
		}
		came += float64(r.Life.Unique())
	}
	return made, came, unsure
}

// reportedLost is how many spans the tracer of a variant says that it did not deliver.
func reportedLost(records []record.Record, variant string) float64 {
	var sum float64
	for _, r := range runsOf(records, variant) {
		for _, n := range []*uint64{r.Tracer.Dropped, r.Tracer.Failed} {
			if n != nil {
				sum += float64(*n)
			}
		}
	}
	return sum
}
