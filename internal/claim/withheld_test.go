package claim

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
)

func TestIdle(t *testing.T) {
	doc := &finding.Document{
		Untraced:  []finding.Untraced{{Variant: "otel", Operation: "db"}},
		Elsewhere: []finding.Elsewhere{{Variant: "elastic"}},
	}
	for _, c := range []struct {
		operation, metric, variant, against string
		code                                finding.Code
		who                                 string
	}{
		{"db", metric.CPUPerOperation, "otel", "none", finding.WhyUntraced, "otel"},
		{"db", metric.CPUPerOperation, "elastic", "otel", finding.WhyUntraced, "otel"},
		{"json", metric.CPUPerOperation, "otel", "none", "", ""},
		{"json", metric.CPUPerOperation, "elastic", "none", finding.WhyElsewhere, "elastic"},
		{"json", metric.CPUPerOperation, "none", "elastic", finding.WhyElsewhere, "elastic"},
	} {
		got := Idle(doc, &finding.Finding{Operation: c.operation, Metric: c.metric, Variant: c.variant, Against: c.against})
		if (got == nil) != (c.code == "") || got != nil && (got.Code != c.code || got.Variant != c.who) {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

func TestWithheld(t *testing.T) {
	low := 0.0
	for _, c := range []struct {
		v    finding.Verdict
		want bool
	}{
		{finding.Verdict{Kind: finding.CannotTell}, true}, {finding.Verdict{Kind: finding.CannotTell, MoreBlocks: 2}, false},
		{finding.Verdict{Kind: finding.CannotTell, Low: &low}, false}, {finding.Verdict{Kind: finding.Costs}, false},
	} {
		if Withheld(c.v) != c.want {
			t.Errorf("%+v", c.v)
		}
	}
}

func TestDivided(t *testing.T) {
	one, two, near := []stats.Mode{{Center: 1}}, []stats.Mode{{Center: 1}, {Center: 1.5}}, []stats.Mode{{Center: 1}, {Center: 1.009}}
	for name, c := range map[string]struct {
		r              stats.ModeReport
		share, matters float64
		modes          int
		ofBase         bool
	}{
		"of the value":         {stats.ModeReport{Baseline: one, Value: two, Differ: true}, 0, 0, 2, false},
		"of the base":          {stats.ModeReport{Baseline: two, Value: one, Differ: true}, 0, 0, 2, true},
		"of both alike":        {stats.ModeReport{Baseline: two, Value: two}, 0, 0, 0, false},
		"next to each other":   {stats.ModeReport{Baseline: one, Value: near, Differ: true}, 0, 0, 0, false},
		"as far as a bracket":  {stats.ModeReport{Baseline: one, Value: two, Differ: true}, 0.34, 0, 0, false},
		"too little to matter": {stats.ModeReport{Baseline: one, Value: two, Differ: true}, 0, 0.6, 0, false},
	} {
		if modes, ofBase := Divided(c.r, c.share, c.matters); len(modes) != c.modes || ofBase != c.ofBase {
			t.Errorf("%s: %v, of the base: %t", name, modes, ofBase)
		}
	}
}

func TestTakeBack(t *testing.T) {
	cheaper, dearer := &finding.Reason{Code: finding.WhyLostMore}, &finding.Reason{Code: finding.WhyUntraced}
	for kind, want := range map[finding.Kind]finding.Code{
		finding.Within: finding.WhyLostMore, finding.Saves: finding.WhyLostMore, finding.NoDifference: finding.WhyLostMore,
		finding.Over: finding.WhyUntraced, finding.Costs: finding.WhyUntraced, finding.CannotTell: "", finding.Overloaded: "", finding.None: "",
	} {
		v := finding.Verdict{Kind: kind}
		took := TakeBack(&v, cheaper, dearer)
		if took != (want != "") || took && (v.Kind != finding.CannotTell || v.Reasons[0].Code != want) || !took && v.Kind != kind {
			t.Errorf("%s: %+v", kind, v)
		}
	}
	v := finding.Verdict{Kind: finding.NoDifference}
	if !TakeBack(&v, nil, dearer) || v.Reasons[0].Code != finding.WhyUntraced {
		t.Errorf("%+v", v)
	}
}
