// The idle use of processes, and whether it can be taken off: only if it is known, and the same before the first phase and
// after the last.

package dataset

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
)

const (
	// idleNoise is by how many CPU seconds two readings of idle processes may differ by chance.
	idleNoise = 2e-3
	// idleBends is the share of a window's CPU from which on an unknown idle rate hides the cost of operations.
	idleBends = 0.1
)

// Idle is the reason why nothing is taken off in an experiment: the idle use of a variant is no one rate.
type Idle struct {
	Variant       string
	Unread        int     // runs of it without a reading
	Unsteady      int     // runs in which the processes never got calm before it was read
	Of            int     // runs in all
	Before, After float64 // CPU seconds per second at either end, where these differ
	Share         float64 // of the CPU of a window, by which the difference would bend it; 0 where they do not
	Away          float64 // of the same: what was used while others had the load, beyond what is taken off; 0 where that is little
	Sends         bool    // Away is its tracer's work for unpaced operations: no window waits for their spans
}

// bends is the share of a window's CPU that may not belong to its operations.
func (i Idle) bends() float64 {
	if i.Sends {
		return i.Share
	}
	return max(i.Share, i.Away)
}

// judgeIdle decides for all variants together: what is taken off on one side of a comparison alone is a difference. Where
// others had the load for most of the time, nothing would be far from what processes used meanwhile: then what was read last, or
// the mean of both readings, is taken off all the same. Where even that may be far off, what operations cost is unknown.
func (s *Set) judgeIdle() {
	for _, v := range s.Variants {
		if one := s.idleOf(v.Name); one.Unread > 0 || one.Unsteady > 0 || max(one.Share, one.Away) > 0 {
			s.Idles = append(s.Idles, one)
			if s.hides(one) {
				s.forget(v.Name)
			}
		}
	}
	reads := slices.ContainsFunc(s.Idles, func(i Idle) bool { return i.Unread > 0 || i.Unsteady > 0 || i.Share > 0 })
	if !reads || s.InTurns() && !slices.ContainsFunc(s.Idles, func(i Idle) bool { return i.Unread > 0 }) {
		return
	}
	for r := range s.every() {
		for _, p := range r.ByCell {
			p.Idle = nil
		}
	}
}

// Restless returns the reason why the cost of operations is unknown on one side of a pair; nil if it is known.
func (s *Set) Restless(p Pair) *finding.Reason {
	for _, one := range s.Idles {
		if s.hides(one) && (one.Variant == p.Variant || one.Variant == p.Against) {
			return &finding.Reason{Code: finding.WhyRestless, Variant: one.Variant, Figures: []finding.Figure{{Name: "share", Value: min(1, one.bends()), Unit: "1"}}}
		}
	}
	return nil
}

// hides reports whether the amount taken off may be so wrong that the cost of operations is unknown.
func (s *Set) hides(i Idle) bool { return i.bends() > idleBends && s.InTurns() }

// forget makes the cost of a variant's operations unknown.
func (s *Set) forget(variant string) {
	for _, r := range s.All[variant] {
		for _, p := range r.ByCell {
			p.Restless = true
		}
	}
}

// InTurns reports whether CPU was measured in windows: each variant had the load while the others waited.
func (s *Set) InTurns() bool {
	return s.Any(func(r *Run) bool { return r.Harness.Order == string(config.Windows) || r.waited() })
}

// InTurnAt reports whether the CPU of a cell was measured in windows, in any run.
func (s *Set) InTurnAt(at cell.At) bool {
	return s.Any(func(r *Run) bool { return r.ByCell[at] != nil && len(r.ByCell[at].Windows) > 0 })
}

// waited reports whether the CPU of any operation was measured in windows.
func (r *Run) waited() bool {
	for _, p := range r.ByCell {
		if len(p.Windows) > 0 {
			return true
		}
	}
	return false
}

func (s *Set) idleOf(variant string) Idle {
	out := Idle{Variant: variant, Of: len(s.All[variant]), Away: s.awayOf(variant), Sends: s.sends(variant)}
	part := 1.0 // of what is not taken off
	if s.InTurns() {
		part = 0.5 // the mean is
	}
	var before, after []float64
	shares := map[string][]float64{}
	for _, block := range BlocksIn(s.All[variant]) {
		r := s.All[variant][block]
		switch {
		case len(r.Start.Idle) == 0:
			out.Unread++
			continue
		case r.Start.IdleSteady != nil && !*r.Start.IdleSteady:
			out.Unsteady++
			continue
		}
		first, last, read := r.idleRates()
		if !read {
			continue
		}
		before, after = append(before, first), append(after, last)
		for at, p := range r.ByCell {
			share, _ := Over(part*(last-first)*p.off(), p.busy()) // 0 where nothing was used
			shares[at.String()] = append(shares[at.String()], share)
		}
	}
	for _, of := range shares {
		if share := math.Abs(stats.Center(of)); finding.Matters(share) {
			out.Share = max(out.Share, share)
		}
	}
	out.Before, out.After = stats.Center(before), stats.Center(after)
	return out
}

// awayOf returns the share of a variant's CPU that its processes used while others had the load, beyond the idle use subtracted,
// for the cell with the largest; 0 if it is small. It is over all blocks: a program's own work may be too rare to be in most of
// them. Late work for its operations looks the same.
func (s *Set) awayOf(variant string) float64 {
	extra, all := map[string]float64{}, map[string]float64{}
	for _, r := range s.All[variant] {
		for at, p := range r.ByCell {
			if p.Away == nil {
				continue
			}
			taken := 0.0
			for _, u := range p.Idle {
				if rate, ok := Over(u.CPUSeconds, u.Seconds); ok && !u.Role.Harness() {
					taken += rate * p.Away.Seconds
				}
			}
			extra[at.String()] += p.Away.CPUSeconds - taken
			all[at.String()] += p.CPU(role.Charge{})
		}
	}
	most := 0.0
	for at := range all {
		share, _ := Over(math.Abs(extra[at]), all[at]) // 0 where nothing was used
		most = max(most, share)
	}
	if most < idleBends/2 {
		return 0
	}
	return most
}

// sends reports whether spans of a variant came that were made as fast as the program goes.
func (s *Set) sends(variant string) bool {
	if s.Experiment.Regime() != metric.Unthrottled {
		return false
	}
	for _, r := range s.All[variant] {
		for _, p := range r.ByCell {
			if p.Sink.Spans > 0 {
				return true
			}
		}
	}
	return false
}

// idleRates are the CPU seconds per second that the processes under test used idle, before the first phase and after the
// last; the same where they differ by no more than chance. read is false where it was not read at both ends.
func (r *Run) idleRates() (before, after float64, read bool) {
	first, ok := rateOf(r.Start.Idle)
	last, okLast := rateOf(r.Stop.Idle)
	if !ok || !okLast {
		return 0, 0, false
	}
	shortest := math.Inf(1)
	for _, u := range append(r.Start.Idle[:len(r.Start.Idle):len(r.Start.Idle)], r.Stop.Idle...) {
		shortest = min(shortest, u.Seconds)
	}
	if math.Abs(last-first)*shortest <= idleNoise {
		return first, first, true
	}
	return first, last, true
}

// IdleCPU is the CPU seconds per second that the processes use when nothing is asked of them, before the first phase; false
// where they were never calm.
func (r *Run) IdleCPU() (float64, bool) {
	if r.Start.IdleSteady != nil && !*r.Start.IdleSteady {
		return 0, false
	}
	return rateOf(r.Start.Idle)
}

// rateOf returns the use of all but the harness per second, each process over the time of its own readings, which differs
// slightly from the requested.
func rateOf(idle []record.Usage) (float64, bool) {
	var sum float64
	known := false
	for _, u := range idle {
		if u.Role.Harness() {
			continue
		}
		rate, ok := Over(u.CPUSeconds, u.Seconds)
		if !ok {
			return 0, false
		}
		sum, known = sum+rate, true
	}
	return sum, known
}

// idleBy returns the idle use of each process of a run, in both readings together; in the last one if the processes were
// never calm before the first.
func idleBy(r *record.Record) map[string]record.Usage {
	out := map[string]record.Usage{}
	if r.Start.IdleSteady == nil || *r.Start.IdleSteady {
		for _, u := range r.Start.Idle {
			out[u.Process] = u
		}
	}
	for _, u := range r.Stop.Idle {
		sum := out[u.Process]
		sum.Role = u.Role
		sum.Seconds, sum.CPUSeconds, sum.ContextSwitches = sum.Seconds+u.Seconds, sum.CPUSeconds+u.CPUSeconds, sum.ContextSwitches+u.ContextSwitches
		out[u.Process] = sum
	}
	return out
}

// busy returns the CPU that all but the harness used from the start of a window to the quiet after it.
func (p *Phase) busy() float64 {
	var sum float64
	for _, u := range p.Usage {
		if (role.Charge{}).Of(u.Role, u.Whose()) {
			sum += u.CPUSeconds
		}
	}
	return sum
}
