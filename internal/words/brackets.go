package words

import "github.com/tracetax/tracetax/internal/estimate"

// OpenBrackets says why there is no interval of brackets; "" where that is not why.
func OpenBrackets(e *estimate.Extent) string {
	if e == nil || e.Open() == 0 {
		return ""
	}
	return "in " + Blocks(e.Open()) + " the search found a rate that passed or one that did not, but not both"
}
