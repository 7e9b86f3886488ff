// Warnings about programs on the way of spans that hold traces until they decide on them.

package warn

import (
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
)

// longWait is the share of the window beyond which what a hop holds back bends it: its work for the window's spans is done in
// the drain, and the drain is long.
const longWait = 0.2

func (s *looker) findLongWaits() []hit {
	return s.perHop(func(v config.Variant, hop config.Process) (string, bool) {
		waits, window := hop.Waits(), s.Shortest(v.Name)
		return fmt.Sprintf("%s holds a span for %s, over a fifth of the window of %s", hop.Name, waits, window), window > 0 && waits.Seconds() > longWait*window.Seconds()
	})
}

// findLittleRoom takes it that an operation begins a trace: those that come while a hop waits have to find room in it.
func (s *looker) findLittleRoom() []hit {
	return s.perHop(func(v config.Variant, hop config.Process) (string, bool) {
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
func (s *looker) findLateSpans() []hit {
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
				hits = append(hits, hit{fmt.Sprintf("spans came to %s after it had decided on their trace, up to %s times a run (%d of %d runs)",
					hop.Name, finding.FormatCount(int64(worst)), n, len(runs)), v.Name})
			}
		}
	}
	return hits
}

// perHop makes one hit a hop of which something is true.
func (s *looker) perHop(of func(config.Variant, config.Process) (text string, is bool)) []hit {
	var hits []hit
	for _, v := range s.Variants {
		for _, hop := range v.Via {
			if text, is := of(v, hop); is {
				hits = append(hits, hit{text, v.Name})
			}
		}
	}
	return hits
}
