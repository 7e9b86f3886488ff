// This file asks whether the times over depth go on, at the deepest levels, in the straight line
// of those before.
package effect

import (
	"fmt"
	"math"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// What it takes to call a line bent.
const (
	bendLevels = 4   // levels at least: three below the deepest
	bendShare  = 0.2 // by which slope and base must change for it to matter
)

// bend is how steep what tracing adds is in one block through all levels but the deepest, and
// between the two deepest: seconds for each further call. base is where the line through all but
// the deepest begins, in seconds.
type bend struct{ below, between, base float64 }

// bendOf is the bend of the times added at the depths x, smallest first; false where there are
// too few levels, or no line through those below.
func bendOf(x, added []float64) (bend, bool) {
	last := len(x) - 1
	if len(x) < bendLevels {
		return bend{}, false
	}
	below, ok := stats.FitLine(x[:last], added[:last])
	return bend{below.Slope, (added[last] - added[last-1]) / (x[last] - x[last-1]), below.Base}, ok
}

// bentText says that a further call costs another amount between the two deepest levels than
// below them, in all blocks together, and by so much that slope and base are others without the
// deepest; "" where that is not so, or where the blocks are too few to say so.
func bentText(byBlock map[int]lines, a dataset.Axis, confidence float64) string {
	var below, between, turn, slope, base, moves []float64
	for _, block := range dataset.BlocksIn(byBlock) {
		l := byBlock[block]
		if !l.bends {
			return ""
		}
		below, between = append(below, l.bend.below), append(between, l.bend.between)
		turn, moves = append(turn, l.bend.between-l.bend.below), append(moves, l.bend.base-l.cost.Base)
		slope, base = append(slope, l.cost.Slope), append(base, l.cost.Base)
	}
	e := stats.SignedRank(turn, confidence)
	surely := e.Against(0) == stats.Above || e.Against(0) == stats.Below
	matters := func(change float64, of []float64) bool {
		return math.Abs(change) > bendShare*math.Abs(stats.Center(of))
	}
	if !surely || !matters(e.Center, slope) || !matters(stats.Center(moves), base) {
		return ""
	}
	last, words := len(a.X)-1, levelWords(a)
	return fmt.Sprintf("no straight line: a further call costs %s at depth %s to %s, and %s at %s to %s",
		finding.FormatValue(stats.Center(below), "s"), words[0], words[last-1],
		finding.FormatValue(stats.Center(between), "s"), words[last-1], words[last])
}

func levelWords(a dataset.Axis) []string {
	var words []string
	for _, x := range a.X {
		words = append(words, fmt.Sprintf("%.6g", x))
	}
	return words
}
