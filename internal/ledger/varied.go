// How sure it is that every operation makes the same number of spans: thousands in the runs may show what a few of a calibration did not.
// And operations of which a few make more than most: a check of a connection that has been idle, a batch that is full. Those of the
// least number are most of them, and how rare the others are shows over all runs.

package ledger

import (
	"math"

	"github.com/tracetax/tracetax/internal/record"
)

// standardErrors is the number of standard errors, 99.9 %, by which a number that varies from
// operation to operation is widened. One that is on average k is taken to vary by k/2 at least.
const standardErrors = 3.3

// overlooked is the chance that is taken of missing a variation.
const overlooked = 0.001

// rare returns the largest share of operations that may make another number of spans although n
// operations all made the same number. 20 leave 29 %, 10,000 leave 0.07 %.
func rare(n uint64) float64 { return 1 - math.Pow(overlooked, 1/float64(n)) }

// mostlyLeast returns the least number of spans of so many traces, one an operation, that at least half of them have, and by how many the
// largest has more.
func mostlyLeast(c record.Counts, operations uint64) (least, above int, mostly bool) {
	if !tells(c, operations) || c.Traces != operations || len(c.Shapes) != 1 {
		return 0, 0, false
	}
	most := 0
	for _, sizes := range c.Shapes {
		for size, n := range sizes {
			if n < 0 {
				return 0, 0, false
			}
			if n > 0 && (least == 0 || size < least) {
				least = size
			}
			most = max(most, size)
		}
		mostly = 2*sizes[least] >= int64(operations)
	}
	return least, most - least, mostly && most > least
}

// chanced is how many more there may be of what was seen so many times, but for one case in a thousand.
func chanced(times float64) float64 { return standardErrors*math.Sqrt(times) - math.Log(overlooked) }

// further returns how many more of so many traces may be larger than those that are, if spans of them were lost.
func (p PerOperation) further(many, of float64) float64 {
	if p.share == 0 {
		return chanced(many)
	}
	return math.Max(0, p.share*of-many)
}

// holds reports whether all traces have the least number of spans, or as many more as some are known to have.
func (p PerOperation) holds(shapes record.Shapes) bool {
	for root, sizes := range shapes {
		least, own := p.Roots[root]
		for size, n := range sizes {
			if n != 0 && (!own || n < 0 || size < least || size > least+p.Above) {
				return false
			}
		}
	}
	return true
}
