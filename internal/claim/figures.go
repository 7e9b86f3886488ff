// Package claim owns the way from two sides to a verdict: figures by block, their differences and ratios, also where they
// are known only to lie between two ends, the intervals over them, which claims are corrected for each other, whether a
// limit is kept, how many more blocks would settle what is open, and what takes an answer back. It must not know what the
// figures are of, but for searches: it reads where each found its rate to lie.
package claim

import (
	"math"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// Figure is a value of one block. It lies between two ends, which are equal to it where it is exact; an end that is not known
// is infinite.
type Figure struct {
	Block          int
	Low, Mid, High float64
}

// Figures are those of one side, or of a difference of two: one a block, in the order of the blocks.
type Figures []Figure

// Sides are both sides of the samples.
func Sides(samples []finding.Sample) (base, value Figures) {
	for _, s := range samples {
		base = append(base, figure(s.Block, s.Baseline, s.BaselineWithin))
		value = append(value, figure(s.Block, s.Value, s.ValueWithin))
	}
	return base, value
}

func figure(block int, v float64, within *finding.Range) Figure {
	f := Figure{block, v, v, v}
	if within != nil {
		f.Low, f.High = within.Low, math.Inf(1)
		if within.High != nil {
			f.High = *within.High
		}
	}
	return f
}

// Map applies a rising function to the figures.
func (f Figures) Map(rising func(float64) float64) Figures {
	out := make(Figures, len(f))
	for i, x := range f {
		out[i] = Figure{x.Block, rising(x.Low), rising(x.Mid), rising(x.High)}
	}
	return out
}

// Logs are the logarithms; false where a figure has none.
func (f Figures) Logs() (Figures, bool) {
	for _, x := range f {
		if !(x.Mid > 0) || !Sane(x.Mid) {
			return nil, false
		}
	}
	return f.Map(math.Log), true
}

// Minus is the difference in the blocks that both have: of logarithms, the ratio.
func (f Figures) Minus(base Figures) Figures {
	in := map[int]Figure{}
	for _, x := range base {
		in[x.Block] = x
	}
	out := Figures{}
	for _, x := range f {
		if b, both := in[x.Block]; both {
			out = append(out, Figure{x.Block, x.Low - b.High, x.Mid - b.Mid, x.High - b.Low})
		}
	}
	return out
}

// Ratios are the logarithms of value over base; false where one is not above zero, or nothing that can be calculated with.
func Ratios(base, value Figures) (Figures, bool) {
	under, okBase := base.Logs()
	over, okValue := value.Logs()
	if !okBase || !okValue {
		return nil, false
	}
	logs := over.Minus(under)
	for _, x := range logs {
		if !Sane(math.Exp(math.Abs(x.Mid))) {
			return nil, false
		}
	}
	return logs, true
}

// Mean is the mean of figures of the same runs, in the blocks that all have.
func Mean(parts []Figures) Figures {
	if len(parts) == 0 {
		return nil
	}
	in := map[int][]Figure{}
	for _, p := range parts {
		for _, x := range p {
			in[x.Block] = append(in[x.Block], x)
		}
	}
	out := Figures{}
	for _, x := range parts[0] {
		if all := in[x.Block]; len(all) == len(parts) {
			out = append(out, weighted(x.Block, all, nil))
		}
	}
	return out
}

// MeanAcross is the mean of figures of different runs, each with its weight, nil for equal ones: the first block of each, then
// the second, as long as all have one. The blocks of different runs are independent, so it does not matter which are put
// together, and the means are as independent of each other as the blocks are.
func MeanAcross(parts []Figures, weights []float64) Figures {
	out := Figures{}
	for n := 0; len(parts) > 0; n++ {
		var all []Figure
		for _, p := range parts {
			if n < len(p) {
				all = append(all, p[n])
			}
		}
		if len(all) < len(parts) {
			break
		}
		out = append(out, weighted(n+1, all, weights))
	}
	return out
}

func weighted(block int, all []Figure, weights []float64) Figure {
	sum, total := Figure{Block: block}, 0.0
	for i, x := range all {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		sum.Low, sum.Mid, sum.High, total = sum.Low+w*x.Low, sum.Mid+w*x.Mid, sum.High+w*x.High, total+w
	}
	sum.Low, sum.Mid, sum.High = sum.Low/total, sum.Mid/total, sum.High/total
	return sum
}

// Values are the figures themselves, whatever they may lie between.
func (f Figures) Values() []float64 { return f.column(func(x Figure) float64 { return x.Mid }) }

func (f Figures) lows() []float64 { return f.column(func(x Figure) float64 { return x.Low }) }

func (f Figures) highs() []float64 { return f.column(func(x Figure) float64 { return x.High }) }

func (f Figures) column(of func(Figure) float64) []float64 {
	out := make([]float64, len(f))
	for i, x := range f {
		out[i] = of(x)
	}
	return out
}

// Center is the centre of the figures themselves.
func (f Figures) Center() float64 { return stats.Center(f.Values()) }

// Exact reports whether no figure has ends beside it.
func (f Figures) Exact() bool {
	for _, x := range f {
		if x.Low != x.Mid || x.High != x.Mid {
			return false
		}
	}
	return true
}

// open is the number of blocks with an unknown end.
func (f Figures) open() int {
	n := 0
	for _, x := range f {
		if math.IsInf(x.Low, 0) || math.IsInf(x.High, 0) {
			n++
		}
	}
	return n
}

// Least is the half-width that no number of blocks makes smaller; 0 where every block is exact.
func (f Figures) Least() float64 {
	if f.Exact() || f.open() > 0 {
		return 0
	}
	return (stats.Center(f.highs()) - stats.Center(f.lows())) / 2
}

// Sane reports whether a figure can be calculated with: what no process can have
// used comes from a broken record, and must not become an infinity.
func Sane(v float64) bool { return math.Abs(v) < 1e100 }

// AllZero reports whether both sides are 0 in all samples.
func AllZero(samples []finding.Sample) bool {
	for _, s := range samples {
		if s.Baseline != 0 || s.Value != 0 {
			return false
		}
	}
	return true
}

// NoRatio returns the reason why samples have no ratio: the baseline is zero, or the figure of a variant is not above zero in some blocks.
func NoRatio(samples []finding.Sample, against, variant string) finding.Reason {
	base, value := 0, 0
	nothing := true
	for _, s := range samples {
		nothing = nothing && s.Baseline == 0
		if s.Baseline <= 0 {
			base++
		}
		if s.Value <= 0 {
			value++
		}
	}
	who, blocks := against, base
	if value > base {
		who, blocks = variant, value
	}
	if nothing || blocks == 0 {
		return finding.Reason{Code: finding.WhyNoRatio}
	}
	return finding.Reason{Code: finding.WhyNotAbove, Variant: who, Figures: []finding.Figure{
		{Name: "blocks", Value: float64(blocks), Unit: "count"}, {Name: "of", Value: float64(len(samples)), Unit: "count"},
	}}
}

// Resolution returns the largest distance of the two rates of a bracket, as a share;
// 0 where every sample is exact or an end is not known.
func Resolution(samples []finding.Sample) float64 {
	widest := 0.0
	for _, s := range samples {
		for _, r := range []*finding.Range{s.BaselineWithin, s.ValueWithin} {
			if r == nil {
				continue
			}
			if r.High == nil || r.Low <= 0 {
				return 0
			}
			widest = math.Max(widest, *r.High/r.Low-1)
		}
	}
	return widest
}
