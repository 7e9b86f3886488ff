package selfcheck

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

const agreementName = "findings and samples"

// findingOf returns one finding of the evidence, to be tampered with.
func findingOf(t *testing.T, e map[string]Evidence, experiment, variant, metric string) *finding.Finding {
	t.Helper()
	f := length{variant: variant, metric: metric}.finding(e[experiment].Document)
	if f == nil {
		t.Fatalf("%s has no %s of %s", experiment, metric, variant)
	}
	return f
}

// Whatever a finding says that its samples do not fails the selfcheck, and is said of that
// finding; its samples are as they were, so that no other check sees it.
func TestFindingsThatTheirSamplesDoNotMake(t *testing.T) {
	up := func(v *float64) { *v += 0.01 * math.Abs(*v) }
	kind := func(k finding.Kind) func(*finding.Finding) {
		return func(f *finding.Finding) { f.Verdict.Kind = k }
	}
	always := map[string]func(*finding.Finding){
		"the baseline":                  func(f *finding.Finding) { up(&f.Baseline) },
		"the value":                     func(f *finding.Finding) { up(&f.Value) },
		"the blocks":                    func(f *finding.Finding) { f.Blocks++ },
		"which way is better":           func(f *finding.Finding) { f.Better = "higher" },
		"the difference":                func(f *finding.Finding) { f.Absolute.Estimate = -8.5 - f.Absolute.Estimate },
		"its low end":                   func(f *finding.Finding) { up(f.Absolute.Low) },
		"its high end":                  func(f *finding.Finding) { up(f.Absolute.High) },
		"no difference":                 func(f *finding.Finding) { f.Absolute = nil },
		"no end of it":                  func(f *finding.Finding) { f.Absolute.Low, f.Absolute.High = nil, nil },
		"the ratio":                     func(f *finding.Finding) { f.Relative.Estimate = -8.5 - f.Relative.Estimate },
		"its low end, of the ratio":     func(f *finding.Finding) { up(f.Relative.Low) },
		"its high end, of the ratio":    func(f *finding.Finding) { up(f.Relative.High) },
		"no ratio":                      func(f *finding.Finding) { f.Relative = nil },
		"the verdict's low end":         func(f *finding.Finding) { up(f.Verdict.Low) },
		"the verdict's high end":        func(f *finding.Finding) { up(f.Verdict.High) },
		"the verdict's only end":        func(f *finding.Finding) { f.Verdict.Low = nil },
		"no interval of the verdict":    func(f *finding.Finding) { f.Verdict.Low, f.Verdict.High = nil, nil },
		"its confidence":                func(f *finding.Finding) { f.Verdict.Confidence = 0.95 },
		"its claims":                    func(f *finding.Finding) { f.Verdict.Claims = 1 },
		"its claims and its confidence": func(f *finding.Finding) { f.Verdict.Claims, f.Verdict.Confidence = 1, 0.95 },
		"what users read":               func(f *finding.Finding) { f.Verdict.Text = "saves 850 %" },
		"no verdict":                    kind(finding.None),
		"no trace of a verdict":         func(f *finding.Finding) { f.Verdict = finding.Verdict{} },
		"within no budget":              kind(finding.Within),
		"over no budget":                kind(finding.Over),
		"overloaded":                    kind(finding.Overloaded),
		"another word":                  kind("cheaper"),
		"the samples":                   func(f *finding.Finding) { f.Samples[3].Value *= 1.1 },
		"no samples":                    func(f *finding.Finding) { f.Samples = nil },
		"withheld for no reason": func(f *finding.Finding) {
			f.Verdict = finding.Verdict{Kind: finding.CannotTell, Claims: f.Verdict.Claims, Confidence: f.Verdict.Confidence}
		},
		"withheld without a trace": func(f *finding.Finding) { f.Verdict = finding.Verdict{Kind: finding.CannotTell} },
		"saves 850 %": func(f *finding.Finding) {
			low, high := -8.6, -8.4
			f.Relative = &finding.Interval{Estimate: -8.5, Low: &low, High: &high}
			f.Verdict.Kind, f.Verdict.Low, f.Verdict.High, f.Verdict.Text = finding.Saves, &low, &high, "saves 850 % (840 to 860)"
		},
	}
	for _, at := range []struct {
		experiment, variant, metric string
		is                          finding.Kind
	}{
		{Costs, Burn200, "cpu_per_operation", finding.Costs},
		{DeferredCosts, Flush200, "cpu_per_operation", finding.Costs},
		{SmallCosts, Again, "latency_p50", finding.NoDifference},
		{OtherCosts, Hold, "memory_mean", finding.Costs},
		{OtherCosts, Hold, "latency_mean", finding.NoDifference}, // on which no check rests
	} {
		tampers := map[string]func(*finding.Finding){"the bound": func(f *finding.Finding) { up(f.Verdict.Bound) }}
		if at.is == finding.Costs {
			delete(tampers, "the bound")
		}
		for _, other := range []finding.Kind{finding.Costs, finding.Saves, finding.NoDifference, finding.CannotTell} {
			if other != at.is && !(other == finding.CannotTell && at.is == finding.NoDifference) { // who withholds a verdict claims nothing
				tampers[string(other)] = kind(other)
			}
		}
		for name, tamper := range always {
			tampers[name] = tamper
		}
		for name, tamper := range tampers {
			e := quiet().evidence()
			f := findingOf(t, e, at.experiment, at.variant, at.metric)
			if f.Verdict.Kind != at.is {
				t.Fatalf("%s of %s is %q, want %q", at.metric, at.variant, f.Verdict.Kind, at.is)
			}
			tamper(f)
			r := Judge(Quick, e)
			c := judged(t, r, agreementName)
			if c.Verdict != Failed || r.Verdict != Failed || c.Experiment != at.experiment || c.Known-c.Measured != 1 {
				t.Errorf("%s of %s, %s: %s (%s, %v of %v agree), the whole %s", at.metric, at.variant, name, c.Verdict, c.Experiment, c.Measured, c.Known, r.Verdict)
			}
		}
	}
}

// All findings changed at once, as a fault in the analysis would.
func TestAllFindingsSaySaves(t *testing.T) {
	e := quiet().evidence()
	for _, one := range e {
		for i := range one.Document.Findings {
			f := &one.Document.Findings[i]
			low, high := -8.6, -8.4
			f.Relative = &finding.Interval{Estimate: -8.5, Low: &low, High: &high}
			f.Verdict.Kind, f.Verdict.Low, f.Verdict.High, f.Verdict.Text = finding.Saves, &low, &high, "saves 850 % (840 to 860)"
		}
	}
	r := Judge(Quick, e)
	if c := judged(t, r, agreementName); c.Verdict != Failed || c.Measured != 0 || c.Known == 0 || r.Verdict != Failed {
		t.Errorf("%s: %v of %v agree, the whole %s", c.Verdict, c.Measured, c.Known, r.Verdict)
	}
}

// What the ordinary analysis makes of real measurements agrees, and a selfcheck without any
// finding does not pass for one that agrees.
func TestRecordedFindingsAgree(t *testing.T) {
	golden := filepath.Join("..", "..", "analysis", "testdata", "findings.json") // what the analysis makes today
	for _, name := range []string{"burn-150.json", "burn-200.json", "deferred.json", golden} {
		doc := recorded(t, name)
		if len(doc.Findings) == 0 {
			t.Errorf("%s has no finding", name)
		}
		for i := range doc.Findings {
			if text := disagreement(doc, &doc.Findings[i]); text != "" {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
	if c := judged(t, Judge(Quick, nil), agreementName); c.Verdict != Failed {
		t.Errorf("without a finding: %s", c.Verdict)
	}
}

// What the analysis may leave out, and why, is no disagreement.
func TestFindingsThatSayLess(t *testing.T) {
	for name, change := range map[string]func(*finding.Document, *finding.Finding){
		"withheld for modes": func(d *finding.Document, f *finding.Finding) {
			d.Warnings = []finding.Warning{{Code: "modes"}}
			f.Verdict = finding.Verdict{Kind: finding.CannotTell, Claims: f.Verdict.Claims, Confidence: f.Verdict.Confidence}
		},
		"too few blocks for so many claims": func(_ *finding.Document, f *finding.Finding) {
			f.Verdict = finding.Verdict{Kind: finding.CannotTell, Claims: 1e6, Confidence: 1 - 0.05/1e6}
		},
		"other work": func(_ *finding.Document, f *finding.Finding) {
			f.Uncompared, f.Absolute, f.Relative, f.Verdict = true, nil, nil, finding.Verdict{}
		},
		"overloaded": func(_ *finding.Document, f *finding.Finding) {
			f.Absolute, f.Relative, f.Verdict = nil, nil, finding.Verdict{Kind: finding.Overloaded}
		},
		"quick": func(d *finding.Document, f *finding.Finding) {
			d.Quick, f.Verdict = true, finding.Verdict{}
			f.Absolute.Low, f.Absolute.High, f.Relative.Low, f.Relative.High = nil, nil, nil, nil
		},
		"over a budget": func(_ *finding.Document, f *finding.Finding) {
			limit := 0.05
			f.Verdict.Kind, f.Verdict.Budget = finding.Over, &limit
			f.Verdict.Text = "over the budget of 5 %: " + finding.FormatInterval(finding.Interval{Estimate: f.Relative.Estimate, Low: f.Verdict.Low, High: f.Verdict.High}, "1", true)
		},
		"a level of a sweep": func(_ *finding.Document, f *finding.Finding) {
			f.Parameter, f.Verdict = map[string]string{"depth": "4"}, finding.Verdict{}
		},
	} {
		doc := quiet().costs().Document
		f := length{variant: Burn200, metric: "cpu_per_operation"}.finding(doc)
		change(doc, f)
		if text := disagreement(doc, f); text != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// A budget is held against the interval too.
func TestFindingsOnABudget(t *testing.T) {
	for limit, want := range map[float64]bool{0.05: true, 100: false} { // 200 µs over 60 µs are beyond 5 %, and not beyond 100 times
		doc := quiet().costs().Document
		f := length{variant: Burn200, metric: "cpu_per_operation"}.finding(doc)
		f.Verdict.Kind, f.Verdict.Budget = finding.Over, &limit
		f.Verdict.Text = finding.FormatInterval(finding.Interval{Estimate: f.Relative.Estimate, Low: f.Verdict.Low, High: f.Verdict.High}, "1", true)
		if agrees := disagreement(doc, f) == ""; agrees != want {
			t.Errorf("over a budget of %g: agrees %t", limit, agrees)
		}
	}
}

// Two ways to reckon the same: the one here and the ordinary one.
func FuzzTwoWaysToReckon(f *testing.F) {
	f.Add([]byte("\x01\x05\x02\x09\x04\x07\x03"), 0.95)
	f.Add([]byte("\x80\x80\x80\x80\x80\x80"), 0.95)
	f.Add([]byte("\x01\xff\x7f\x80\x20\x30\x40\x50\x60\x70\x01\x11\x21\x31"), 0.99875)
	f.Add([]byte{}, 0.5)
	f.Fuzz(func(t *testing.T, of []byte, confidence float64) {
		if len(of) > 60 || !(confidence > 0 && confidence < 1) {
			return
		}
		s := scale{shown: linear, size: 1}
		for _, b := range of {
			s.of = append(s.of, (float64(b)-128)/7)
		}
		e := stats.SignedRank(s.of, confidence)
		low, high, bounded := s.interval(confidence)
		if bounded != e.Bounded || bounded && (!s.same(e.Low, low) || !s.same(e.High, high)) || len(of) > 0 && !s.same(e.Center, s.centre()) {
			t.Errorf("%v at %v: %v (%v to %v, %t), and %+v", s.of, confidence, s.centre(), low, high, bounded, e)
		}
	})
}
