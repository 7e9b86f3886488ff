package view

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/finding"
)

func TestRunsText(t *testing.T) {
	of := func(blocks int) []finding.VariantRuns { return []finding.VariantRuns{{Blocks: blocks}, {}} }
	for want, runs := range map[string]finding.Runs{
		"8 blocks, 24 runs":                                      {Blocks: 8, Good: 24, Variants: of(8)},
		"1 block, 2 runs and 1 that failed":                      {Blocks: 1, Good: 2, Failed: 1, Variants: of(1)},
		"2 blocks, none of them whole, 4 runs and 4 that failed": {Good: 4, Failed: 4, Variants: of(2)},
		"0 blocks, 1 run":                                        {Good: 1},
	} {
		if got := runsText(runs); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestInstrumented(t *testing.T) {
	one, two := []string{"flask", "sqlite3"}, []string{"flask"}
	for name, test := range map[string]struct {
		variants []finding.Variant
		want     []string
	}{
		"nobody tells": {[]finding.Variant{{Name: "none", Tracer: "none"}, {Name: "otel", Tracer: "otel-java"}}, nil},
		"all the same": {[]finding.Variant{{Name: "a", Tracer: "otel-python", Instrumented: one}, {Name: "b", Tracer: "otel-python", Instrumented: one}},
			[]string{"otel-python: instrumented flask, sqlite3"}},
		"they differ": {[]finding.Variant{{Name: "a", Tracer: "otel-python", Instrumented: one}, {Name: "b", Tracer: "otel-python", Instrumented: two}, {Name: "c", Tracer: "otel-python", Instrumented: one}},
			[]string{"otel-python (a, c): instrumented flask, sqlite3", "otel-python (b): instrumented flask"}},
	} {
		doc := &finding.Document{Experiment: finding.Experiment{Variants: test.variants}}
		if diff := cmp.Diff(test.want, instrumented(doc)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		if diff := cmp.Diff(test.want, came(doc)); diff != "" {
			t.Errorf("%s: it is not among what is told of the experiment\n%s", name, diff)
		}
	}
}
