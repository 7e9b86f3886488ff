// This file tells what stands against findings.

package warn

import (
	"strings"

	"github.com/tracetax/tracetax/internal/analysis/effect"
	"github.com/tracetax/tracetax/internal/words"
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
			reasons[where] = words.Reason(d.Reason)
		}
		metrics[where] = append(metrics[where], words.MetricOf(d.Metric, d.Charged))
	}
	for _, where := range order {
		names := metrics[where]
		text := names[0] + ": " + reasons[where]
		if len(names) > 1 {
			text += "; likewise " + strings.Join(names[1:], ", ")
		}
		hits = append(hits, hit{text, where})
	}
	return hits
}

// hitsOf makes a hit of each doubt.
func hitsOf(doubts []effect.Doubt) []hit {
	var hits []hit
	for _, d := range doubts {
		hits = append(hits, hit{words.Reason(d.Reason), whereOf(d)})
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

func (s *looker) findLags() []hit  { return together(s.Lags) }
func (s *looker) findModes() []hit { return together(s.Modes) }
func (s *looker) findBelow() []hit { return hitsOf(s.Below) }
func (s *looker) findBends() []hit { return hitsOf(s.Bends) }

func (s *looker) findCarryOver() []hit { return hitsOf(s.CarryOver()) }
