package claim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
)

// Both are worked examples of Hollander and Wolfe, Nonparametric Statistical Methods, 2nd ed. 1999: 3.1 with 3.3 and 3.4, depression
// before and after therapy; 4.1 with 4.2 and 4.3, permeability of tissue at two ages.
func TestPublishedIntervals(t *testing.T) {
	before, after := exact(1.83, .50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30), exact(.878, .647, .598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29)
	term := exact(.80, .83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, .73, 1.46)
	early := exact(1.15, .88, .90, .74, 1.21)
	for name, c := range map[string]struct {
		of                *Evidence
		center, low, high float64
		blocks            int
	}{
		"within blocks": {Paired(after.Minus(before), false, Given), -.46, -.786, -.010, 9},
		"of their own":  {Apart(term, early, false, Given), -.305, -.76, .15, 5},
	} {
		got := c.of.Interval(0.95)
		if !near(got.Estimate, c.center) || !near(*got.Low, c.low) || !near(*got.High, c.high) || c.of.Blocks() != c.blocks {
			t.Errorf("%s: %v (%v to %v) of %d blocks", name, got.Estimate, *got.Low, *got.High, c.of.Blocks())
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// Differences are within blocks that both have, in whatever order these are.
func TestMinus(t *testing.T) {
	value := Figures{{1, 9, 10, 11}, {2, 20, 20, 20}, {4, 40, 40, 40}}
	base := Figures{{4, 1, 2, math.Inf(1)}, {3, 3, 3, 3}, {1, 1, 2, 3}}
	want := Figures{{1, 6, 8, 10}, {4, math.Inf(-1), 38, 39}}
	if got := value.Minus(base); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v", got)
	}
}

func TestMeans(t *testing.T) {
	a, b := Figures{{1, 0, 1, 2}, {2, 4, 4, 4}, {5, 7, 7, 7}}, Figures{{5, 9, 9, 9}, {1, 3, 3, 3}}
	for name, c := range map[string]struct{ got, want Figures }{
		"of the same runs":  {Mean([]Figures{a, b}), Figures{{1, 1.5, 2, 2.5}, {5, 8, 8, 8}}},
		"of other runs":     {MeanAcross([]Figures{a, b}, nil), Figures{{1, 4.5, 5, 5.5}, {2, 3.5, 3.5, 3.5}}},
		"with their weight": {MeanAcross([]Figures{a, b}, []float64{3, 1}), Figures{{1, 2.25, 3, 3.75}, {2, 3.75, 3.75, 3.75}}},
		"of none":           {append(Mean(nil), MeanAcross(nil, nil)...), nil},
	} {
		same := len(c.got) == len(c.want)
		for i := range c.want {
			same = same && c.got[i] == c.want[i]
		}
		if !same {
			t.Errorf("%s: %+v, want %+v", name, c.got, c.want)
		}
	}
}

// What has no logarithm, or a ratio that nothing can be calculated with, has no ratio.
func TestRatios(t *testing.T) {
	for name, c := range map[string]struct {
		base, value float64
		want        bool
	}{
		"above zero": {1, 2, true}, "nothing": {0, 2, false}, "below it": {1, -2, false}, "infinite": {1, math.Inf(1), false},
		"not known": {math.NaN(), 1, false}, "too large": {1e-60, 1e60, false},
	} {
		logs, ok := Ratios(exact(1, c.base), exact(1, c.value))
		if ok != c.want || ok && !near(logs[1].Mid, math.Log(c.value/c.base)) {
			t.Errorf("%s: %v %v", name, logs, ok)
		}
	}
}

// The interval of brackets holds the interval that the true figures would have, for any of them and any grid.
func TestBracketsHoldWhatTheTruthWould(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		n, step := 6+r.IntN(10), 1.02+0.2*r.Float64()
		var samples []finding.Sample
		var base, value Figures
		for block := range n {
			of, with := 1000*math.Exp(0.1*r.NormFloat64()), 900*math.Exp(0.1*r.NormFloat64())
			base, value = append(base, Figure{block, of, of, of}), append(value, Figure{block, with, with, with})
			b, v := cellOf(of, step), cellOf(with, step)
			samples = append(samples, finding.Sample{Block: block, Baseline: b.Low, BaselineWithin: b, Value: v.Low, ValueWithin: v})
		}
		lowBase, lowValue := Sides(samples)
		truth, _ := Ratios(base, value)
		logs, _ := Ratios(lowBase, lowValue)
		for what, c := range map[string]struct{ exact, got *Evidence }{
			"ratios":       {Paired(truth, true, Given), Paired(logs, true, Given)},
			"amounts":      {Paired(value.Minus(base), false, Given), Paired(lowValue.Minus(lowBase), false, Given)},
			"of their own": {Apart(base, value, false, Given), Apart(lowBase, lowValue, false, Given)},
		} {
			const slack = 1e-9
			exact, got := c.exact.At(0.95), c.got.At(0.95)
			if !got.Bounded || got.Low > exact.Low+slack || got.High < exact.High-slack || got.Center < got.Low || got.Center > got.High {
				t.Fatalf("seed %d, %s: %+v, of the truth %+v", seed, what, got, exact)
			}
			if all, never := c.got.toExclude(got.Center, 0.95); !never {
				t.Fatalf("seed %d, %s: %d blocks answer what the brackets leave open", seed, what, all)
			}
		}
	}
}

// cellOf is the cell of a logarithmic grid that a rate lies in.
func cellOf(rate, step float64) *finding.Range {
	low := math.Pow(step, math.Floor(math.Log(rate)/math.Log(step)))
	high := low * step
	return &finding.Range{Low: low, High: &high}
}

// An end that is not known leaves the centre, and no interval.
func TestOpenEndsHaveNoInterval(t *testing.T) {
	open := exact(1, 2, 3, 4, 5, 6, 7)
	open[3].High = math.Inf(1)
	for name, e := range map[string]*Evidence{
		"within blocks": Paired(open, false, Given), "of their own": Apart(exact(0, 0, 0, 0, 0, 0, 0), open, false, Given),
	} {
		if i := e.Interval(0.95); i == nil || i.Estimate != 4 || i.Low != nil || i.High != nil {
			t.Errorf("%s: %+v", name, i)
		}
	}
	if i := Paired(nil, true, Given).Interval(0.95); i != nil {
		t.Errorf("of nothing: %+v", i)
	}
}

// A result that stopped by its precision asks for more.
func TestAskedConfidence(t *testing.T) {
	differences := exact(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	wide := Paired(differences, false, func(c float64) float64 { return 1 - (1-c)/4 })
	if got, want := wide.At(0.95), stats.SignedRank(differences.Values(), 0.9875); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if wide.LeastBlocks() != stats.MinBlocks(0.9875) || Paired(differences, false, Given).LeastBlocks() != 6 {
		t.Errorf("%d blocks", wide.LeastBlocks())
	}
}

func TestFamilies(t *testing.T) {
	cpu, lost := &config.Limit{Metric: metric.CPUPerOperation}, &config.Limit{Metric: metric.LostShare}
	cause := metric.Causes(metric.Stage)[0]
	for _, c := range []struct {
		limit    *config.Limit
		headline bool
		metric   string
		want     string
	}{
		{cpu, true, metric.CPUPerOperation, Budget}, {lost, false, metric.LostShare, Missing}, {nil, true, metric.CPUPerOperation, Headline},
		{nil, false, cause, Cause}, {nil, false, metric.CPUPerOperation, Other},
	} {
		if got := Family(c.limit, c.headline, c.metric); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// Of experiments in which nothing costs anything, at most 5 % say of any of eight claims that it does, by blocks that are
// enough for intervals and by those that leave it to signs; nor of what costs as much as its budget that it is over or within.
func TestFalseAlarms(t *testing.T) {
	const experiments, claims = 600, 8
	for name, c := range map[string]struct {
		blocks  int
		limit   *config.Limit
		of      func(noise func() Figures) *Evidence
		alarmed func(finding.Kind) bool
	}{
		"by intervals":  {12, nil, within, differs},
		"by signs":      {6, nil, within, differs},
		"of their own":  {12, nil, apart, differs},
		"over a budget": {12, &config.Limit{}, within, func(k finding.Kind) bool { return k == finding.Over || k == finding.Within }},
	} {
		r := rand.New(rand.NewPCG(1, uint64(c.blocks)))
		alarms := 0
		for range experiments {
			shared := make([]float64, c.blocks) // by all claims of a block
			for i := range shared {
				shared[i] = r.NormFloat64()
			}
			var asked []Question
			for range claims {
				asked = append(asked, Question{Family: Other, Limit: c.limit, Evidence: c.of(func() Figures {
					values := make([]float64, c.blocks)
					for i := range values {
						values[i] = shared[i] + r.NormFloat64()
					}
					return exact(values...)
				})})
			}
			for _, v := range Answer(asked, Rules{Fixed: true}) {
				if c.alarmed(v.Kind) {
					alarms++
					break
				}
			}
		}
		if most := 0.05 + 3*math.Sqrt(0.05*0.95/experiments); float64(alarms)/experiments > most {
			t.Errorf("%s: %d of %d experiments", name, alarms, experiments)
		}
	}
}

func within(noise func() Figures) *Evidence { return Paired(noise(), true, Given) }

func apart(noise func() Figures) *Evidence { return Apart(noise(), noise(), true, Given) }

func differs(k finding.Kind) bool { return k == finding.Costs || k == finding.Saves }
