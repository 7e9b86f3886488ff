package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// What is kept is counted apart from what failed.
func TestKept(t *testing.T) {
	good, failed := record.Record{}, record.Record{Failure: &record.Failure{}}
	for want, history := range map[string][]record.Record{
		"1 run is kept":                     {good},
		"2 runs are kept":                   {good, good},
		"1 run and 2 that failed are kept":  {failed, good, failed},
		"0 runs and 1 that failed are kept": {failed},
		"3 runs and 1 that failed are kept": {good, good, failed, good},
	} {
		if got := kept(history); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Variants that lack the same are told in one line; a whole workload has no variant to name.
func TestLacks(t *testing.T) {
	got := lacks([]lackView{
		{Variant: "a", Missing: []string{"no such registry"}}, {Variant: "b", Missing: []string{"java is not installed", "nor is mvn"}},
		{Variant: "c", Missing: []string{"no such registry"}},
	})
	want := []string{", and is left out: a, c: no such registry", ", and is left out: b: java is not installed; nor is mvn"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := lacks([]lackView{{Workload: "w", Missing: []string{"go is not installed"}}}), []string{": go is not installed"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A variant that was named and of which no run succeeded is a failure, others are not.
func TestAllFailed(t *testing.T) {
	doc := &finding.Document{Results: "results", Runs: finding.Runs{Variants: []finding.VariantRuns{
		{Variant: "none", Good: 2}, {Variant: "mine", Failed: 4}, {Variant: "other", Failed: 4}, {Variant: "some", Good: 1, Failed: 3},
	}}}
	got := allFailed(doc, []string{"none", "mine", "some"})
	if len(got) != 1 || !strings.HasPrefix(got[0].Error(), "variant mine failed in every run") {
		t.Errorf("%v", got)
	}
	if got := allFailed(doc, nil); got != nil {
		t.Errorf("none was named: %v", got)
	}
}
