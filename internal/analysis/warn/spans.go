// Checks of the spans: those that came, that did not, and that are unknown.

package warn

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/wording"
)

// findNothingTraced looks at variants that are meant to export, and whose spans never
// came in any run. Where none came in the calibration either none would be expected, and none
// be missed.
func (s *checker) findNothingTraced() []hit {
	var hits []hit
	for _, v := range s.Variants {
		if none, all := s.Untraced(v.Name); all {
			text := fmt.Sprintf("no span came in %s", wording.Counted(len(s.All[v.Name]), "run"))
			hits = append(hits, seen(text+wording.Because(s.CausesOf(v, none, all)), v.Name))
		}
	}
	return hits
}

func (s *checker) findElsewhere() []hit {
	var hits []hit
	for _, one := range s.Elsewhere() {
		hits = append(hits, seen(one.Text, one.Variant))
	}
	return hits
}

// findOwnSampler looks at programs that trace by themselves: asked by the load generator, they trace every operation, although
// their own sampler would take a part.
func (s *checker) findOwnSampler() []hit {
	var hits []hit
	for _, v := range s.Variants {
		calibrations := s.Calibrations(v.Name)
		if traced, of, fewer := ledger.ByItself(calibrations, ledger.Learn(calibrations, 1, false)); fewer && traced > 0 { // see findCallers
			hits = append(hits, seen(fmt.Sprintf("its own sampler takes about %s of the operations (%d of %d without a traceparent), but it follows the load generator, which asks for all of them",
				finding.FormatValue(float64(traced)/float64(of), "1"), traced, of), v.Name))
		}
	}
	return hits
}

// findCallers looks at programs that trace by themselves, and of their own accord no operation: what their callers sample is
// traced, and the load generator asks for all. There is no share to declare.
func (s *checker) findCallers() []hit {
	var hits []hit
	for _, v := range s.Variants {
		calibrations := s.Calibrations(v.Name)
		if traced, of, fewer := ledger.ByItself(calibrations, ledger.Learn(calibrations, 1, false)); fewer && traced == 0 {
			hits = append(hits, seen(fmt.Sprintf(
				"it traced none of %d operations without a traceparent: it traces what its callers sample, and the load generator samples all", of), v.Name))
		}
	}
	return hits
}

// findOwnBaseline finds a baseline without a tracer whose program's own tracers were not switched off, because it has
// variables or arguments of its own.
func (s *checker) findOwnBaseline() []hit {
	for _, v := range s.Variants {
		if v.Name == s.Baseline && v.TracerName() == program.NoTracer && !v.Untraced() {
			return []hit{seen("the baseline has variables, arguments or annotations of its own: tracers in the program's own code were not switched off", v.Name)}
		}
	}
	return nil
}

// findNoSpans leaves variants without any span to findNothingTraced.
func (s *checker) findNoSpans() []hit {
	var hits []hit
	for _, v := range s.Variants {
		none, all := s.Untraced(v.Name)
		if all {
			continue
		}
		for _, l := range none {
			text := fmt.Sprintf("no span came of any of %s operations", finding.FormatCount(int64(l.Operations)))
			hits = append(hits, seen(text+wording.Because(s.CausesOf(v, none, all)), place(cell.At{Operation: l.Operation}, v.Name)))
		}
	}
	return hits
}

// findPacketsBeside looks at variants that capture packets beside others, to which the kernel shows each packet of these, too.
func (s *checker) findPacketsBeside() []hit {
	var hits []hit
	for _, v := range s.Variants {
		if v.Captures() && s.Experiment.Design.Order.Together() && len(s.RunsOf(v.Name)) > 0 {
			hits = append(hits, seen("the kernel looked at the packets of all variants for it, about 0.4 µs of CPU each: the others paid that too, and the difference lacks it", v.Name))
		}
	}
	return hits
}

// findUnkept looks at runs whose spans are to be kept, and are not all.
func (s *checker) findUnkept() []hit {
	var hits []hit
	for _, v := range s.Variants {
		text, runs := "", 0
		for _, r := range s.RunsOf(v.Name) {
			k := r.Kept
			if k == nil || k.Spans >= k.Received && k.Error == "" {
				continue
			}
			why := "they came over another protocol than OTLP"
			if k.Lost > 0 {
				why = cmp.Or(k.Error, "the disk was too slow")
			}
			runs++
			text = fmt.Sprintf("%s of %s spans were not kept: %s", finding.FormatCount(int64(max(k.Received, k.Spans)-k.Spans)), finding.FormatCount(int64(k.Received)), why)
		}
		if runs > 0 {
			hits = append(hits, seen(fmt.Sprintf("%s (in %d of %d runs)", text, runs, len(s.RunsOf(v.Name))), v.Name))
		}
	}
	return hits
}

// findPacketsDropped looks at variants that capture packets.
func (s *checker) findPacketsDropped() []hit {
	var hits []hit
	for _, v := range s.Variants {
		text, runs := "", 0
		for _, r := range s.RunsOf(v.Name) {
			switch p := r.Packets; {
			case p == nil:
			case p.Captured == nil || p.Dropped == nil:
				runs, text = runs+1, "nobody knows how many packets were dropped: "+p.Unreported
			case *p.Dropped > 0:
				runs, text = runs+1, fmt.Sprintf("%s of %s packets were dropped", finding.FormatCount(int64(*p.Dropped)), finding.FormatCount(int64(*p.Dropped+*p.Captured)))
			}
		}
		if runs > 0 {
			hits = append(hits, seen(fmt.Sprintf("%s (in %d of %d runs)", text, runs, len(s.RunsOf(v.Name))), v.Name))
		}
	}
	return hits
}

// findUnknown looks at variants that export.
func (s *checker) findUnknown() []hit {
	var hits []hit
	for _, v := range s.Variants {
		t := s.Tracing[v.Name]
		for _, operation := range s.Operations() {
			if _, known := t.Spans[operation]; !known && !t.Silent && t.Sampling > 0 && len(s.All[v.Name]) > 0 {
				hits = append(hits, seen("the number of spans per operation is unknown, and so are losses", place(cell.At{Operation: operation}, v.Name)))
			}
		}
	}
	return hits
}

func (s *checker) findCalibration() []hit {
	var hits []hit
	for _, v := range s.Variants {
		plan := s.Plans[v.Name]
		if plan == nil {
			continue
		}
		learnt := ledger.Learn(s.Calibrations(v.Name), 1, false)
		differ := func(at, name, of string) {
			declared, isDeclared := plan.Spans[name]
			if per, ok := learnt[name]; ok && isDeclared && (per.Low > declared.High || per.High < declared.Low) {
				hits = append(hits, seen(fmt.Sprintf("the workload declares %s spans per %s, the calibration made %s",
					ends(declared.Low, declared.High), of, ends(per.Low, per.High)), place(cell.At{Operation: at}, v.Name)))
			}
		}
		for _, operation := range s.Operations() {
			differ(operation, operation, "operation")
		}
		for _, mix := range plan.Operations {
			for _, part := range mix.Mix {
				differ(mix.Name, part.Operation.Name, part.Operation.Name)
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

func (s *checker) findLost() []hit {
	return s.inLedgers(func(l finding.Ledger) (string, bool) {
		return l.Verdict, ledger.Reported(l) > 0 && !s.losesOnPurpose(l.Operation)
	})
}

// losesOnPurpose reports whether an operation's search goes beyond the rate at which
// nothing is lost. The ledger has its spans all the same.
func (s *checker) losesOnPurpose(operation string) bool {
	return slices.ContainsFunc(s.Cells(), func(at cell.At) bool { return at.Operation == operation && s.LosesOnPurpose(at) })
}

func (s *checker) findUnaccounted() []hit {
	return s.inLedgers(func(l finding.Ledger) (string, bool) {
		return l.Verdict, ledger.Spans(l, ledger.Unaccounted) > 0 && !s.losesOnPurpose(l.Operation)
	})
}

func (s *checker) findSurplus() []hit {
	return s.inLedgers(func(l finding.Ledger) (string, bool) { return l.Verdict, ledger.Spans(l, ledger.Unaccounted) < 0 })
}

func (s *checker) findDuplicates() []hit {
	return s.inLedgers(func(l finding.Ledger) (string, bool) {
		n := ledger.Spans(l, ledger.Duplicated)
		return finding.FormatCount(n) + " spans came more than once", n > 0
	})
}

// findSampling finds numbers of traces that random sampling does not explain.
func (s *checker) findSampling() []hit {
	var hits []hit
	for _, v := range s.Variants {
		var runs []ledger.Run
		for _, block := range dataset.BlocksIn(s.All[v.Name]) {
			runs = append(runs, ledger.FromRecord(s.All[v.Name][block].Record))
		}
		for _, operation := range s.Operations() {
			if outcome, off := ledger.Chance(operation, s.Tracing[v.Name], runs); off {
				hits = append(hits, seen(wording.Page(outcome), place(cell.At{Operation: operation}, v.Name)))
			}
		}
	}
	return hits
}

// inLedgers returns a hit for every operation's ledger that is bad; for the whole run's if it has a loss of operations
// with an unknown number of spans, or one that may be of any of them.
func (s *checker) inLedgers(bad func(finding.Ledger) (string, bool)) []hit {
	var hits []hit
	for _, l := range s.Ledgers {
		whole := l.Operation == ledger.All
		if whole && ledger.BesideOperations(s.Ledgers, l.Variant) == nil && ledger.OfAnyOperation(s.Ledgers, l.Variant) == nil {
			continue
		}
		if l.Operation == ledger.Start || l.Operation == ledger.Stop {
			continue
		}
		if text, yes := bad(l); yes {
			hits = append(hits, seen(text, place(cell.At{Operation: l.Operation}, l.Variant)))
		}
	}
	return hits
}

// findRefused looks for requests that the sink refused whole: broken ones, or datagrams that
// the kernel threw away before they were read.
func (s *checker) findRefused() []hit {
	return s.perVariant(0, func(r *dataset.Run) float64 { return float64(r.Life.Malformed) }, func(worst float64) string {
		return fmt.Sprintf("the sink refused up to %s requests of a run, or was too slow for as many datagrams", finding.FormatValue(worst, "count"))
	})
}

func (s *checker) findEvicted() []hit {
	return s.perVariant(0, func(r *dataset.Run) float64 { return float64(r.Life.Evicted) }, func(worst float64) string {
		return fmt.Sprintf("the sink forgot up to %s span ids", finding.FormatValue(worst, "count"))
	})
}

// noticeable is a wait that a user may ask about, in seconds.
const noticeable = 0.1

// findWaited warns of tracers whose connection took long.
func (s *checker) findWaited() []hit {
	return s.perVariant(noticeable, func(r *dataset.Run) float64 { return r.Start.ConnectedSeconds }, func(worst float64) string {
		return fmt.Sprintf("the first operation waited up to %s until the tracer was connected", finding.FormatValue(worst, "s"))
	})
}
