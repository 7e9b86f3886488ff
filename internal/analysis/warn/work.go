// Checks of the work: the app under load.

package warn

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/wording"
)

// The thresholds of the checks of the work.
const (
	throttledShare = 0.01 // of the time read
	delays         = 5    // a window's least length in delays of the tracer
	idleShare      = 0.2  // of a window's CPU that would have been used idle
)

func (s *checker) findOverloaded() []hit {
	var hits []hit
	for _, at := range s.Cells() {
		for _, v := range s.Variants {
			if over := s.Overloaded(v.Name, at); over != nil {
				what := ": its latency is not compared, and its CPU has no verdict"
				if metric.Driven.Has(s.RegimeOf(at)) {
					what = ": its figures are those of the rate reached"
				}
				hits = append(hits, seen(wording.Reason(*over)+what, place(at, v.Name)))
				continue
			}
			if n, runs := s.BelowRate(v.Name, at); n > 0 {
				hits = append(hits, seen(fmt.Sprintf("%s did not hold the rate in %d of %d runs", v.Name, n, runs), place(at, v.Name)))
			}
		}
	}
	return hits
}

// findThrottled leaves searches alone: they go up to the quota on purpose, and name
// it where it binds.
func (s *checker) findThrottled() []hit {
	return s.perCell(throttledShare, func(p *dataset.Phase) float64 {
		worst := 0.0
		if p.Capacity != nil {
			return 0
		}
		for _, u := range p.Usage {
			if share, ok := dataset.Over(u.ThrottleSeconds, u.Seconds); ok && !u.Role.Harness() {
				worst = max(worst, share)
			}
		}
		return worst
	}, func(worst float64) string {
		return fmt.Sprintf("held back by its CPU quota for up to %s of the time", finding.FormatValue(worst, "1"))
	})
}

// findFullLogs warns of time for which a program waited until tracetax had read its log.
func (s *checker) findFullLogs() []hit {
	return s.perCell(0, func(p *dataset.Phase) float64 {
		worst := 0.0
		for _, u := range p.Usage {
			if !u.Role.Harness() {
				worst = max(worst, u.LogFullSeconds)
			}
		}
		return worst
	}, func(worst float64) string {
		return fmt.Sprintf("the pipe of a program's log was full for about %s of a window", finding.FormatValue(worst, "s"))
	})
}

// findShortWindow looks at windows, and at the probes of a search: these are held
// against their goal by what is seen while operations are made, so what the
// tracer defers beyond the last of them is missed.
func (s *checker) findShortWindow() []hit {
	var hits []hit
	for _, v := range s.Variants {
		plan, window := s.Plans[v.Name], s.Shortest(v.Name)
		least := 1
		if s.InTurns() || s.Experiment.Load.Capacity != nil {
			least = delays
		}
		if plan == nil || plan.Silent || window <= 0 || window >= time.Duration(least)*plan.Passed() {
			continue
		}
		text := fmt.Sprintf("the load of %s is shorter than %s", window, plan.SaysPassed())
		if least > 1 {
			text = fmt.Sprintf("the window of %s is shorter than %d times %s", window, delays, plan.SaysPassed())
		}
		if s.Experiment.Load.Capacity != nil {
			text = fmt.Sprintf("a probe of %s is shorter than %d times %s: work after its end does not count, and the capacity may come out too high",
				window, delays, plan.SaysPassed())
		}
		hits = append(hits, seen(text, v.Name))
	}
	return hits
}

// findNeverQuiet looks at each operation, and at the end of the runs.
func (s *checker) findNeverQuiet() []hit {
	hits := s.perCell(0, func(p *dataset.Phase) float64 {
		if p.Quiet {
			return 0
		}
		return 1
	}, func(float64) string { return "the sink was never quiet" })
	return append(hits, s.perVariant(0, func(r *dataset.Run) float64 {
		if r.Stop.Unquiet {
			return 1
		}
		return 0
	}, func(float64) string {
		return "the sink still received spans when the wait at the end of the run was over: its count is incomplete"
	})...)
}

// findNeverCalm looks at drains in which the processes stayed busier than when they were idle.
func (s *checker) findNeverCalm() []hit {
	return s.perCell(0, func(p *dataset.Phase) float64 {
		if p.Calm == nil || *p.Calm {
			return 0
		}
		return 1
	}, func(float64) string {
		return "the processes still used more CPU than when idle when the drain ended"
	})
}

// whatIsOff returns the amount taken off for idle use, where that is no one rate.
func (s *checker) whatIsOff() string {
	if s.InTurns() && !slices.ContainsFunc(s.Idles, func(i dataset.Idle) bool { return i.Unread > 0 }) {
		return "; it is subtracted all the same, since others had the load for longer than the variant itself"
	}
	return ": nothing is subtracted, of any variant"
}

func (s *checker) findIdleUnknown() []hit {
	var hits []hit
	for _, one := range s.Idles {
		if one.Unread > 0 {
			hits = append(hits, seen(fmt.Sprintf("idle CPU was not read in %d of %d runs%s", one.Unread, one.Of, s.whatIsOff()), one.Variant))
		}
		if one.Unsteady > 0 {
			hits = append(hits, seen(fmt.Sprintf("the processes were never calm before the first phase in %d of %d runs, and their idle CPU is unknown%s", one.Unsteady, one.Of, s.whatIsOff()), one.Variant))
		}
	}
	return hits
}

func (s *checker) findRested() []hit {
	var hits []hit
	for _, at := range s.Cells() {
		for _, v := range s.Variants {
			if r := s.Rested(v.Name, at); r != nil {
				hits = append(hits, seen(wording.Reason(*r), place(at, v.Name)))
			}
		}
	}
	return hits
}

func (s *checker) findAway() []hit {
	var hits []hit
	for _, one := range s.Idles {
		if one.Away > 0 {
			why := "may not belong to its operations"
			if one.Sends {
				why = "was used then, and is charged to its operations"
			}
			hits = append(hits, seen(fmt.Sprintf("its processes worked while others had the load: up to %s of its CPU %s", finding.FormatValue(one.Away, "1"), why), one.Variant))
		}
	}
	return hits
}

// besideShare bounds the share of a CPU that processes of other variants may use in a variant's windows.
const besideShare = 0.02

// findBesideLoad looks at windows of operations that are made as fast as they go, for which nothing waits until others' spans
// have come.
func (s *checker) findBesideLoad() []hit {
	return s.perCell(besideShare, func(p *dataset.Phase) float64 {
		var beside, lasted float64
		for _, w := range p.Windows {
			beside, lasted = beside+w.Beside, lasted+w.WallSeconds
		}
		share, _ := dataset.Over(beside, lasted)
		return share
	}, func(worst float64) string {
		return fmt.Sprintf("processes of other variants used up to %s of a CPU while it had the load: its operations may take so much longer", finding.FormatValue(worst, "1"))
	})
}

func (s *checker) findIdleDiffers() []hit {
	var hits []hit
	for _, one := range s.Idles {
		if one.Share > 0 {
			hits = append(hits, seen(fmt.Sprintf("idle processes used %s of a CPU before the first phase, and %s after the last; a window's CPU would be up to %s wrong%s",
				finding.FormatValue(one.Before, "1"), finding.FormatValue(one.After, "1"), finding.FormatValue(one.Share, "1"), s.whatIsOff()), one.Variant))
		}
	}
	return hits
}

func (s *checker) findLowRate() []hit {
	return s.perCell(idleShare, func(p *dataset.Phase) float64 {
		var idle float64
		for _, u := range p.Idle {
			if rate, ok := dataset.Over(u.CPUSeconds, u.Seconds); ok && !u.Role.Harness() {
				idle += rate * p.Load.WallSeconds
			}
		}
		share, _ := dataset.Over(idle, p.CPU(role.Charge{})) // 0 where nothing was used
		return share
	}, func(worst float64) string {
		return fmt.Sprintf("idle processes would have used up to %s of the CPU", finding.FormatValue(worst, "1"))
	})
}

// findFailedOperations reports any; a variant that fails more often is one that
// does other work.
func (s *checker) findFailedOperations() []hit {
	return s.perCell(0, func(p *dataset.Phase) (most float64) {
		for _, l := range p.Loads() {
			share, _ := dataset.Over(float64(l.Failed+l.TimedOut), float64(l.Intended)) // 0 where none was intended
			most = max(most, share)
		}
		return most
	}, func(worst float64) string {
		return fmt.Sprintf("up to %s of the operations failed or were not answered in time", finding.FormatValue(worst, "1"))
	})
}

// findRedirected finds operations whose answers are redirects, though these are not declared as right.
func (s *checker) findRedirected() []hit {
	to := ""
	return s.perCell(0, func(p *dataset.Phase) float64 {
		most := uint64(0)
		for _, where := range slices.Sorted(maps.Keys(p.Load.Redirects)) {
			if n := p.Load.Redirects[where]; n > most {
				to, most = where, n
			}
		}
		share, _ := dataset.Over(float64(most), float64(p.Load.Completed))
		return share
	}, func(worst float64) string {
		return fmt.Sprintf("up to %s of the operations were answered by %s", finding.FormatValue(worst, "1"), to)
	})
}

// findPutOff finds operations whose answers wait for a delayed acknowledgement: the worst variant of each place.
func (s *checker) findPutOff() []hit {
	var hits []hit
	for _, at := range s.Cells() {
		worst, most := "", 0.0
		for _, v := range s.Variants {
			if share := s.PutOff(v.Name, at); share > most {
				worst, most = v.Name, share
			}
		}
		if most > 0 {
			hits = append(hits, hit{text: wording.PutOff(worst, most) + ", so the difference in latency cannot be told", where: place(at, ""), worst: most})
		}
	}
	return merged(hits)
}

// roomy is how many connections each worker of a service would have, at the least, for all of them to get a share of the operations.
const roomy = 2

// findFewConnections finds services of several workers that were reached over so few connections that some workers may have had
// next to nothing to do: a worker keeps the connections that it takes.
func (s *checker) findFewConnections() []hit {
	var hits []hit
	for _, at := range s.Cells() {
		for _, v := range s.Variants {
			least, n, runs := uint64(0), 0, s.RunsOf(v.Name)
			for _, r := range runs {
				if used := usedAtRate(r.ByCell[at]); used > 0 && used < roomy*workersOf(r) {
					least, n = min(cmp.Or(least, used), used), n+1
				}
			}
			if n == 0 {
				continue
			}
			hits = append(hits, hit{
				text: "a service of several workers was reached over " + wording.Counted(int(least), "connection") +
					": some of the workers may have served nearly all operations",
				where: place(at, v.Name), worst: 1 / float64(least), runs: n, of: len(runs), at: at,
			})
		}
	}
	return hits
}

// usedAtRate is over how many connections the operations of a phase at a rate came; 0: unknown, or another phase.
func usedAtRate(p *dataset.Phase) (used uint64) {
	if p == nil || p.OfferedRate == 0 {
		return 0
	}
	for _, did := range p.Loads() {
		used = max(used, did.Used)
	}
	return used
}

// workersOf is how many workers the service with the most of them had in a run.
func workersOf(r *dataset.Run) (most uint64) {
	for _, n := range r.Start.Workers {
		most = max(most, uint64(n))
	}
	return most
}

// findOtherWork warns of variants whose answers differ from those of their baseline.
func (s *checker) findOtherWork() []hit {
	var hits []hit
	for _, at := range s.Cells() {
		for _, p := range s.Pairs() {
			if r := s.OtherWork(p, at); r != nil {
				hits = append(hits, seen(wording.Reason(*r), place(at, p.Variant)))
			}
		}
	}
	return hits
}

// findNeverSteady looks for pilots in which a variant did not get steady.
func (s *checker) findNeverSteady() []hit {
	var hits []hit
	for _, p := range s.Warmups() {
		if p.Steady {
			continue
		}
		text := fmt.Sprintf("the %s was not steady after %s of load", p.Figure, finding.FormatValue(p.Length.Seconds(), "s"))
		if p.Drift != 0 {
			text += fmt.Sprintf(": it still changed by %+.0f %%", 100*p.Drift)
		}
		hits = append(hits, seen(text, place(cell.At{Operation: p.Operation}, p.Variant)))
	}
	return hits
}
