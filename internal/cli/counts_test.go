package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/session"
)

// Variants that lack the same are told in one line; a whole workload has no variant to name.
func TestLacks(t *testing.T) {
	got := lacks([]session.Lack{
		{Variant: "a", Missing: []string{"no such registry"}}, {Variant: "b", Missing: []string{"java is not installed", "nor is mvn"}},
		{Variant: "c", Missing: []string{"no such registry"}},
	})
	want := []string{", and is left out: a, c: no such registry", ", and is left out: b: java is not installed; nor is mvn"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := lacks([]session.Lack{{Workload: "w", Missing: []string{"go is not installed"}}}), []string{": go is not installed"}; !slices.Equal(got, want) {
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
