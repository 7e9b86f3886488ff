// This file judges what the ledger says that a tracer dropped, by counts that the
// ledger has no part in.

package selfcheck

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

// What the variant of LateSink makes: every operation a span, the first one
// included; readiness requests none (workloads/hello/go/workload.yaml).
const (
	traced       = "otel"
	spansPerCall = 1
)

// droppedForLateSink holds three counts against each other that know nothing of one
// another: the spans of the operations made less those that came, from the load
// generator and the sink; what the tracer itself says that it dropped; and what the
// ledger makes of that. A receiver that is slow makes a tracer drop spans, and
// nothing else may be missing.
func droppedForLateSink(e Evidence) (known, measured float64, wrong string) {
	made, came, unsure := madeAndCame(e.Records)
	missing, admitted := made-came, admittedOf(e.Records)
	dropped := entries(e.Document, ledger.Dropped) + entries(e.Document, ledger.FailedSend)
	switch {
	case unsure > 0:
		wrong = fmt.Sprintf("%.0f operations failed or had to be sent again: it is not known how many spans were made", unsure)
	case missing == 0:
		wrong = "nothing was dropped: the sink was not late"
	case missing != dropped:
		wrong = fmt.Sprintf("%.0f spans did not come; the ledger says that %.0f were dropped by the tracer", missing, dropped)
	case missing != admitted:
		wrong = fmt.Sprintf("%.0f spans did not come; the tracer counts %.0f as dropped", missing, admitted)
	case entries(e.Document, ledger.AdmittedBeyond) != 0:
		wrong = fmt.Sprintf("the ledger says that the tracer counts %.0f drops too many, and it does not", entries(e.Document, ledger.AdmittedBeyond))
	}
	return missing, dropped, wrong
}

// madeAndCame returns, over the life of the traced processes, how many spans the
// operations made and how many of them the sink counted; and the operations of
// which it is not sure how many they made.
func madeAndCame(records []record.Record) (made, came, unsure float64) {
	for _, r := range tracedRuns(records) {
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

// admittedOf is how many spans the tracer says that it did not deliver.
func admittedOf(records []record.Record) float64 {
	var sum float64
	for _, r := range tracedRuns(records) {
		for _, n := range []*uint64{r.Tracer.Dropped, r.Tracer.Failed} {
			if n != nil {
				sum += float64(*n)
			}
		}
	}
	return sum
}

// tracedRuns are the good measured runs of the traced variant.
func tracedRuns(records []record.Record) []*record.Record {
	var out []*record.Record
	for i := range records {
		if r := &records[i]; r.Kind == record.Measured && !r.Failed() && r.Variant == traced {
			out = append(out, r)
		}
	}
	return out
}
