// Warnings about programs that were still warming up.

package warn

import (
	"fmt"
	"math"

	"github.com/tracetax/tracetax/internal/analysis/measure"
)

// What came first in a run is dearer if each run in which it did cost so many times what the dearest other run did. One such run
// may be a pause of the machine: it has to cost more.
const (
	firstDearer    = 1.25
	oneFirstDearer = 2
)

// findFirstDearer finds operations that cost more wherever they were the first of a run's: the program had not warmed up.
func (s *checker) findFirstDearer() []hit {
	var hits []hit
	for _, at := range s.Cells() {
		headline := measure.Headline(s.RegimeOf(at))
		for _, v := range s.Variants {
			n, cheapest, others, dearest := 0, math.Inf(1), 0, 0.0
			for block, cost := range headline.ByBlock(s.Set, v.Name, at) {
				if headline.Better == "higher" {
					cost = 1 / cost
				}
				if s.Runs[v.Name][block].ByCell[at].Position == 0 {
					n, cheapest = n+1, min(cheapest, cost)
				} else {
					others, dearest = others+1, max(dearest, cost)
				}
			}
			needed := firstDearer
			if n == 1 {
				needed = oneFirstDearer
			}
			if n > 0 && others > 1 && dearest > 0 && cheapest > needed*dearest {
				hits = append(hits, seen(fmt.Sprintf("where it came first (%d of %d runs), it cost at least %.2g times as much as elsewhere",
					n, n+others, cheapest/dearest), place(at, v.Name)))
			}
		}
	}
	return hits
}
