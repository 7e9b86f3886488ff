// This file says what a sink's counts tell: whether ids were checked, of how many traces something
// came, and whether all operations made the same ones.

package ledger

import (
	"math"

	"github.com/tracetax/tracetax/internal/record"
)

// checked reports whether ids were checked, so that duplicates are known. An
// empty count has nothing to check.
func checked(c record.Counts) bool {
	return c.Spans == 0 || c.Checking && c.Evicted == 0 && c.Unchecked == 0
}

// unchecked is how many spans came whose ids were not checked: duplicates among them look
// like other spans.
func unchecked(c record.Counts) uint64 {
	if c.Checking && c.Evicted == 0 {
		return c.Unchecked
	}
	return c.Spans
}

// seen is the number of traces of which something arrived: by trace id where ids
// were checked, otherwise by root.
func seen(c record.Counts) uint64 {
	if c.Traces > 0 && checked(c) {
		return c.Traces
	}
	return c.Roots
}

// tells reports whether the shapes of traces say something of so many operations: each begins a
// trace of its own, or several.
func tells(c record.Counts, operations uint64) bool {
	return c.Whole() && c.Traces >= operations && operations > 0
}

// alike reports whether so many operations all made the same traces: of every size there is
// one, or some, an operation. Where the traces tell nothing of operations, the sum has to do.
func alike(c record.Counts, operations uint64) bool {
	if !tells(c, operations) {
		return !c.Whole() || c.Traces <= 1 // some began a trace and some did not, or all are in one
	}
	traces := map[int]int64{}
	for _, sizes := range c.Shapes {
		for size, n := range sizes {
			traces[size] += n
		}
	}
	for _, n := range traces {
		if n%int64(operations) != 0 {
			return false
		}
	}
	return true
}

// deviation is the standard deviation of the spans of an operation, as far as traces differ.
func deviation(c record.Counts, operations float64) float64 {
	if !c.Whole() || c.Traces == 0 || operations <= 0 {
		return 0
	}
	without := math.Max(0, operations-float64(c.Traces)) // operations that began none
	mean := float64(c.Told()) / (float64(c.Traces) + without)
	squares := without * mean * mean
	for _, sizes := range c.Shapes {
		for size, n := range sizes {
			squares += float64(n) * (float64(size) - mean) * (float64(size) - mean)
		}
	}
	return math.Sqrt(squares / operations)
}

// single reports whether all traces have so many spans.
func single(shapes record.Shapes, size int) bool {
	for _, sizes := range shapes {
		for n, traces := range sizes {
			if n != size && traces != 0 {
				return false
			}
		}
	}
	return true
}
