// Reading an estimate, and the ratios it is made from.

package stats

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestAgainst(t *testing.T) {
	e := Estimate{Center: 2, Low: 1, High: 3, Bounded: true}
	for limit, want := range map[float64]Position{0.9: Above, 1: Straddles, 2: Straddles, 3: Straddles, 3.1: Below, math.Inf(1): Below, math.Inf(-1): Above} {
		if got := e.Against(limit); got != want {
			t.Errorf("1 to 3 against %g: %d, want %d", limit, got, want)
		}
	}
	if got := e.Against(math.NaN()); got != Straddles {
		t.Errorf("against NaN: %d", got)
	}
	if got := (Estimate{Center: 2}).Against(0); got != Unknown {
		t.Errorf("no interval against 0: %d", got)
	}
}

func TestHidden(t *testing.T) {
	for _, c := range []struct{ low, high, want float64 }{{-2, 1, 2}, {-1, 2, 2}, {1, 2, 2}, {-3, -2, 3}} {
		if got := (Estimate{Low: c.low, High: c.high, Bounded: true}).Hidden(); got != c.want {
			t.Errorf("%g to %g hides %g, want %g", c.low, c.high, got, c.want)
		}
	}
	if got := (Estimate{}).Hidden(); !math.IsInf(got, 1) {
		t.Errorf("no interval hides %g", got)
	}
}

func TestLogRatios(t *testing.T) {
	logs, err := LogRatios([]float64{1, 2, 1e-300}, []float64{2, 1, 1e300})
	if err != nil || !near(logs[0], math.Ln2, 1e-15) || !near(logs[1], -math.Ln2, 1e-15) || !near(logs[2], 600*math.Ln10, 1e-14) {
		t.Errorf("%v, %v", logs, err)
	}
	for _, odd := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := LogRatios([]float64{1, odd}, []float64{1, 1}); !errors.Is(err, ErrNoRatio) {
			t.Errorf("baseline %g: %v", odd, err)
		}
		if _, err := LogRatios([]float64{1, 1}, []float64{1, odd}); !errors.Is(err, ErrNoRatio) {
			t.Errorf("value %g: %v", odd, err)
		}
	}
	if _, err := LogRatios([]float64{1}, nil); err == nil || errors.Is(err, ErrNoRatio) {
		t.Errorf("one baseline value, none of the variant: %v", err)
	}
}

func TestDifferences(t *testing.T) {
	if d, err := Differences([]float64{1, 0}, []float64{3, -1}); err != nil || !slices.Equal(d, []float64{2, -1}) {
		t.Errorf("%v, %v", d, err)
	}
	if _, err := Differences([]float64{1}, nil); err == nil {
		t.Error("one baseline value, none of the variant: no error")
	}
}

func TestRatio(t *testing.T) {
	e := Ratio(Estimate{Center: math.Log(1.1), Low: math.Log(0.9), High: math.Log(1.3), Confidence: 0.96, N: 8, Bounded: true})
	if !near(e.Center, 0.1, 1e-12) || !near(e.Low, -0.1, 1e-12) || !near(e.High, 0.3, 1e-12) || e.Confidence != 0.96 || e.N != 8 || !e.Bounded {
		t.Errorf("%+v", e)
	}
	if e := Ratio(Estimate{Center: math.Ln2}); e.Low != 0 || e.High != 0 || e.Bounded || !near(e.Center, 1, 1e-12) {
		t.Errorf("without an interval: %+v", e)
	}
}

func TestLogLimit(t *testing.T) {
	for relative, want := range map[float64]float64{0: 0, 1: math.Ln2, -0.5: -math.Ln2, -1: math.Inf(-1), -2: math.Inf(-1)} {
		if got := LogLimit(relative); got != want && !near(got, want, 1e-14) {
			t.Errorf("LogLimit(%g) = %g, want %g", relative, got, want)
		}
	}
}

// Twice as much and half as much are equally far from no change.
func TestRatioIsSymmetric(t *testing.T) {
	r := seeded(8)
	a, b := sample(r, 12, exchangeable[1].draw), sample(r, 12, exchangeable[1].draw)
	there := Ratio(SignedRank(must(LogRatios(a, b)), 0.95))
	back := Ratio(SignedRank(must(LogRatios(b, a)), 0.95))
	if !near((1+there.Center)*(1+back.Center), 1, 1e-12) || !near((1+there.Low)*(1+back.High), 1, 1e-12) {
		t.Errorf("there %+v, back %+v", there, back)
	}
}

func TestQuantileSupported(t *testing.T) {
	for _, c := range []struct {
		n          uint64
		percentile float64
		want       bool
	}{
		{40, 50, true}, {39, 50, false}, {2000, 99, true}, {1999, 99, false},
		{20_000, 99.9, true}, {19_999, 99.9, false}, {200_000, 99.99, true}, {199_999, 99.99, false},
		{20, 0, true}, {0, 0, false}, {math.MaxUint64, 100, false}, {1000, -1, false}, {1000, math.NaN(), false},
	} {
		if got := QuantileSupported(c.n, c.percentile); got != c.want {
			t.Errorf("%d values for percentile %g: %t", c.n, c.percentile, got)
		}
	}
}
