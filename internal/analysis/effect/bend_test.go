package effect

import (
	"math"
	"testing"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/stats"
)

// Three levels are too few to tell a bend, and so are blocks of which some bend the other way.
func TestBendsThatAreNone(t *testing.T) {
	if _, ok := bendOf([]float64{2, 4, 8}, []float64{1, 2, 9}); ok {
		t.Error("three levels")
	}
	a := dataset.Axis{Parameter: cell.Depth, X: []float64{2, 4, 8, 16}}
	of := func(added ...[]float64) map[int]lines {
		out := map[int]lines{}
		for i, y := range added {
			var l lines
			l.cost, _ = stats.FitLine(a.X, y)
			l.bend, l.bends = bendOf(a.X, y)
			out[i] = l
		}
		return out
	}
	up, down, little := []float64{2, 4, 8, 32}, []float64{2, 4, 8, 8}, []float64{2, 4, 8, 17}
	r := bent(of(up, up, up, up, up, up), a, 0.95)
	for name, want := range map[string]float64{"below": 1, "between": 3, "first": 2, "before": 8, "last": 16} {
		if r == nil || math.Abs(r.Figure(name)-want) > 1e-9 {
			t.Errorf("%s: %+v, want %g", name, r, want)
		}
	}
	for name, blocks := range map[string]map[int]lines{
		"both ways": of(up, down, up, down, up, up), "little": of(little, little, little, little, little, little), "few blocks": of(up, up, up, up, up),
	} {
		if r := bent(blocks, a, 0.95); r != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
