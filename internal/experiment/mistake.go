// Mistakes that the first runs show: every later run would have them too, so the experiment ends at once and says
// what to change, unless its user has it go on.

package experiment

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/steady"
	"github.com/tracetax/tracetax/internal/wording"
)

// Mistake is a kind of mistake.
type Mistake string

// The mistakes.
const (
	NeverReady     Mistake = "never-ready"      // a variant of which no run ever came as far as to its first operation
	NoSpans        Mistake = "no-spans"         // no span came where some are meant to
	RateNotReached Mistake = "rate-not-reached" // the first run reached less than half of its rate
	WrongAnswers   Mistake = "wrong-answers"    // calibrations of all variants so far were answered wrongly, and alike
	TooDense       Mistake = "too-dense"        // woven variants need nearly all of the CPU together
)

// leastReached is the share of its rate that a first run reaches: of less no later run makes a comparison.
const leastReached = 0.5

// leastJudged is the number of operations a window needs before its rate is judged: of fewer, one pause of the machine is a half.
const leastJudged = 20

// MistakeError ends an experiment that has a mistake.
type MistakeError struct {
	Mistake   Mistake
	Variant   string
	Operation string  // "" for all
	Reached   float64 // RateNotReached: operations/s that it reached
	says      string
}

// Error names the observation, and what to change.
func (e *MistakeError) Error() string {
	return fmt.Sprintf("%s; the experiment ends here, since every later run would be the same (--go-on makes them)", e.says)
}

// mistakeIn looks for a mistake in the records that were made last; nil where there is none.
func (l *Loop) mistakeIn(made []record.Record) *MistakeError {
	if l.GoOn {
		return nil
	}
	if m := l.tooDense(); m != nil { // a rate that is not reached for that is no fault of the variant
		return m
	}
	for i := range made {
		r := &made[i]
		var m *MistakeError
		switch {
		case r.Failed():
			if m = l.neverReady(r); m == nil {
				m = l.wrongAnswers(r)
			}
		case r.Kind == record.Calibration:
			m = l.noSpans(r)
		case r.Kind == record.Measured:
			if m = l.rateNotReached(r); m == nil && l.batches(r) {
				m = l.noSpans(r)
			}
		}
		if m != nil {
			m.Variant = r.Variant
			return m
		}
	}
	return nil
}

// knownMistake looks for a mistake in the calibrations of earlier sittings, which are not made again; nil where there is none.
func (l *Loop) knownMistake() *MistakeError {
	var kept []record.Record
	for i := range l.history {
		if r := &l.history[i]; r.Kind == record.Calibration && !r.Failed() {
			kept = append(kept, *r)
		}
	}
	return l.mistakeIn(kept)
}

// early are the stages of a run before its first operation was answered.
var early = []string{"start", "ready", "setup", "first operation"}

// neverReady returns the mistake that a process of a variant failed before its first operation, as in every run of the variant so far. A
// port that another program has just taken is another one the next time, and a pod that a cluster has ended may live then.
func (l *Loop) neverReady(r *record.Record) *MistakeError {
	if r.Failure.Process == "" || r.Failure.Code == record.PortTaken || r.Failure.Code == record.Removed || !slices.Contains(early, r.Failure.Stage) {
		return nil
	}
	for i := range l.history {
		other := &l.history[i]
		if other.Variant == r.Variant && !(other.Failed() && slices.Contains(append(early, record.StageBlock), other.Failure.Stage)) {
			return nil // another run came further: a second try may
		}
	}
	return &MistakeError{Mistake: NeverReady, says: fmt.Sprintf("variant %s failed (%s): %s", r.Variant, r.Failure.Stage, r.Failure.Message)}
}

// wrongAnswers returns the mistake that a calibration was answered wrongly as an earlier one was, of another variant or of the only one
// besides the baseline: it is no fault of a tracer.
func (l *Loop) wrongAnswers(r *record.Record) *MistakeError {
	if r.Kind != record.Calibration || r.Failure.Code != record.WrongAnswers {
		return nil
	}
	var variants []string
	tries := 0
	for i := range l.history {
		other := &l.history[i]
		switch {
		case other.Kind != record.Calibration:
		case !other.Failed():
			return nil // another variant answers well
		case other.Failure.Cause() == r.Failure.Cause():
			if tries++; !slices.Contains(variants, other.Variant) {
				variants = append(variants, other.Variant)
			}
		}
	}
	if tries < 2 || len(variants) < 2 && len(l.Variants) > 2 {
		return nil
	}
	says := fmt.Sprintf("calibrations fail alike (%s): %s", strings.Join(variants, ", "), r.Failure.Message)
	return &MistakeError{Mistake: WrongAnswers, says: says}
}

// noSpans returns the mistake that a calibration saw no span of a variant, or of an operation with declared ones.
func (l *Loop) noSpans(r *record.Record) *MistakeError {
	prepared := l.prepared(r.Variant)
	if !prepare.Exports(prepared.Calibration) || prepared.Calibration.Sampling <= 0 || prepared.Variant.TracerName() == program.NoTracer && r.Variant == l.Variants[0].Variant.Name || l.leftOut(r) {
		return nil
	}
	came := r.Life.Sum() + r.Life.Thrown
	declared, meant := "", false
	for i := range r.Phases {
		p := &r.Phases[i]
		per, known := prepared.Plan.Spans[p.Work()]
		if p.Operation == record.ProbeOperation || p.Load.Completed == 0 {
			continue
		}
		came += p.Sink.Sum()
		meant = meant || !known || per.High > 0
		if declared == "" && known && per.Low > 0 && p.Quiet && p.Sink.Sum() == 0 && r.Stop.Sink.Sum() == 0 {
			declared = p.Operation
		}
	}
	const change = "see whether its tracer is loaded by the program, sends to {sink.…} and samples more than a few traces in a hundred, and its log"
	switch {
	case came == 0 && meant && r.Kind == record.Calibration && l.batches(r):
		return nil // a calibration may be too short for its first batch
	case came == 0 && meant:
		return &MistakeError{Mistake: NoSpans, says: fmt.Sprintf("no span came of variant %s in its first run, though it is to send some: %s%s", r.Variant, change, l.hint(r))}
	case came > 0 && declared != "":
		return &MistakeError{Mistake: NoSpans, Operation: declared, says: fmt.Sprintf("no span came of operation %s of variant %s in its calibration, though %g are declared: correct spans of the operation, or %s%s",
			declared, r.Variant, prepared.Plan.Spans[declared].Low, change, sign(r))}
	}
	return nil
}

// batches reports whether a variant sends spans by a way of its own, in batches of unknown size, and all of them in
// a measured run.
func (l *Loop) batches(r *record.Record) bool {
	prepared := l.prepared(r.Variant)
	declared := false
	for _, per := range prepared.Plan.Spans {
		declared = declared || per.Low > 0
	}
	return prepared.Variant.TracerName() == program.NoTracer && !declared && prepared.Plan.Sampling >= 1 && l.Experiment.FaultsOf(prepared.Variant) == (config.Faults{})
}

// leftOut reports whether the tracer or a hop says that there were spans which did not come.
func (l *Loop) leftOut(r *record.Record) bool {
	some := func(counts ...*uint64) bool {
		return slices.ContainsFunc(counts, func(n *uint64) bool { return n != nil && *n > 0 })
	}
	return some(r.Tracer.Sampled) || slices.ContainsFunc(r.Hops, func(h record.Hop) bool { return some(h.Sampled) })
}

// hint returns the reason that a run shows for missing spans, as the end of a sentence.
func (l *Loop) hint(r *record.Record) string {
	if tracer := l.prepared(r.Variant).Variant.Tracer; tracer != nil && r.Signs != nil {
		for _, p := range r.Signs.Processes {
			if name := program.Heedless(tracer.Language, p.Programs); name != "" {
				return "; " + wording.NotLoaded(name)
			}
		}
	}
	return sign(r)
}

// sign returns the reason that the sink or a log shows for missing spans, as the end of a sentence.
func sign(r *record.Record) string {
	if why := r.Life.Refusal(); why != "" {
		return fmt.Sprintf("; the sink refused %d requests: %s", r.Life.Malformed, quote.Line(why))
	}
	if r.Signs == nil {
		return ""
	}
	for _, p := range slices.Concat(r.Signs.Hops, r.Signs.Processes) {
		for _, s := range p.Log {
			return "; " + p.Process + " wrote: " + quote.Line(s.Last)
		}
	}
	return ""
}

// rateNotReached returns the mistake that the first measured run of a variant reached less than half of the rate that it was asked at. Of
// a sweep the least rate counts alone: the others may be too high on purpose, as whatever comes with faults.
func (l *Loop) rateNotReached(r *record.Record) *MistakeError {
	if l.Experiment.FaultsOf(l.prepared(r.Variant).Variant) != (config.Faults{}) || slices.ContainsFunc(l.history, func(other record.Record) bool {
		return other.Kind == record.Measured && other.Variant == r.Variant && !other.Failed() && other.Block < r.Block
	}) {
		return nil
	}
	for i := range r.Phases {
		p := &r.Phases[i]
		if p.OfferedRate <= 0 || p.Load.Intended < leastJudged || p.Capacity != nil || slices.ContainsFunc(r.Phases, func(other record.Phase) bool {
			return other.Operation == p.Operation && other.OfferedRate < p.OfferedRate
		}) {
			continue
		}
		latency, err := p.Load.Latency.Decode()
		if err != nil {
			continue // the analysis warns of it
		}
		share := steady.Offer{Rate: p.OfferedRate, Windows: len(p.Windows), Load: &p.Load, Latency: steady.LatenciesOf(latency)}.Share()
		// Programs outside the run may be gone in later ones.
		if share < leastReached*(1-p.Others) {
			return &MistakeError{Mistake: RateNotReached, Operation: p.Operation, Reached: share * p.OfferedRate, says: fmt.Sprintf(
				"operation %s of variant %s reached %s of %s/s in its first run: lower the rate (--rate, or load: {rate: …}), give the program more CPUs or workers, or search for what it can do (--set 'load.capacity={cpu: 75%%}')",
				p.Operation, r.Variant, rateText(share*p.OfferedRate), rateText(p.OfferedRate))}
		}
	}
	return nil
}

// dense is the share of the CPUs that woven variants may need together. Nearer to all of them each is in the way of the
// others, and what one can hold is what these leave it.
const dense = 0.8

// tooDense returns the mistake that woven variants need nearly all of the CPU together, by what pilots used, or the runs of the first
// block; nil where they do not, or it is not known of one of them.
func (l *Loop) tooDense() *MistakeError {
	if l.Experiment.Design.Order != config.Woven || l.CPUs <= 0 {
		return nil
	}
	given := l.Design().GivenUp(l.history)
	for _, o := range l.Experiment.Operations {
		for _, level := range l.Experiment.Load.Steps() {
			asked := run.PhaseRequest{Operation: o, Load: level.Load, Parameter: level.Parameter}
			rate := cmp.Or(asked.Asked().Rate, level.Load.Rate)
			if relative := level.Load.Relative; relative != nil {
				least, err := l.slowest(o.Name)
				if err != nil {
					continue // not all have been piloted
				}
				rate = relative.Share * least
			}
			var needs []float64 // of those that are still measured, the baseline first
			all := true
			for _, c := range l.Variants {
				if slices.Contains(given, c.Variant.Name) {
					continue
				}
				cost, known := l.costOf(c.Variant.Name, o.Name, level.Parameter)
				needs, all = append(needs, cost*rate), all && known
			}
			if sum := most(needs, l.fit(l.history)); all && sum >= dense*l.CPUs {
				return &MistakeError{Mistake: TooDense, Operation: o.Name, says: fmt.Sprintf(
					"operation %s: at %s/s variants need %.2g of %g CPUs together, and woven they would be in each other's way: lower the rate, or write order: windows, in which each has the CPU to itself",
					o.Name, rateText(rate), sum, l.CPUs)}
			}
		}
	}
	return nil
}

// most is the most that variants need together that live at the same time: the baseline, which is the first, and as many
// others as have room beside it; fit is how many that are in all, and 0 all of them.
func most(needs []float64, fit int) float64 {
	if len(needs) == 0 {
		return 0
	}
	sum, others := needs[0], slices.Sorted(slices.Values(needs[1:]))
	for i, need := range slices.Backward(others) {
		if fit == 0 || len(others)-i < fit {
			sum += need
		}
	}
	return sum
}

// costOf is the CPU seconds on the app's CPUs that an operation of a variant takes: in its first good measured run at a
// level, or else in a pilot.
func (l *Loop) costOf(variant, operation string, parameter map[string]string) (cost float64, known bool) {
	for i := range l.history {
		r := &l.history[i]
		if r.Variant != variant || r.Failed() || r.Kind == record.Calibration {
			continue
		}
		for j := range r.Phases {
			p := &r.Phases[j]
			if p.Operation != operation || r.Kind == record.Measured && !maps.Equal(p.Parameter, parameter) {
				continue
			}
			if len(p.Progress) > 0 && slices.ContainsFunc(l.prepared(variant).Plan.Processes, func(p program.Process) bool { return !p.Role.OnApp() }) {
				continue // what these use elsewhere is in it
			}
			if one, ok := costIn(r, p); ok {
				cost, known = one, true
			}
		}
		if known && r.Kind == record.Measured {
			return cost, known
		}
	}
	return cost, known
}

// steadyPart: the cost of a watched warm-up is that of its last third.
const steadyPart = 3

// costIn is what an operation took in a phase, less what was used idle; in the last part of one that was watched.
func costIn(r *record.Record, p *record.Phase) (float64, bool) {
	var cpu, operations float64
	for _, s := range p.Progress[len(p.Progress)-len(p.Progress)/steadyPart:] {
		cpu, operations = cpu+s.CPUSeconds, operations+float64(s.Operations)
	}
	if len(p.Progress) == 0 {
		operations = float64(p.Load.Started)
		for _, u := range p.Usage {
			if u.Role.OnApp() {
				cpu += u.CPUSeconds
			}
		}
		for _, u := range r.Start.Idle {
			if u.Role.OnApp() && u.Seconds > 0 {
				cpu -= u.CPUSeconds / u.Seconds * (p.DrainSeconds + p.PausedSeconds)
			}
		}
	}
	return cpu / max(1, operations), operations > 0 && cpu > 0
}

// rateText is a rate in three digits at least, without an exponent.
func rateText(rate float64) string {
	if rate >= 100 {
		return strconv.FormatFloat(rate, 'f', 0, 64)
	}
	return strconv.FormatFloat(rate, 'g', 3, 64)
}

// deaf are the processes of a variant that did not end when asked in an earlier run.
func (l *Loop) deaf(variant string) []string {
	var names []string
	for i := range l.history {
		if r := &l.history[i]; r.Variant == variant {
			names = append(names, r.Stop.Deaf...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
