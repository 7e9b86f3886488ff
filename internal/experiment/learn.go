// What later runs profit from, and what there is to say at the end.

package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

// learn takes from a record what later runs profit from: how many spans an
// operation makes, and how long runs last.
func (l *Loop) learn(r *record.Record) {
	if r.Failed() {
		return
	}
	l.lasted[r.Kind] += r.Ended.Sub(r.Started) / time.Duration(1+len(r.Harness.With)) // the time of a block is that of all its runs
	l.made[r.Kind]++
	if r.Kind != record.Calibration {
		return
	}
	spans := maps.Clone(l.prepared(r.Variant).Plan.Spans)
	if spans == nil {
		spans = map[string]program.Number{}
	}
	learnt := ledger.Learn(l.calibrations(r.Variant), 1, false)
	for _, phase := range r.Phases {
		if _, declared := l.prepared(r.Variant).Plan.Spans[phase.Work()]; declared {
			continue // it counts: on a busy machine a tracer may drop spans in a calibration too
		}
		// Where it varies a drain must not end early on it.
		if per, known := learnt[phase.Work()]; known && per.Low == per.High {
			spans[phase.Work()] = program.Number{Low: per.Low, High: per.High}
		}
	}
	if setup, known := learnt[record.SetupOperation]; known && setup.Low == setup.High {
		spans[record.SetupOperation] = program.Number{Low: setup.Low, High: setup.High}
	}
	l.spans[r.Variant] = spans
	if l.prepared(r.Variant).Plan.Renames {
		learnt = ledger.Nameless(learnt)
	}
	l.begun[r.Variant] = ledger.Tracing{Spans: learnt}.Begun()
	if slices.ContainsFunc(r.Phases, func(p record.Phase) bool {
		_, known := learnt[p.Work()]
		return !known && p.Operation != record.ProbeOperation
	}) {
		l.begun[r.Variant] = record.Begun{} // which spans are of that operation nobody knows
	}
}

// calibrations returns those of a variant so far.
func (l *Loop) calibrations(variant string) []record.Record {
	var all []record.Record
	for i := range l.history {
		if l.history[i].Kind == record.Calibration && l.history[i].Variant == variant {
			all = append(all, l.history[i])
		}
	}
	return all
}

// FinalError is a failure that going on with the experiment would only repeat: its
// runs are made, and nothing can be concluded from them.
type FinalError struct{ err error }

// Error is the reason.
func (e *FinalError) Error() string { return e.err.Error() }

// Unwrap gives the reason.
func (e *FinalError) Unwrap() error { return e.err }

// verdict returns at the end whether there is anything to conclude from.
func (l *Loop) verdict(plan design.Plan) error {
	if err := l.conclusion(plan); err != nil {
		return &FinalError{err}
	}
	return nil
}

func (l *Loop) conclusion(plan design.Plan) error {
	if slices.Contains(plan.GivenUp(l.history), plan.Variants[0]) {
		return fmt.Errorf("the baseline %s failed again and again: %s", plan.Variants[0], l.lastFailure(plan.Variants[0]))
	}
	good, tried := map[string]bool{}, map[string]bool{}
	for i := range l.history {
		if r := &l.history[i]; r.Kind == record.Measured {
			tried[r.Variant] = tried[r.Variant] || !r.Failed() || r.Failure.Stage != record.StageBlock
			good[r.Variant] = good[r.Variant] || !r.Failed()
		}
	}
	baseline, others := plan.Variants[0], plan.Variants[1:]
	switch {
	case tried[baseline] && !good[baseline]:
		return fmt.Errorf("no run of the baseline %s succeeded: %s", baseline, l.lastFailure(baseline))
	case len(others) > 0 && !slices.ContainsFunc(others, func(other string) bool { return good[other] }):
		if !tried[baseline] { // there would have been nothing to hold it against
			return fmt.Errorf("nothing was measured: only the baseline %s can run: %s", baseline, l.reasons(others))
		}
		return fmt.Errorf("no run of any variant but the baseline %s succeeded: %s", baseline, l.reasons(others))
	}
	return nil
}

// reasons returns why variants last failed, those of one reason together.
func (l *Loop) reasons(variants []string) string {
	var order []string
	of := map[string][]string{}
	for _, variant := range variants {
		reason := l.lastFailure(variant)
		if of[reason] == nil {
			order = append(order, reason)
		}
		of[reason] = append(of[reason], variant)
	}
	for i, reason := range order {
		order[i] = strings.Join(of[reason], ", ") + ": " + reason
	}
	return strings.Join(order, "; ")
}

// lastFailure is why a variant last failed; that of another in its block is the reason
// only where there is no other.
func (l *Loop) lastFailure(variant string) string {
	reason := ""
	for i := range slices.Backward(l.history) {
		r := &l.history[i]
		if r.Variant != variant || !r.Failed() {
			continue
		}
		if reason == "" || r.Failure.Stage != record.StageBlock {
			reason = r.Failure.Stage + ": " + r.Failure.Message
		}
		if r.Failure.Stage != record.StageBlock {
			return reason
		}
	}
	if reason == "" {
		return "no reason was kept"
	}
	return reason
}

// How many variants have room in memory at the same time, by what each used before the first block.

// Room that is left for what a program holds under load, times what it held when it was seen.
const (
	roomAfterCalibration = 2.0 // in which it made few operations
	roomAfterPilot       = 1.25
)

// fit is how many variants can live at the same time, the baseline among them, whichever the others are: 0 is all of them, or
// that it is not known, and 1 that they are run one after the other.
func (l *Loop) fit(history []record.Record) int {
	if l.Memory == 0 || !l.Experiment.Design.Order.Together() {
		return 0
	}
	needs := make([]float64, len(l.Variants))
	for i, c := range l.Variants {
		needs[i] = needed(history, c.Variant.Name)
	}
	most := slices.Max(needs)
	for i := range needs {
		if needs[i] == 0 { // unknown: the others are no smaller, as far as is known
			needs[i] = most
		}
	}
	baseline, others := needs[0], needs[1:]
	slices.Sort(others)
	sum, fits := baseline, 1
	for _, need := range slices.Backward(others) {
		if sum += need; sum > float64(l.Memory) {
			return fits
		}
		fits++
	}
	return 0
}

// needed is what the processes of a variant are taken to need, in bytes: the most that they held in a run before the
// first block, and some room; 0 is not known.
func needed(history []record.Record, variant string) float64 {
	most := 0.0
	for i := range history {
		r := &history[i]
		room := roomAfterPilot
		switch {
		case r.Variant != variant || r.Failed() || r.Kind == record.Measured:
			continue
		case r.Kind == record.Calibration:
			room = roomAfterCalibration
		}
		sum := 0.0
		for _, m := range r.Memory {
			sum += room * float64(m.Peak)
		}
		most = max(most, sum)
	}
	return most
}
