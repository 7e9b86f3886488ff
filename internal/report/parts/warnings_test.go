package parts

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
)

// What may follow from a warning stands below it, which is as grave as the gravest of them; nothing is told twice, or not at all.
func TestWarningsByCause(t *testing.T) {
	of := func(code, severity, from string) finding.Warning {
		return finding.Warning{Code: code, Severity: severity, From: from, Text: code}
	}
	got := Warnings([]finding.Warning{
		of("quick", "note", ""), of("spans-lost", "warning", ""), of("overloaded", "warning", "busy-neighbour"), of("spoiled-kept", "spoiled", "busy-neighbour"),
		of("busy-neighbour", "warning", ""), of("busy-neighbour", "warning", ""),
	})
	var codes []string
	for _, w := range got {
		codes = append(codes, w.Code)
		for _, f := range w.Follows {
			codes = append(codes, "- "+f.Code)
		}
	}
	want := []string{"busy-neighbour", "- overloaded", "- spoiled-kept", "busy-neighbour", "spans-lost", "quick"}
	if len(codes) != len(want) {
		t.Fatalf("%q, want %q", codes, want)
	}
	for i := range want {
		if codes[i] != want[i] {
			t.Fatalf("%q, want %q", codes, want)
		}
	}
	if got[0].Tone != model.Bad {
		t.Errorf("blocks that are spoiled make their cause no graver: %v", got[0].Tone)
	}
}
