package cli

import (
	"slices"
	"testing"

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
