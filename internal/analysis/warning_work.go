// This file checks the work: the app under load, and its spans.
package analysis

import (
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/role"
)

// The thresholds of the checks of the work.
const (
	throttledShare = 0.01 // of the time read
	delays         = 5    // a window's least length in delays of the tracer
	idleShare      = 0.2  // of a window's CPU that would have been used idle
)

func (s *study) findOverloaded() []hit {
	var hits []hit
	for _, at := range s.Cells() {
		for _, v := range s.Variants {
			if text, yes := s.Overloaded(v.Name, at); yes {
				what := ": no latency is compared"
				if metric.Driven.Has(s.RegimeOf(at)) {
					what = ": its figures are of the rate reached"
				}
				hits = append(hits, hit{text + what, place(at, v.Name)})
				continue
			}
			n := 0
			phases := s.PhasesOf(v.Name, at)
			for _, p := range phases {
				if offer, asked := s.Offer(p); asked && !offer.Held() {
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

// findShortWindow looks at windows, and at the probes of a search: these are held
// against their goal by what is seen while operations are made, so that what the
// tracer defers beyond the last of them is missed.
func (s *study) findShortWindow() []hit {
	var hits []hit
	for _, v := range s.Variants {
		plan, window := s.Plans[v.Name], s.Shortest(v.Name)
		if plan == nil || plan.Silent || window <= 0 || window >= delays*plan.Delay {
			continue
		}
		text := fmt.Sprintf("the window of %s is shorter than %d times the tracer's delay of %s", window, delays, plan.Delay)
		if s.Experiment.Load.Capacity != nil {
			text = fmt.Sprintf("a probe of %s is shorter than %d times the tracer's delay of %s: what is deferred beyond its end does not count, and the capacity may come out too high",
				window, delays, plan.Delay)
		}
		hits = append(hits, hit{text, v.Name})
	}
	return hits
}

// findNeverQuiet looks at each operation, and at the end of the runs.
func (s *study) findNeverQuiet() []hit {
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
		return "the sink still received when patience with the end of the run was over, so its count is not all"
	})...)
}

func (s *study) findLowRate() []hit {
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
func (s *study) findFailedOperations() []hit {
	return s.perCell(0, func(p *dataset.Phase) float64 {
		share, _ := dataset.Over(float64(p.Load.Failed+p.Load.TimedOut), float64(p.Load.Intended)) // 0 where none was intended
		return share
	}, func(worst float64) string {
		return fmt.Sprintf("up to %s of the operations failed or were not answered in time", finding.FormatValue(worst, "1"))
	})
}

// findUnknown looks at variants that export.
func (s *study) findUnknown() []hit {
	var hits []hit
	for _, v := range s.Variants {
		t := s.tracing[v.Name]
		for _, operation := range s.Operations() {
			if _, known := t.Spans[operation]; !known && !t.Silent && t.Sampling > 0 && len(s.All[v.Name]) > 0 {
				hits = append(hits, hit{"it is not known how many spans an operation makes, so losses cannot be told", place(cell.At{Operation: operation}, v.Name)})
			}
		}
	}
	return hits
}

func (s *study) findCalibration() []hit {
	var hits []hit
	for _, v := range s.Variants {
		plan := s.Plans[v.Name]
		if plan == nil {
			continue
		}
		learnt := ledger.Learn(s.Calibrations(v.Name), 1, false)
		for _, operation := range s.Operations() {
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
		return l.Verdict, ledger.Spans(l, ledger.Dropped)+ledger.Spans(l, ledger.FailedSend) > 0 && !s.losesOnPurpose(l.Operation)
	})
}

// losesOnPurpose reports whether an operation's search goes beyond the rate at which
// nothing is lost. The ledger has its spans all the same.
func (s *study) losesOnPurpose(operation string) bool {
	return slices.ContainsFunc(s.Cells(), func(at cell.At) bool { return at.Operation == operation && s.LosesOnPurpose(at) })
}

func (s *study) findUnaccounted() []hit {
	return s.inLedgers(func(l finding.Ledger) (string, bool) {
		return l.Verdict, ledger.Spans(l, ledger.Unaccounted) > 0 && !s.losesOnPurpose(l.Operation)
	})
}

func (s *study) findSurplus() []hit {
	return s.inLedgers(func(l finding.Ledger) (string, bool) { return l.Verdict, ledger.Spans(l, ledger.Unaccounted) < 0 })
}

func (s *study) findDuplicates() []hit {
	return s.inLedgers(func(l finding.Ledger) (string, bool) {
		n := ledger.Spans(l, ledger.Duplicated)
		return finding.FormatCount(n) + " spans came more than once", n > 0
	})
}

// findSampling looks at what the ledgers say of chance.
func (s *study) findSampling() []hit {
	var hits []hit
	for _, v := range s.Variants {
		var runs []ledger.Run
		for _, block := range dataset.BlocksIn(s.All[v.Name]) {
			runs = append(runs, ledger.FromRecord(s.All[v.Name][block].Record))
		}
		for _, operation := range s.Operations() {
			if text, off := ledger.Chance(operation, s.tracing[v.Name], runs); off {
				hits = append(hits, hit{text, place(cell.At{Operation: operation}, v.Name)})
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
		if l.Operation == ledger.Start || l.Operation == ledger.Stop || l.Operation == ledger.All && ledger.BesideOperations(s.ledgers, l.Variant) == nil {
			continue
		}
		if text, yes := bad(l); yes {
			hits = append(hits, hit{text, place(cell.At{Operation: l.Operation}, l.Variant)})
		}
	}
	return hits
}

// findRefused looks for requests that the sink refused whole: broken ones, or datagrams that
// the kernel threw away before they were read.
func (s *study) findRefused() []hit {
	return s.perVariant(0, func(r *dataset.Run) float64 { return float64(r.Life.Malformed) }, func(worst float64) string {
		return fmt.Sprintf("the sink refused up to %s requests (or datagrams that it was too slow for) of a run", finding.FormatValue(worst, "count"))
	})
}

func (s *study) findEvicted() []hit {
	return s.perVariant(0, func(r *dataset.Run) float64 { return float64(r.Life.Evicted) }, func(worst float64) string {
		return fmt.Sprintf("the sink forgot up to %s span ids", finding.FormatValue(worst, "count"))
	})
}

// findRuntimes says it of those that ran on another one than the baseline: what they cost is
// then also the difference between the two.
func (s *study) findRuntimes() []hit {
	base := s.Runtime(s.Baseline)
	var hits []hit
	for _, v := range s.Variants {
		if own := s.Runtime(v.Name); base != "" && own != "" && own != base {
			hits = append(hits, hit{fmt.Sprintf("it ran on %s, and %s on %s", own, s.Baseline, base), v.Name})
		}
	}
	return hits
}
