package analysis_test

import (
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

func TestInstrumentedInAnyRun(t *testing.T) {
	s := twoVariants()
	s.change = onlyRuns("otel", func(r *record.Record) {
		r.Tracer.Instrumented = map[string][]string{"app": {"flask"}}
		if r.Block == 2 {
			r.Tracer.Instrumented["back"] = []string{"flask", "sqlite3"}
		}
	})
	for _, v := range analyse(t, s.input()).Experiment.Variants {
		var want []string
		if v.Name == "otel" {
			want = []string{"flask", "sqlite3"}
		}
		if !slices.Equal(v.Instrumented, want) {
			t.Errorf("%s: %v, want %v", v.Name, v.Instrumented, want)
		}
	}
}
