// Doubts against findings.

package warn

import (
	"fmt"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/effect"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/wording"
)

// together makes one hit of all doubts at one place: the metrics by name, and
// the reason of the first.
func together(doubts []effect.Doubt) []hit {
	var hits []hit
	var order []string
	metrics, reasons := map[string][]string{}, map[string]string{}
	for _, d := range doubts {
		where := whereOf(d)
		if reasons[where] == "" {
			order = append(order, where)
			reasons[where] = wording.Reason(d.Reason)
		}
		metrics[where] = append(metrics[where], wording.MetricOf(d.Metric, d.Charged))
	}
	for _, where := range order {
		names := metrics[where]
		text := names[0] + ": " + reasons[where]
		if len(names) > 1 {
			text += "; likewise " + strings.Join(names[1:], ", ")
		}
		hits = append(hits, seen(text, where))
	}
	return hits
}

// hitsOf makes a hit of each doubt.
func hitsOf(doubts []effect.Doubt) []hit {
	var hits []hit
	for _, d := range doubts {
		hits = append(hits, seen(wording.Reason(d.Reason), whereOf(d)))
	}
	return hits
}

func whereOf(d effect.Doubt) string {
	where := place(d.At, d.Variant)
	if d.Against != "" {
		where += " against " + d.Against
	}
	return where
}

func (s *checker) findLags() []hit  { return together(s.Lags) }
func (s *checker) findModes() []hit { return together(s.Modes) }
func (s *checker) findBelow() []hit { return hitsOf(s.Below) }
func (s *checker) findBends() []hit { return hitsOf(s.Bends) }

func (s *checker) findSittings() []hit { return hitsOf(s.SittingsDiffer()) }
func (s *checker) findNodes() []hit    { return hitsOf(s.NodesDiffer()) }

func (s *checker) findCarryOver() []hit { return hitsOf(s.CarryOver()) }

// findCausesDisagree finds steps that add something else than profiles see of them.
func (s *checker) findCausesDisagree() (hits []hit) {
	for _, i := range s.Increments() {
		if i.Disagree {
			hits = append(hits, seen(fmt.Sprintf("%s adds %s over %s, and by profiles %s add %s", strings.Join(i.Steps, ", "),
				finding.FormatInterval(*i.Absolute, i.Unit, false), i.Over, strings.Join(i.Stages, ", "), finding.FormatInterval(*i.Profiled, i.Unit, false)),
				place(cell.AtOf(i.Operation, i.Parameter), i.Variant)))
		}
	}
	return hits
}

// Warnings about programs on the way of spans that hold traces until they decide on them.

// longWait is the share of the window beyond which what a hop holds back bends it: its work for the window's spans is done in
// the drain, and the drain is long.
const longWait = 0.2

func (s *checker) findLongWaits() []hit {
	return s.perHop(func(v config.Variant, hop program.Process) (string, bool) {
		waits, window := hop.Waits(), s.Shortest(v.Name)
		return fmt.Sprintf("%s holds a span for %s, over a fifth of the window of %s", hop.Name, waits, window), window > 0 && waits.Seconds() > longWait*window.Seconds()
	})
}

// findLittleRoom takes it that an operation begins a trace: those that come while a hop waits have to find room in it.
func (s *checker) findLittleRoom() []hit {
	return s.perHop(func(v config.Variant, hop program.Process) (string, bool) {
		most, waits := 0.0, hop.Waits()
		for _, at := range s.Cells() {
			for _, p := range s.PhasesOf(v.Name, at) {
				if rate, known := dataset.Over(float64(p.Load.Started), p.Load.WallSeconds); known {
					most = max(most, rate)
				}
			}
		}
		held := most * (waits + time.Second).Seconds() // it decides once a second
		return fmt.Sprintf("%s has room for %s traces, and in the %s that it waits up to %s are begun", hop.Name,
			finding.FormatCount(int64(hop.Room())), waits, finding.FormatCount(int64(held))), hop.Room() > 0 && held > float64(hop.Room())
	})
}

// findLateSpans finds spans that came to a hop when it had decided on their trace already.
func (s *checker) findLateSpans() []hit {
	var hits []hit
	for _, v := range s.Variants {
		for _, hop := range v.Via {
			worst, n := uint64(0), 0
			runs := s.RunsOf(v.Name)
			for _, r := range runs {
				for _, said := range r.Hops {
					if said.Name == hop.Name && said.Late != nil && *said.Late > 0 {
						worst, n = max(worst, *said.Late), n+1
					}
				}
			}
			if n > 0 {
				hits = append(hits, seen(fmt.Sprintf("spans came to %s after it had decided on their trace, up to %s times a run (%d of %d runs)",
					hop.Name, finding.FormatCount(int64(worst)), n, len(runs)), v.Name))
			}
		}
	}
	return hits
}

// perHop makes one hit for each hop that the condition holds for.
func (s *checker) perHop(of func(config.Variant, program.Process) (text string, is bool)) []hit {
	var hits []hit
	for _, v := range s.Variants {
		for _, hop := range v.Via {
			if text, is := of(v, hop); is {
				hits = append(hits, seen(text, v.Name))
			}
		}
	}
	return hits
}

// Processes that wait without sleeping.

// The thresholds of spinning.
const (
	spinShare = 5.0    // involuntary context switches over voluntary ones
	spinRate  = 2000.0 // involuntary ones a second; a program that only computes is preempted some hundred times
)

// findSpinning looks for processes that yield their CPU over and over while they have nothing to do: that counts as CPU
// used, and what tracing adds disappears in it. Searches go to where nothing waits.
func (s *checker) findSpinning() []hit {
	return s.perCell(spinShare, func(p *dataset.Phase) float64 {
		worst := 0.0
		if p.Capacity != nil {
			return 0
		}
		for _, u := range p.Usage {
			rate, known := dataset.Over(float64(u.Involuntary), u.Seconds)
			if !known || rate <= spinRate || u.Role.Harness() {
				continue
			}
			worst = max(worst, float64(u.Involuntary)/max(1, float64(u.ContextSwitches)-float64(u.Involuntary)))
		}
		return worst
	}, func(worst float64) string {
		return fmt.Sprintf("up to %.0f times as many involuntary as voluntary context switches: part of the CPU is waiting", worst)
	})
}
