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

// The looms of Montgomery, Design and Analysis of Experiments, example 3.11: variances of 6.96 between and 1.90 within.
func TestComponents(t *testing.T) {
	looms := [][]float64{{98, 97, 99, 96}, {91, 90, 93, 92}, {}, {96, 95, 97, 95}, {95, 96, 99, 98}}
	between, within, known := Components(looms)
	if !known || math.Abs(between*between-6.96) > 0.005 || math.Abs(within*within-1.90) > 0.005 {
		t.Errorf("variances %.3f between, %.3f within, known: %t", between*between, within*within, known)
	}
	for name, c := range map[string]struct {
		groups          [][]float64
		between, within float64
		known           bool
	}{
		"one group":                 {[][]float64{{1, 2}, {}}, 0, 0, false},
		"one with two":              {[][]float64{{1, 2}, {3}, {4}}, 0, 0, false},
		"nothing between":           {[][]float64{{1, 3}, {1, 3}}, 0, math.Sqrt2, true},
		"nothing within":            {[][]float64{{1, 1}, {3, 3}}, math.Sqrt2, 0, true},
		"of several sizes":          {[][]float64{{1, 1, 1, 1}, {3, 3}, {5}}, math.Sqrt(26.0 / 7), 0, true}, // n0 = (7 - 21/7) / 2
		"none":                      {nil, 0, 0, false},
		"not a number is not known": {[][]float64{{1, math.NaN()}, {2, 2}}, 0, 0, false},
	} {
		between, within, known := Components(c.groups)
		if known != c.known || known && (math.Abs(between-c.between) > 1e-9 || math.Abs(within-c.within) > 1e-9) {
			t.Errorf("%s: %g between, %g within, known: %t", name, between, within, known)
		}
	}
}

// Of groups that are drawn the two parts come out, on average of their variances.
func TestComponentsByChance(t *testing.T) {
	const tries, of = 2000, 0.5
	r := rand.New(rand.NewPCG(3, 4))
	var outside, inside float64
	for range tries {
		groups := make([][]float64, 8)
		for i := range groups {
			centre := of * r.NormFloat64()
			for range 3 + i%3 {
				groups[i] = append(groups[i], centre+r.NormFloat64())
			}
		}
		between, within, _ := Components(groups)
		outside, inside = outside+between*between/tries, inside+within*within/tries
	}
	if math.Abs(inside-1) > 0.02 || outside < of*of || outside > 1.2*of*of { // it is never below 0, which biases it a little
		t.Errorf("variances %.3f between, %.3f within, want about 0.25 and 1", outside, inside)
	}
}
