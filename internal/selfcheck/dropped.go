// This file judges what the ledger says that a tracer dropped, by counts that the
// ledger has no part in.

package selfcheck

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

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
	missing, admitted := made-came, admittedOf(e.Records, variant)
	dropped := entries(e.Document, variant, ledger.Dropped) + entries(e.Document, variant, ledger.FailedSend)
	switch {
	case unsure > 0:
		wrong = fmt.Sprintf("%.0f operations failed or had to be sent again: it is not known how many spans were made", unsure)
	case missing == 0:
		wrong = "nothing was dropped: the sink was not late"
	case missing != dropped:
		wrong = fmt.Sprintf("%.0f spans did not come; the ledger says that %.0f were dropped by the tracer", missing, dropped)
	case missing != admitted:
		wrong = fmt.Sprintf("%.0f spans did not come; the tracer counts %.0f as dropped", missing, admitted)
	case entries(e.Document, variant, ledger.AdmittedBeyond) != 0:
		wrong = fmt.Sprintf("the ledger says that the tracer counts %.0f drops too many, and it does not", entries(e.Document, variant, ledger.AdmittedBeyond))
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
			for _, l := range []record.Load{r.Phases[i].Warmup, r.Phases[i].Load} {
				made += spansPerCall * float64(l.Started)
				unsure += float64(l.Started-min(l.Started, l.Completed)) + float64(l.Resent)
			}
		}
		came += float64(r.Life.Unique())
	}
	return made, came, unsure
}

// admittedOf is how many spans the tracer of a variant says that it did not deliver.
func admittedOf(records []record.Record, variant string) float64 {
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
