// Checks of the runs: those made, and reasons for the missing.

package warn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/wording"
)

func (s *checker) findInterrupted() []hit {
	made, asked := s.Progress()
	if made >= asked {
		return nil
	}
	return []hit{{text: fmt.Sprintf("%d of %d runs %s made", made, asked, map[bool]string{true: "was", false: "were"}[made == 1])}}
}

func (s *checker) findQuick() []hit {
	if !s.Experiment.Design.Quick {
		return nil
	}
	text := "a quick run has short windows and a short warm-up: code that is not compiled yet may cost many times more"
	if s.Any(withoutP99) {
		text += "; a window holds too few operations for latency_p99, which takes 2,000"
	}
	return []hit{{text: text}}
}

// withoutP99 reports whether a run's operations at a rate are too few for the percentile that most look for.
func withoutP99(r *dataset.Run) bool {
	for _, p := range r.ByCell {
		if n := p.Latency.Values(); n > 0 && p.OfferedRate > 0 && p.Load.Driven == nil && p.Capacity == nil && !stats.QuantileSupported(n, 99) {
			return true
		}
	}
	return false
}

func (s *checker) findDeclaredRate() []hit {
	asked := s.Experiment.Design.Unpiloted
	if asked == "" {
		return nil
	}
	return []hit{{text: fmt.Sprintf("a quick run makes no pilots: the rates are those that the workload declares, not %s, and may be far from what the variants can do", asked)}}
}

// findLeftOut warns of every requested variant that could not run here.
func (s *checker) findLeftOut() []hit {
	var hits []hit
	for _, left := range s.leftOut {
		hits = append(hits, seen(left.Variant+" was left out: "+finding.PlainText(left.Reason), left.Variant))
	}
	return hits
}

// findFewBlocks is silent where no run succeeded: the cause of that comes first.
func (s *checker) findFewBlocks() []hit {
	if !s.Any(func(*dataset.Run) bool { return true }) {
		return nil
	}
	var hits []hit
	least := stats.MinBlocks(s.Confidence(claim.Confidence))
	for _, v := range s.Variants[1:] {
		if n := len(s.BlocksOf(v.Name, s.Baseline)); n < least {
			hits = append(hits, seen(fmt.Sprintf("%s with %s and %s: an interval needs %d", wording.Blocks(n), v.Name, s.Baseline, least), v.Name))
		}
	}
	return hits
}

func (s *checker) findFailed() []hit {
	count := map[string]int{}
	for _, r := range s.FailedThemselves() {
		count[r.Variant]++
	}
	var hits []hit
	for _, v := range s.Variants {
		if n := count[v.Name]; n > 0 {
			missing := len(s.All[s.Baseline]) - len(s.BlocksOf(v.Name, s.Baseline))
			text := fmt.Sprintf("%d failed, of %d", n, n+len(s.All[v.Name]))
			if v.Name != s.Baseline && missing > 0 {
				text += "; " + wording.Blocks(missing) + " " + map[bool]string{true: "does", false: "do"}[missing == 1] + " not count"
			}
			hits = append(hits, seen("runs of "+v.Name+": "+text, v.Name))
		}
	}
	return hits
}

// findDisturbed counts the windows that are left out; each variant has as many.
func (s *checker) findDisturbed() []hit {
	left, all, where := 0, 0, []string(nil)
	for _, at := range s.Cells() {
		before := left
		for _, p := range s.PhasesOf(s.Baseline, at) {
			if all += len(p.Turns()); p.LeftOut() {
				left += p.Disturbed()
			}
		}
		if left > before {
			where = append(where, at.String())
		}
	}
	if left == 0 {
		return nil
	}
	return []hit{seen(fmt.Sprintf("other programs, or the host, disturbed %d of %d windows: these are left out of all variants", left, all), fewPlaces(where))}
}

func (s *checker) findDropped() []hit { return spoilHits(s.Dropped, "left out") }

func (s *checker) findKept() []hit { return spoilHits(s.Spoiled, "kept") }

// spoilHits are the blocks that were spoiled, the worst first: a hit for each kind of reason.
func spoilHits(found []dataset.Spoil, what string) []hit {
	var hits []hit
	for len(found) > 0 {
		worst := found[0]
		alike := func(s dataset.Spoil) bool { return s.Reason.Code == worst.Reason.Code }
		var blocks []int
		for _, one := range found {
			if alike(one) {
				blocks = append(blocks, one.Block)
			}
		}
		found = slices.DeleteFunc(slices.Clone(found), alike)
		if len(blocks) == 1 {
			hits = append(hits, seen(what+": "+wording.Reason(worst.Reason), fmt.Sprintf("block %d", worst.Block)))
			continue
		}
		slices.Sort(blocks)
		hits = append(hits, seen(fmt.Sprintf("%s: in block %d, the worst, %s", what, worst.Block, wording.Reason(worst.Reason)), "blocks "+strings.Trim(strings.ReplaceAll(fmt.Sprint(blocks), " ", ", "), "[]")))
	}
	return hits
}

func (s *checker) findStoppedEarly() []hit {
	if !s.Stops() || !s.Stopping().Enough {
		return nil
	}
	d := s.Experiment.Design
	return []hit{{text: fmt.Sprintf("the number of blocks was not fixed (%d to %d): every interval is widened to keep its confidence", d.Blocks, d.Most)}}
}

func (s *checker) findImprecise() []hit {
	if !s.Stops() {
		return nil
	}
	at := s.Stopping()
	switch {
	case at.Unknown:
		return []hit{{text: "the precision is of " + s.PrecisionMetric() + ", which was not measured"}}
	case at.Enough || !at.AtMost:
		return nil
	case at.Width < 1e3:
		text := fmt.Sprintf("the widest interval is ±%s, not the %s that was asked for", finding.FormatBound(at.Width, "1", true), s.PrecisionText())
		if least := s.LeastWidth(s.Experiment.Design.Metric); least >= s.Experiment.Design.Precision {
			text += fmt.Sprintf("; the searches find their rates only to within ±%s: a finer resolution would help, more blocks would not",
				finding.FormatBound(least, "1", true))
		}
		return []hit{{text: text}}
	}
	return []hit{{text: "there is no interval, although the most blocks were made"}}
}

// findBeside warns of starts beside variants that were not calm, which makes them longer.
func (s *checker) findBeside() []hit {
	beside := map[string][]string{}
	hits := s.perVariant(0, func(r *dataset.Run) float64 {
		beside[r.Variant] = append(beside[r.Variant], r.Start.Beside...)
		return float64(len(r.Start.Beside))
	}, func(float64) string { return "" })
	for i := range hits {
		names := beside[hits[i].where]
		slices.Sort(names)
		hits[i].text = "it started while others still worked: " + strings.Join(slices.Compact(names), ", ")
	}
	return hits
}

// findLaunchers warns of processes in which several programs loaded the tracer.
func (s *checker) findLaunchers() []hit {
	var hits []hit
	for _, v := range s.Variants {
		loaded := map[string][]string{}
		for _, r := range s.RunsOf(v.Name) {
			for process, commands := range r.Loaded {
				if len(commands) > len(loaded[process]) {
					loaded[process] = commands
				}
			}
		}
		for _, process := range slices.Sorted(maps.Keys(loaded)) {
			commands := slices.Clone(loaded[process])
			for i := range commands {
				commands[i] = finding.PlainText(commands[i])
			}
			hits = append(hits, seen(fmt.Sprintf("%d programs of process %s loaded the tracer: %s", len(commands), process, strings.Join(commands, "; ")), v.Name))
		}
	}
	return hits
}

// findMissed names the libraries of a program that its tracer reports not to instrument.
func (s *checker) findMissed() []hit {
	var hits []hit
	for _, v := range s.Variants {
		missed := s.Missed(v.Name)
		for _, name := range slices.Sorted(maps.Keys(missed)) {
			hits = append(hits, seen(fmt.Sprintf("%s does not instrument %s: %s", v.TracerName(), finding.PlainText(name), finding.PlainText(missed[name])), v.Name))
		}
	}
	return hits
}

// findShadowed warns of packages that a variant has in other versions than the program without its tracer.
func (s *checker) findShadowed() []hit {
	return s.perProcess(func(one finding.Shadowed) string {
		if one.Package == "" {
			return ""
		}
		return one.Package + " " + one.Own + " → " + one.Tracer
	}, func(process, list string) string {
		return "the tracer replaces packages of process " + process + ", which changes its cost: " + list
	})
}

func (s *checker) findUnknownPackages() []hit {
	return s.perProcess(func(one finding.Shadowed) string { return one.Unknown }, func(process, list string) string {
		return "the packages of process " + process + " that the tracer replaces are unknown: " + list
	})
}

// perProcess makes one hit of all reports about a process of a variant.
func (s *checker) perProcess(tell func(finding.Shadowed) string, text func(process, list string) string) []hit {
	var hits []hit
	type at struct{ variant, process string }
	lists := map[at][]string{}
	var order []at
	for _, one := range s.shadowed {
		told := tell(one)
		if told == "" {
			continue
		}
		where := at{one.Variant, one.Process}
		if lists[where] == nil {
			order = append(order, where)
		}
		lists[where] = append(lists[where], finding.PlainText(told))
	}
	for _, where := range order {
		hits = append(hits, seen(text(where.process, strings.Join(lists[where], ", ")), where.variant))
	}
	return hits
}

// findRuntimes finds variants on another runtime than the baseline: their cost includes the
// difference between the two.
func (s *checker) findRuntimes() []hit {
	base := s.Runtime(s.Baseline)
	var hits []hit
	for _, v := range s.Variants {
		if own := s.Runtime(v.Name); base != "" && own != "" && own != base {
			hits = append(hits, seen(fmt.Sprintf("it ran on %s, and %s on %s", own, s.Baseline, base), v.Name))
		}
	}
	return hits
}
