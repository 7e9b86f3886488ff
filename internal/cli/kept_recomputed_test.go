package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// The figures of kept findings once more from their samples, in the plainest way: no code is shared with the analysis. A
// finding of brackets is left out: its estimate is of these, and no test of signed ranks.
func TestKeptFindingsRecomputed(t *testing.T) {
	paths, err := filepath.Glob("testdata/kept/*/findings.json.gz")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d results are kept (%v), want ten at least", len(paths), err)
	}
	var intervals, verdicts int
	for _, path := range paths {
		var doc finding.Document
		if err := json.Unmarshal(unzipped(t, path), &doc); err != nil {
			t.Fatal(err)
		}
		for i := range doc.Findings {
			f := &doc.Findings[i]
			if slices.ContainsFunc(f.Samples, func(s finding.Sample) bool { return s.BaselineWithin != nil || s.ValueWithin != nil }) {
				continue
			}
			name := fmt.Sprintf("%s: %s of %s on %s", filepath.Base(filepath.Dir(path)), f.Metric, f.Variant, f.Operation)
			n, told, wrong := recomputed(f)
			for _, w := range wrong {
				t.Errorf("%s: %s", name, w)
			}
			intervals += n
			verdicts += told
		}
	}
	if intervals < 400 || verdicts < 100 {
		t.Errorf("%d intervals and %d verdicts were recomputed: the kept results had more", intervals, verdicts)
	}
}

// The recomputation sees what is changed in a finding alone, its samples being as they were.
func TestRecomputedSeesAChange(t *testing.T) {
	var doc finding.Document
	if err := json.Unmarshal(unzipped(t, "testdata/kept/windows/findings.json.gz"), &doc); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(doc.Findings, func(f finding.Finding) bool { return f.Verdict.Kind == finding.Costs && f.ByRatio() })
	if at < 0 {
		t.Fatal("no finding costs anything")
	}
	for name, change := range map[string]func(*finding.Finding){
		"baseline":    func(f *finding.Finding) { f.Baseline *= 1.01 },
		"value":       func(f *finding.Finding) { f.Value *= 1.01 },
		"difference":  func(f *finding.Finding) { f.Absolute.Estimate *= 1.01 },
		"low end":     func(f *finding.Finding) { *f.Absolute.Low *= 1.01 },
		"ratio":       func(f *finding.Finding) { f.Relative.Estimate *= 1.01 },
		"high end":    func(f *finding.Finding) { *f.Relative.High *= 1.01 },
		"verdict":     func(f *finding.Finding) { f.Verdict.Kind = finding.Saves },
		"its low end": func(f *finding.Finding) { *f.Verdict.Low *= 1.01 },
		"blocks":      func(f *finding.Finding) { f.Blocks++ },
	} {
		text, err := json.Marshal(doc.Findings[at])
		if err != nil {
			t.Fatal(err)
		}
		var f finding.Finding
		if err := json.Unmarshal(text, &f); err != nil {
			t.Fatal(err)
		}
		if _, _, wrong := recomputed(&f); len(wrong) > 0 {
			t.Fatalf("before anything is changed: %v", wrong)
		}
		change(&f)
		if _, _, wrong := recomputed(&f); len(wrong) == 0 {
			t.Errorf("%s: the change is not seen", name)
		}
	}
}

// recomputed holds the figures of a finding against its samples, and says how many intervals and verdicts it could.
func recomputed(f *finding.Finding) (intervals, verdicts int, wrong []string) {
	var base, value, differences, logs []float64
	ratio := true
	for _, s := range f.Samples {
		base, value, differences = append(base, s.Baseline), append(value, s.Value), append(differences, s.Value-s.Baseline)
		ratio = ratio && s.Baseline > 0 && s.Value > 0
		logs = append(logs, math.Log(s.Value/s.Baseline))
	}
	size := 0.0
	for _, v := range append(base, value...) {
		size = max(size, math.Abs(v))
	}
	hold := func(what string, said, is, size float64) {
		if !(math.Abs(said-is) <= 1e-9*math.Abs(is)+1e-12*size) {
			wrong = append(wrong, fmt.Sprintf("%s is said to be %.9g, and is %.9g", what, said, is))
		}
	}
	if len(base) == 0 {
		return 0, 0, nil
	}
	hold("blocks", float64(f.Blocks), float64(len(base)), 0)
	if f.Metric == metric.DeliveredShare { // of all blocks' spans together, which samples do not tell
		hold("baseline", float64(f.Baseline), min(max(float64(f.Baseline), slices.Min(base)), slices.Max(base)), 0)
		hold("value", float64(f.Value), min(max(float64(f.Value), slices.Min(value)), slices.Max(value)), 0)
	} else {
		hold("baseline", float64(f.Baseline), middle(pairMeans(base)), size)
		hold("value", float64(f.Value), middle(pairMeans(value)), size)
	}
	shown := func(v float64) float64 { return v }
	change := func(v float64) float64 { return math.Exp(v) - 1 }
	for _, one := range []struct {
		what  string
		said  *finding.Interval
		of    []float64
		shown func(float64) float64
		size  float64
	}{{"difference", f.Absolute, differences, shown, size}, {"ratio", f.Relative, logs, change, 1}} {
		if one.said == nil || f.Uncompared {
			continue
		}
		hold(one.what, one.said.Estimate, one.shown(middle(pairMeans(one.of))), one.size)
		if one.said.Low == nil || one.said.High == nil {
			continue
		}
		low, high := ends(one.of, 0.95)
		hold("low end of "+one.what, *one.said.Low, one.shown(low), one.size)
		hold("high end of "+one.what, *one.said.High, one.shown(high), one.size)
		intervals++
	}
	v := f.Verdict
	if v.Low == nil || v.High == nil {
		return intervals, 0, wrong
	}
	of, shownAs, size := differences, shown, size
	if ratio && f.ByRatio() {
		of, shownAs, size = logs, change, 1
	}
	low, high := ends(of, v.Confidence)
	hold("low end of the verdict", *v.Low, shownAs(low), size)
	hold("high end of the verdict", *v.High, shownAs(high), size)
	worse, better := low > 0, high < 0
	if f.Better == "higher" {
		worse, better = better, worse
	}
	for kind, is := range map[finding.Kind]bool{finding.Costs: worse, finding.Saves: better, finding.NoDifference: !worse && !better} {
		if v.Kind == kind && !is {
			wrong = append(wrong, fmt.Sprintf("the verdict is %q, and its interval does not say so", kind))
		}
	}
	return intervals, 1, wrong
}

// pairMeans are the means of all pairs of values, each with itself included, in order.
func pairMeans(x []float64) []float64 {
	var means []float64
	for i := range x {
		for j := range i + 1 {
			means = append(means, x[i]/2+x[j]/2)
		}
	}
	slices.Sort(means)
	return means
}

func middle(x []float64) float64 { return x[(len(x)-1)/2]/2 + x[len(x)/2]/2 }

// ends are those of the interval of a signed-rank test. Without a difference each of the 2ⁿ sets of the ranks 1 … n is as
// likely as any other to be that of the values above zero: as many means are left out at either end as the sets of the
// least sums allow.
func ends(x []float64, confidence float64) (low, high float64) {
	sets := make([]float64, len(x)*(len(x)+1)/2+1) // by the sum of their ranks
	for set := range 1 << len(x) {
		sum := 0
		for rank := range x {
			if set>>rank&1 == 1 {
				sum += rank + 1
			}
		}
		sets[sum]++
	}
	allowed := (1 - confidence) / 2 * float64(int(1)<<len(x)) * (1 + 1e-9)
	out, counted := 0, 0.0
	for counted+sets[out] <= allowed {
		counted += sets[out]
		out++
	}
	if out == 0 {
		return math.NaN(), math.NaN()
	}
	means := pairMeans(x)
	return means[out-1], means[len(means)-out]
}
