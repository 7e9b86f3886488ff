// Verdicts in a word or a mark, for places that have no room for the sentence.

package report

import (
	"math"
	"strconv"

	"github.com/tracetax/tracetax/internal/finding"
)

// kinds are all verdicts that say something, the worst first.
var kinds = []finding.Kind{
	finding.Over, finding.Overloaded, finding.Costs, finding.CannotTell, finding.NoDifference, finding.Saves, finding.Within,
}

// verdictWord is the verdict in at most a few words.
func verdictWord(v finding.Verdict) string {
	switch v.Kind {
	case finding.Costs:
		return "costs"
	case finding.Saves:
		return "saves"
	case finding.NoDifference:
		return "no difference"
	case finding.Within:
		return "within" + limit(v)
	case finding.Over:
		return "over" + limit(v)
	case finding.CannotTell:
		return "cannot tell"
	case finding.Overloaded:
		return "overloaded"
	}
	return ""
}

// limit is a budget as its owner wrote it: 5 %, not 5.00 %.
func limit(v finding.Verdict) string {
	if v.Budget == nil {
		return ""
	}
	percent := math.Round(*v.Budget*1e6) / 1e4
	return " " + strconv.FormatFloat(percent, 'f', -1, 64) + " %"
}

// verdictMark says the same in one character, so that no meaning hangs on colour.
func verdictMark(k finding.Kind) string {
	switch k {
	case finding.Costs:
		return "▲"
	case finding.Saves:
		return "▼"
	case finding.NoDifference:
		return "="
	case finding.Within:
		return "✓"
	case finding.Over:
		return "✗"
	case finding.CannotTell:
		return "?"
	case finding.Overloaded:
		return "!"
	}
	return ""
}

// verdictStyle is the colour of a verdict on a terminal.
func verdictStyle(k finding.Kind) style {
	switch k {
	case finding.Over, finding.Overloaded:
		return red
	case finding.Costs, finding.CannotTell:
		return yellow
	case finding.Saves, finding.Within:
		return green
	case finding.NoDifference:
		return dim
	}
	return plain
}
