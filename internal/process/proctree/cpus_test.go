package proctree

import (
	"slices"
	"testing"
)

func TestCPULists(t *testing.T) {
	for text, want := range map[string][]int{"0-2,5": {0, 1, 2, 5}, "3": {3}, "": nil, "1,0": {0, 1}} {
		if got, err := ParseCPUs(text + "\n"); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v; error %v", text, got, want, err)
		}
	}
	for _, text := range []string{"a", "2-1", "-1", "0-99999999999", "0--3"} {
		if got, err := ParseCPUs(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
	if got := FormatCPUs([]int{5, 2, 1, 0, 5}); got != "0-2,5" {
		t.Errorf("got %q", got)
	}
}

func FuzzParseCPUs(f *testing.F) {
	f.Add("0-2,5")
	f.Fuzz(func(t *testing.T, text string) {
		cpus, err := ParseCPUs(text)
		if err != nil {
			return
		}
		again, err := ParseCPUs(FormatCPUs(cpus))
		if err != nil || !slices.Equal(cpus, again) {
			t.Errorf("%q: %v became %v; error %v", text, cpus, again, err)
		}
	})
}
