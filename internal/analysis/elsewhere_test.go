package analysis_test

import (
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

// Against a baseline that traces nobody knows what tracing costs: no verdict says so, nor that a budget is kept. What is
// over its budget even so stays over it.
func TestBaselineTraces(t *testing.T) {
	for name, c := range map[string]struct {
		who    string
		budget float64
		want   finding.Kind
	}{
		"the baseline, no budget":     {"none", 0, finding.CannotTell},
		"the baseline, a wide budget": {"none", 10, finding.CannotTell},
		"the baseline, a narrow one":  {"none", 0.0001, finding.Over},
		"the variant":                 {"otel", 0, finding.CannotTell},
		"the variant, a narrow one":   {"otel", 0.0001, finding.CannotTell},
		"nobody":                      {"", 0, finding.Costs},
		"nobody, a wide budget":       {"", 10, finding.Within},
	} {
		s := twoVariants()
		s.change = onlyRuns(c.who, func(r *record.Record) {
			r.Elsewhere = []record.Elsewhere{{Process: "app", To: []string{"127.0.0.1:4318"}, Log: &record.LogSign{Cause: record.ExportFailed, Lines: 1, Last: "Failed to export"}}}
		})
		if c.budget > 0 {
			s.design = func(e *config.Experiment) {
				e.Budget = []config.Limit{{Metric: metric.CPUPerOperation, Value: c.budget}}
			}
		}
		doc := analyse(t, s.input())
		f := get(t, doc, "json", "otel", metric.CPUPerOperation)
		if f.Verdict.Kind != c.want {
			t.Errorf("%s: %s, want %s", name, f.Verdict.Kind, c.want)
		}
		if reason := f.Verdict.Reason(); c.want == finding.CannotTell && (reason.Code != finding.WhyElsewhere || reason.Variant != c.who) {
			t.Errorf("%s: %+v", name, reason)
		}
		if c.who == "" {
			continue
		}
		if len(doc.Elsewhere) != 1 || doc.Elsewhere[0].Variant != c.who || doc.Elsewhere[0].Runs != doc.Elsewhere[0].Of || doc.Elsewhere[0].Log == "" {
			t.Errorf("%s: %+v", name, doc.Elsewhere)
		}
	}
}
