// This file learns how many spans an operation makes from slow runs, in which
// nothing is lost and operations do not mix.
package ledger

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// standardErrors is how many standard errors, 99.9 %, a number that varies from operation
// to operation is widened by. One that is on average k is taken to vary by k/2.
const standardErrors = 3.3

// Learn returns how many spans each operation of the calibration runs made. With
// random sampling it is spans per trace, taking it that an operation is a trace.
// Phases that have a level are learnt under the name of the operation at that level
// too.
// Operations that cannot be learnt from (nothing is sampled or sent, some of
// them failed, no trace came, the sink was never quiet) are absent.
func Learn(calibrations []record.Record, sampling float64, silent bool) map[string]PerOperation {
	if silent || sampling <= 0 {
		return nil
	}
	learnt := map[string]PerOperation{}
	for i := range calibrations {
		if calibrations[i].Failed() {
			continue
		}
		for j, s := range FromRecord(&calibrations[i]).Phases {
			p, ok := learn(s, sampling)
			if !ok || !calibrations[i].Phases[j].Quiet {
				continue
			}
			for _, name := range slices.Compact([]string{s.Operation, s.Level}) {
				one := p
				if before, seen := learnt[name]; seen {
					one.Low, one.High = math.Min(one.Low, before.Low), math.Max(one.High, before.High)
				}
				learnt[name] = one
			}
			delete(learnt, "")
		}
	}
	return learnt
}

func learn(s Stretch, sampling float64) (PerOperation, bool) {
	if s.Started == 0 || s.Started != s.Completed {
		return PerOperation{}, false
	}
	made, traces := float64(s.Started), float64(seen(s.Sink))/float64(s.Started)
	if sampling < 1 {
		made, traces = float64(seen(s.Sink)), 1
	}
	if made == 0 {
		return PerOperation{}, false
	}
	// What a tracer merges or leaves out by a limit of its own depends on the work at the
	// time; made they all are.
	spans := float64(s.Sink.Told()) / made
	p := PerOperation{Low: spans, High: spans, Traces: traces, How: Inferred}
	if spans != math.Trunc(spans) {
		slack := standardErrors * math.Max(0.5, spans/2) / math.Sqrt(made)
		p.Low, p.High = math.Max(0, spans-slack), spans+slack
	}
	return p, true
}

// seen is the number of traces of which something arrived: by trace id where ids
// were checked, otherwise by root.
func seen(c record.Counts) uint64 {
	if c.Traces > 0 && checked(c) {
		return c.Traces
	}
	return c.Roots
}
