// This file settles head sampling by the tracer's own count of the traces that it decided for.

package ledger

// tellsTraced reports whether the tracers of runs say of each phase how many traces they sampled, so that chance has no part in it.
func tellsTraced(runs ...Run) bool {
	for _, r := range runs {
		for _, s := range r.Phases {
			if s.Traced == nil {
				return false
			}
		}
	}
	return true
}

// tracedSpans is how many spans should come of a stretch of which the tracer says how many traces it sampled. It is false
// where it does not say it, or counted more than the stretch can have begun: then it counts something else.
func tracedSpans(s Stretch, per PerOperation) (between, bool) {
	if s.Traced == nil || float64(*s.Traced) > float64(s.Started+s.Resent)*per.traces() {
		return between{}, false
	}
	traces, failed := float64(*s.Traced), float64(s.Started-min(s.Started, s.Completed))*per.traces()
	return between{per.Low / per.traces() * max(0, traces-failed), per.High / per.traces() * traces}, true
}
