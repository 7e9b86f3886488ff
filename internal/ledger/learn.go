// This file learns how many spans an operation makes from slow runs, in which
// nothing is lost and operations do not mix.

package ledger

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// standardErrors is how many standard errors, 99.9 %, a number that varies from operation
// to operation is widened by. One that is on average k is taken to vary by k/2 at least.
const standardErrors = 3.3

// Learn returns how many spans each operation of the calibration runs made. With
// random sampling it is spans per trace, taking it that an operation is a trace.
// Phases that have a level are learnt under the name of the operation at that level
// too.
// Operations that cannot be learnt from (nothing is sampled or sent, some of
// them failed, no trace came, the sink was never quiet) are absent. So are those of which no span
// came, unless others show that the tracer sends what it makes in time: it may hold spans back.
//
// A number is one (Low = High) only where all operations made it; how many these were is in
// Agreed, because a few cannot show what is rare. Traces that the operation does not begin are
// left out, as far as the names of their roots tell.
func Learn(calibrations []record.Record, sampling float64, silent bool) map[string]PerOperation {
	if silent || sampling <= 0 {
		return nil
	}
	learnt := map[string]PerOperation{}
	for i := range calibrations {
		if calibrations[i].Failed() {
			continue
		}
		elsewhere := passing(&calibrations[i])
		run := FromRecord(&calibrations[i])
		behind, prompt := holdsBack(&calibrations[i], run), false
		found := make([]PerOperation, len(run.Phases))
		for j, s := range run.Phases {
			p, ok := learn(s, sampling, elsewhere)
			if !ok || !calibrations[i].Phases[j].Quiet || behind && !p.oneTrace(s) {
				continue
			}
			found[j] = p
			prompt = prompt || p.High > 0 && (p.exact() || run.Start.Sink.Told() > 0)
		}
		for j, s := range run.Phases {
			p := found[j]
			if !p.known() || p.High == 0 && s.Sink.Told() == 0 && (!prompt || behind) {
				continue
			}
			p.Cold = coldOf(&calibrations[i], run, found, p)
			for _, name := range slices.Compact([]string{s.Operation, s.Level}) {
				one := p
				if before, seen := learnt[name]; seen {
					one = p.and(before)
				}
				learnt[name] = one
			}
			delete(learnt, "")
		}
	}
	return learnt
}

// Declare is a number that a workload declares, with what its calibrations taught besides. Where these made another number
// they lost spans, or the number is wrong: of which traces an operation makes they say nothing then.
func Declare(low, high float64, learnt PerOperation) PerOperation {
	p := PerOperation{Low: low, High: high, Traces: learnt.Traces, How: Declared}
	if learnt.known() && learnt.Low <= high && learnt.High >= low {
		p.Roots, p.ByID, p.Services, p.Parents, p.Cold = learnt.Roots, learnt.ByID, learnt.Services, learnt.Parents, learnt.Cold
	}
	return p
}

// and is what two calibrations teach together.
func (p PerOperation) and(q PerOperation) PerOperation {
	sum := p
	sum.Low, sum.High = math.Min(p.Low, q.Low), math.Max(p.High, q.High)
	sum.Agreed, sum.Parents, sum.ByID = 0, p.Parents && q.Parents, p.ByID && q.ByID
	if p.Agreed > 0 && q.Agreed > 0 && sum.Low == sum.High {
		sum.Agreed = p.Agreed + q.Agreed
	}
	sum.Cold = p.Cold.and(q.Cold)
	sum.Services = sameServices(p.Services, q.Services)
	if p.Roots == nil || q.Roots == nil {
		sum.Roots = nil
		return sum
	}
	sum.Roots = maps.Clone(p.Roots)
	for root, most := range q.Roots {
		sum.Roots[root] = max(sum.Roots[root], most)
	}
	return sum
}

// holdsBack reports whether spans of the first operation came only when others were made: then those that came in a stretch
// need not be of it. Where what came in the stretches is not what came of the run, it was found out otherwise.
func holdsBack(r *record.Record, run Run) bool {
	first := run.Start.Sink.Told()
	if r.Start.OnceSink != nil {
		first -= min(first, r.Start.OnceSink.Told())
	}
	sum := run.Start.Sink.Told() + run.Stop.Sink.Told() + r.Unasked.Spans()
	for _, s := range run.Phases {
		sum += s.Sink.Told()
	}
	return run.First != "" && first == 0 && sum > 0 && sum == r.Life.Told()
}

// oneTrace reports whether every operation of a stretch made one trace, and the same spans: no others are among them.
func (p PerOperation) oneTrace(s Stretch) bool {
	return p.exact() && p.High > 0 && seen(s.Sink) == s.Started
}

func learn(s Stretch, sampling float64, elsewhere map[string]timing) (PerOperation, bool) {
	if s.Started == 0 || s.Started != s.Completed {
		return PerOperation{}, false
	}
	roots, chosen := byID(s, elsewhere)
	if !chosen {
		roots = begun(s, elsewhere)
	}
	if sampling < 1 {
		roots, chosen = nil, false
	}
	all := s.Sink
	var others map[string]int64
	s.Sink, others = s.Sink.Apart(record.Begun{ByID: chosen, Roots: roots})
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
	p := PerOperation{Low: spans, High: spans, Traces: traces, How: Inferred, Roots: roots, ByID: chosen}
	if sampling >= 1 {
		p.Services = byService(all, others, s.Started)
	}
	p.Parents = s.Sink.Checking && s.Sink.Orphans == 0
	if spans == math.Trunc(spans) && alike(s.Sink, uint64(made)) {
		p.Agreed = uint64(made)
		return p, true
	}
	slack := standardErrors * math.Max(math.Max(0.5, spans/2), deviation(s.Sink, made)) / math.Sqrt(made)
	p.Low, p.High = math.Max(0, spans-slack), spans+slack
	return p, true
}
