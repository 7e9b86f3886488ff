// This file accounts for head sampling by a count of the traces that were decided for: the load generator's, where samplers follow
// it, or the tracer's own.

package ledger

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// countConfidence is the binomial band that a tracer's own count of sampled traces must be in: so wide that a right count is
// outside in one of a thousand million phases.
const countConfidence = 1 - 1e-9

// decided returns the number of sampled traces of a stretch, without those of other work; nil if it is not reported. The
// decision of the generator holds for all traces of an operation that have its ids: a program that does not read its
// traceparent decides for itself, whatever its sampler.
func (t Tracing) decided(s Stretch) *uint64 {
	per := t.per(s)
	if t.Follows && s.Flagged != nil && (per.ByID || per.traces() == 1 && checked(s.Sink) && s.Sink.Foreign == 0) {
		n := tracesOf(*s.Flagged, per)
		return &n
	}
	return s.Traced
}

// ReportsTraced reports whether it is known of each phase of runs how many traces were sampled, so chance has no part in it.
func (t Tracing) ReportsTraced(runs ...Run) bool {
	for _, r := range runs {
		begun := r.begun(t)
		for _, s := range r.Phases {
			s.Sink, _ = s.Sink.OfOperations(begun)
			n := t.decided(s)
			if n == nil || t.per(s).known() && !credible(*n, s, t.per(s), t.Sampling) {
				return false
			}
		}
	}
	return true
}

// sampledOf returns the number of sampled traces of an operation over all runs, where ReportsTraced.
func (t Tracing) sampledOf(operation string, runs []Run) (sum uint64) {
	for _, r := range runs {
		begun := r.begun(t)
		for _, s := range r.Phases {
			if s.Operation == operation {
				s.Sink, _ = s.Sink.OfOperations(begun)
				sum += *t.decided(s)
			}
		}
	}
	return sum
}

// credible reports whether a tracer can have sampled as many traces of a stretch as it reports. One that counts more counts
// something else, such as the requests of others. One that counts too few is seen: more traces come.
func credible(traces uint64, s Stretch, per PerOperation, p float64) bool {
	_, most := stats.BinomialBand(tracesOf(s.Started+s.Resent, per), p, countConfidence)
	return traces <= most
}

// certainlyFewer bounds the probability that chance alone makes a program seem to sample fewer by itself.
const certainlyFewer = 0.01

// ByItself returns the number of operations that a program traces without being asked to, and the number of all;
// fewer: these are clearly less than where the load generator asks, which means that its sampler follows its caller. learnt is
// the result of the calibrations.
func ByItself(calibrations []record.Record, learnt map[string]PerOperation) (traced, of uint64, fewer bool) {
	var traces, asked, askedOf float64
	for i := range calibrations {
		c := &calibrations[i]
		if c.Failed() || c.Unasked == nil || !c.Unasked.Quiet {
			continue
		}
		own := func(sink record.Counts) float64 {
			sink, _ = sink.OfOperations(record.Begun{Roots: learnt[c.Unasked.Operation].Roots})
			return float64(seen(sink))
		}
		traces, of = traces+own(c.Unasked.Sink), of+c.Unasked.Completed
		for _, s := range FromRecord(c).Phases {
			if s.Operation == c.Unasked.Operation && s.Chosen {
				asked, askedOf = asked+own(s.Sink), askedOf+float64(s.Completed)
			}
		}
	}
	if of == 0 || asked == 0 || askedOf == 0 {
		return 0, of, false
	}
	each := math.Ceil(asked / askedOf) // traces of an operation: these are sampled together
	whole := func(traces, of float64) uint64 { return uint64(math.Round(math.Min(of, traces/each))) }
	traced = whole(traces, float64(of))
	with := whole(asked, askedOf)
	fewer = float64(traced)*askedOf < float64(with)*float64(of) && stats.SameShare(traced, of, with, uint64(askedOf)) < certainlyFewer
	return traced, of, fewer
}

// unreported are stretches without a report of the number of sampled traces.
func unreported(all []Stretch) []Stretch {
	all = slices.Clone(all)
	for i := range all {
		all[i].Traced, all[i].Flagged = nil, nil
	}
	return all
}

// tracedSpans returns the number of spans that should come of a stretch whose tracer reports the number of sampled traces;
// false if it does not.
func (t Tracing) tracedSpans(s Stretch, decided *uint64, per PerOperation) (between, bool) {
	if decided == nil {
		return between{}, false
	}
	if parts, ofMix := t.partsOf(s); ofMix && t.Follows && s.Flagged != nil && *s.Flagged == *decided {
		return parts.sampled, true
	}
	traces, failed := float64(*decided), float64(s.Started-min(s.Started, s.Completed))*per.traces()
	return between{per.Low / per.traces() * max(0, traces-failed), per.High / per.traces() * traces}, true
}

// tracesOf returns the number of traces that operations begin.
func tracesOf(operations uint64, per PerOperation) uint64 {
	return uint64(math.Round(float64(operations) * per.traces()))
}

// mostSampled is of how many traces of operations chance may decide that they are sampled.
func mostSampled(operations uint64, per PerOperation, p float64) uint64 {
	_, most := stats.BinomialBand(tracesOf(operations, per), p, bandConfidence)
	return most
}

// MostDue bounds the spans of operations of a name, a share of which chance samples; 0 if the number of their spans is
// unknown.
func MostDue(t Tracing, operation string, operations uint64) float64 {
	per := t.Spans[operation]
	if !per.known() || operations == 0 {
		return 0
	}
	return per.High / per.traces() * float64(mostSampled(operations, per, t.Sampling))
}
