// This file asks whether the times over depth go on, at the deepest levels, in the straight line
// of those before.

package effect

import (
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

// bent says that a further call costs another amount between the two deepest levels than
// below them, in all blocks together, and by so much that slope and base are others without the
// deepest; nil where that is not so, or where the blocks are too few to say so.
func bent(byBlock map[int]lines, a dataset.Axis, confidence float64) *finding.Reason {
	var below, between, turn, slope, base, moves []float64
	for _, block := range dataset.BlocksIn(byBlock) {
		l := byBlock[block]
		if !l.bends {
			return nil
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
		return nil
	}
	last := len(a.X) - 1
	return &finding.Reason{Code: finding.WhyBent, Figures: []finding.Figure{
		{Name: "below", Value: stats.Center(below), Unit: "s"}, {Name: "between", Value: stats.Center(between), Unit: "s"},
		{Name: "first", Value: a.X[0], Unit: "count"}, {Name: "before", Value: a.X[last-1], Unit: "count"}, {Name: "last", Value: a.X[last], Unit: "count"},
	}}
}

// depths are the levels of an axis as figures.
func depths(a dataset.Axis) []finding.Figure {
	var out []finding.Figure
	for _, x := range a.X {
		out = append(out, finding.Figure{Name: "depth", Value: x, Unit: "count"})
	}
	return out
}
