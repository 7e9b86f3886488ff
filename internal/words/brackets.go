package words

import "github.com/tracetax/tracetax/internal/estimate"

// OpenBrackets says why there is no interval of brackets; "" where that is not why.
func OpenBrackets(e *estimate.Extent) string {
	if e == nil || e.Open() == 0 {
		return ""
	}
	return "in " + Blocks(e.Open()) + " the search found a rate that passed or one that did not, but not both"
}

// FinerSearch says what settles what a bracket leaves open.
const FinerSearch = "the searches leave that open, each knows its rate only to within its resolution: a finer one (for a staircase, a smaller step) would help, more blocks would not"
