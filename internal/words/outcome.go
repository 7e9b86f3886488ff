package words

import "github.com/tracetax/tracetax/internal/record"

// Outcome says how the search for a capacity ended.
func Outcome(o record.Outcome) string {
	switch o {
	case record.ByGenerator:
		return "bounded by the generator"
	case record.AboveMax:
		return "above the most asked for"
	case record.BelowLeast:
		return "below the lowest rate that can be asked"
	case record.Saturated:
		return "saturated before the target"
	case record.NoSpans:
		return "no spans to lose"
	}
	return string(o)
}
