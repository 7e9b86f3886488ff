package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The etching data of Montgomery, Design and Analysis of Experiments, example 3.1: F = 66.80, and p = 2.88e-9 by R's aov.
func TestGroupsDiffer(t *testing.T) {
	etch := [][]float64{{575, 542, 530, 539, 570}, {565, 593, 590, 579, 610}, {600, 651, 610, 637, 629}, {725, 700, 715, 685, 710}}
	if p := GroupsDiffer(etch); math.Abs(p/2.883e-9-1) > 0.01 {
		t.Errorf("p = %g, want 2.88e-9", p)
	}
	for name, c := range map[string]struct {
		groups [][]float64
		want   float64
	}{
		"one group":            {[][]float64{{1, 2, 3}, {}}, 1},
		"single figures":       {[][]float64{{1}, {2}, {3}}, 1},
		"no difference at all": {[][]float64{{1, 1}, {1, 1}}, 1},
		"the same centres":     {[][]float64{{1, 3}, {1, 3}}, 1},
		"between groups alone": {[][]float64{{1, 1}, {2, 2}}, 0},
		"not a number":         {[][]float64{{1, math.NaN()}, {2, 2}}, 1},
		"none":                 {nil, 1},
	} {
		if p := GroupsDiffer(c.groups); p != c.want {
			t.Errorf("%s: %g, want %g", name, p, c.want)
		}
	}
}

// Groups of one scatter are said to differ as often as is asked for.
func TestGroupsDifferByChance(t *testing.T) {
	const tries = 4000
	r, below := rand.New(rand.NewPCG(1, 2)), 0
	for range tries {
		groups := make([][]float64, 4)
		for i := range groups {
			for range 2 + i {
				groups[i] = append(groups[i], r.NormFloat64())
			}
		}
		if GroupsDiffer(groups) < 0.05 {
			below++
		}
	}
	if share := float64(below) / tries; share < 0.04 || share > 0.06 {
		t.Errorf("%.3f are below 0.05", share)
	}
}
