// This file checks the work: the app under load, and its spans.
package analysis

import (
	"fmt"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/words"
)

// The thresholds of the checks of the work.
const (
	throttledShare = 0.01 // of the time read
	delays         = 5    // a window's least length in delays of the tracer
	idleShare      = 0.2  // of a window's CPU that would have been used idle
)

func (s *study) findOverloaded() []hit {
	var hits []hit
	for _, at := range s.cells() {
		for _, v := range s.variants {
			if text, yes := s.overloaded(v.Name, at); yes {
				what := ": no latency is compared"
				if s.loopOf(at).drives() {
					what = ": its figures are of the rate reached"
				}
				hits = append(hits, hit{text + what, place(at, v.Name)})
				continue
			}
			n := 0
			phases := s.phasesOf(v.Name, at)
			for _, p := range phases {
				if offer, asked := s.offer(p); asked && !offer.Held() {
					n++
				}
			}
			if n > 0 {
				hits = append(hits, hit{fmt.Sprintf("%s did not hold the rate in %d of %d runs", v.Name, n, len(phases)), place(at, v.Name)})
			}
		}
	}
	return hits
}

// findThrottled leaves searches alone: they go up to the quota on purpose, and name
// it where it binds.
func (s *study) findThrottled() []hit {
	return s.perCell(throttledShare, func(p *phase) float64 {
		worst := 0.0
		if p.Capacity != nil {
			return 0
		}
		for _, u := range p.Usage {
			if share, ok := over(u.ThrottleSeconds, u.Seconds); ok && !u.Role.Harness() {
				worst = max(worst, share)
			}
		}
		return worst
	}, func(worst float64) string {
		return fmt.Sprintf("held back by its CPU quota for up to %s of the time", finding.FormatValue(worst, "1"))
	})
}

// findShortWindow looks at windows, and at the probes of a search: these are held
// against their goal by what is seen while operations are made, so that what the
// tracer defers beyond the last of them is missed.
func (s *study) findShortWindow() []hit {
	var hits []hit
	for _, v := range s.variants {
		plan, window := s.in.Plans[v.Name], s.shortest(v.Name)
		if plan == nil || plan.Silent || window <= 0 || window >= delays*plan.Delay {
			continue
		}
		text := fmt.Sprintf("the window of %s is shorter than %d times the tracer's delay of %s", window, delays, plan.Delay)
		if s.in.Experiment.Load.Capacity != nil {
			text = fmt.Sprintf("a probe of %s is shorter than %d times the tracer's delay of %s: what is deferred beyond its end does not count, and the capacity may come out too high",
				window, delays, plan.Delay)
		}
		hits = append(hits, hit{text, v.Name})
	}
	return hits
}

// shortest is the length of a variant's windows: what was asked for, or the shortest
// that there was where a number of operations ended them.
func (s *study) shortest(variant string) time.Duration {
	load := s.in.Experiment.Load
	if load.Calls == 0 {
		return load.Duration
	}
	least := load.Duration
	for _, r := range s.all[variant] {
		for _, p := range r.phases {
			took := time.Duration(p.Load.WallSeconds * float64(time.Second)).Round(time.Millisecond)
			if least == 0 || took < least {
				least = took
			}
		}
	}
	return least
}

// findNeverQuiet looks at each operation, and at the end of the runs.
func (s *study) findNeverQuiet() []hit {
	hits := s.perCell(0, func(p *phase) float64 {
		if p.Quiet {
			return 0
		}
		return 1
	}, func(float64) string { return "the sink was never quiet" })
	return append(hits, s.perVariant(0, func(r *run) float64 {
		if r.Stop.Unquiet {
			return 1
		}
		return 0
	}, func(float64) string {
		return "the sink still received when patience with the end of the run was over, so its count is not all"
	})...)
}

func (s *study) findLowRate() []hit {
	return s.perCell(idleShare, func(p *phase) float64 {
		var idle float64
		for _, u := range p.idle {
			if rate, ok := over(u.CPUSeconds, u.Seconds); ok && !u.Role.Harness() {
				idle += rate * p.Load.WallSeconds
			}
		}
		share, _ := over(idle, p.cpu(role.Charge{})) // 0 where nothing was used
		return share
	}, func(worst float64) string {
		return fmt.Sprintf("idle processes would have used up to %s of the CPU", finding.FormatValue(worst, "1"))
	})
}

// findFailedOperations reports any; a variant that fails more often is one that
// does other work.
func (s *study) findFailedOperations() []hit {
	return s.perCell(0, func(p *phase) float64 {
		share, _ := over(float64(p.Load.Failed+p.Load.TimedOut), float64(p.Load.Intended)) // 0 where none was intended
		return share
	}, func(worst float64) string {
		return fmt.Sprintf("up to %s of the operations failed or were not answered in time", finding.FormatValue(worst, "1"))
	})
}

// findUnknown looks at variants that export.
func (s *study) findUnknown() []hit {
	var hits []hit
	for _, v := range s.variants {
		t := s.tracing[v.Name]
		for _, operation := range s.operations() {
			if _, known := t.Spans[operation]; !known && !t.Silent && t.Sampling > 0 && len(s.all[v.Name]) > 0 {
				hits = append(hits, hit{"it is not known how many spans an operation makes, so losses cannot be told", place(cell.At{Operation: operation}, v.Name)})
			}
		}
	}
	return hits
}

func (s *study) findCalibration() []hit {
	var hits []hit
	for _, v := range s.variants {
		plan := s.in.Plans[v.Name]
		if plan == nil {
			continue
		}
		learnt := ledger.Learn(s.calibrations(v.Name), 1, false)
		for _, operation := range s.operations() {
			declared, isDeclared := plan.Spans[operation]
			if per, ok := learnt[operation]; ok && isDeclared && (per.Low > declared.High || per.High < declared.Low) {
				hits = append(hits, hit{fmt.Sprintf("declared are %s spans per operation, the calibration made %s",
					ends(declared.Low, declared.High), ends(per.Low, per.High)), place(cell.At{Operation: operation}, v.Name)})
			}
		}
	}
	return hits
}

func ends(low, high float64) string {
	if low == high {
		return fmt.Sprintf("%.4g", low)
	}
	return fmt.Sprintf("%.4g to %.4g", low, high)
}

func (s *study) findLost() []hit {
	return s.inLedgers(func(l finding.Ledger) (string, bool) {
		return l.Verdict, entry(l, ledger.Dropped)+entry(l, ledger.FailedSend) > 0 && !s.losesOnPurpose(l.Operation)
	})
}

// losesOnPurpose reports whether an operation's search goes beyond the rate at which
// nothing is lost. The ledger has its spans all the same.
func (s *study) losesOnPurpose(operation string) bool {
	return slices.ContainsFunc(s.cells(), func(at cell.At) bool { return at.Operation == operation && s.lossy(at) })
}

func (s *study) findUnaccounted() []hit {
	return s.inLedgers(func(l finding.Ledger) (string, bool) {
		return l.Verdict, entry(l, ledger.Unaccounted) > 0 && !s.losesOnPurpose(l.Operation)
	})
}

func (s *study) findSurplus() []hit {
	return s.inLedgers(func(l finding.Ledger) (string, bool) { return l.Verdict, entry(l, ledger.Unaccounted) < 0 })
}

func (s *study) findDuplicates() []hit {
	return s.inLedgers(func(l finding.Ledger) (string, bool) {
		n := entry(l, ledger.Duplicated)
		return finding.FormatCount(n) + " spans came more than once", n > 0
	})
}

// findSampling looks at what the ledgers say of chance.
func (s *study) findSampling() []hit {
	var hits []hit
	for _, v := range s.variants {
		var runs []ledger.Run
		for _, block := range sortedBlocks(s.all[v.Name]) {
			runs = append(runs, ledger.FromRecord(s.all[v.Name][block].Record))
		}
		for _, operation := range s.operations() {
			if outcome, off := ledger.Chance(operation, s.tracing[v.Name], runs); off {
				hits = append(hits, hit{words.Page(outcome), place(cell.At{Operation: operation}, v.Name)})
			}
		}
	}
	return hits
}

// inLedgers makes a hit of every operation's ledger that bad says is bad; of the whole run's where
// it tells of a loss of operations of which nobody knows how many spans they make.
func (s *study) inLedgers(bad func(finding.Ledger) (string, bool)) []hit {
	var hits []hit
	for _, l := range s.ledgers {
		if l.Operation == ledger.Start || l.Operation == ledger.Stop || l.Operation == ledger.All && ofRun(s.ledgers, l.Variant) == nil {
			continue
		}
		if text, yes := bad(l); yes {
			hits = append(hits, hit{text, place(cell.At{Operation: l.Operation}, l.Variant)})
		}
	}
	return hits
}

// entry is the number of spans of one entry, 0 where there is none.
func entry(l finding.Ledger, name string) int64 {
	for _, e := range l.Entries {
		if e.Name == name {
			return e.Spans
		}
	}
	return 0
}

// findRefused looks for requests that the sink refused whole: broken ones, or datagrams that
// the kernel threw away before they were read.
func (s *study) findRefused() []hit {
	return s.perVariant(0, func(r *run) float64 { return float64(r.Life.Malformed) }, func(worst float64) string {
		return fmt.Sprintf("the sink refused up to %s requests (or datagrams that it was too slow for) of a run", finding.FormatValue(worst, "count"))
	})
}

func (s *study) findEvicted() []hit {
	return s.perVariant(0, func(r *run) float64 { return float64(r.Life.Evicted) }, func(worst float64) string {
		return fmt.Sprintf("the sink forgot up to %s span ids", finding.FormatValue(worst, "count"))
	})
}
