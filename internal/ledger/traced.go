// This file settles head sampling by the tracer's own count of the traces that it decided for.

package ledger

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/stats"
)

// countConfidence is the binomial band that a tracer's own count of sampled traces must be in: so wide that a right count is
// outside in one of a thousand million phases.
const countConfidence = 1 - 1e-9

// TellsTraced reports whether the tracers of runs say of each phase how many traces they sampled, so that chance has no part in it.
func (t Tracing) TellsTraced(runs ...Run) bool {
	for _, r := range runs {
		for _, s := range r.Phases {
			if s.Traced == nil || t.per(s).known() && !credible(s, t.per(s), t.Sampling) {
				return false
			}
		}
	}
	return true
}

// credible reports whether a tracer can have sampled as many traces of a stretch as it says. One that counted more counts
// something else, such as the requests of others. That it counted too few shows: more traces come than it says.
func credible(s Stretch, per PerOperation, p float64) bool {
	_, most := stats.BinomialBand(tracesOf(s.Started+s.Resent, per), p, countConfidence)
	return *s.Traced <= most
}

// untold are stretches of which no tracer says how many traces it sampled.
func untold(all []Stretch) []Stretch {
	all = slices.Clone(all)
	for i := range all {
		all[i].Traced = nil
	}
	return all
}

// tracedSpans is how many spans should come of a stretch of which the tracer says how many traces it sampled. It is false
// where it does not say so.
func tracedSpans(s Stretch, per PerOperation) (between, bool) {
	if s.Traced == nil {
		return between{}, false
	}
	traces, failed := float64(*s.Traced), float64(s.Started-min(s.Started, s.Completed))*per.traces()
	return between{per.Low / per.traces() * max(0, traces-failed), per.High / per.traces() * traces}, true
}

// tracesOf is how many traces operations begin.
func tracesOf(operations uint64, per PerOperation) uint64 {
	return uint64(math.Round(float64(operations) * per.traces()))
}

// mostSampled is of how many traces of operations chance may decide that they are sampled.
func mostSampled(operations uint64, per PerOperation, p float64) uint64 {
	_, most := stats.BinomialBand(tracesOf(operations, per), p, bandConfidence)
	return most
}

// MostDue is how many spans may come at most of operations of a name, of which chance samples a share; 0 where it is not
// known how many spans they make.
func MostDue(t Tracing, operation string, operations uint64) float64 {
	per := t.Spans[operation]
	if !per.known() || operations == 0 {
		return 0
	}
	return per.High / per.traces() * float64(mostSampled(operations, per, t.Sampling))
}
