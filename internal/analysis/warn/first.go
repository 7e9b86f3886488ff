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

// mostCompiling is the share of a program's CPU that its runtime's compilers may have, beyond which its figures are not those of a
// program that is warm. A fifth is what a warm JVM may have for minutes at a low rate.
const mostCompiling = 0.3

// findCompiling finds variants whose programs were still compiled while they were measured.
func (s *checker) findCompiling() []hit {
	var hits []hit
	for _, at := range s.Cells() {
		for _, v := range s.Variants {
			n, sum := 0, 0.0
			for _, p := range s.PhasesOf(v.Name, at) {
				if p.Compiling != nil {
					n, sum = n+1, sum+*p.Compiling
				}
			}
			if n > 0 && sum > mostCompiling*float64(n) {
				hits = append(hits, seen(fmt.Sprintf("the runtime's compilers took %.0f %% of the program's CPU while it was measured", 100*sum/float64(n)),
					place(at, v.Name)))
			}
		}
	}
	return hits
}
