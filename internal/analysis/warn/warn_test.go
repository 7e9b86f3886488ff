package warn

import (
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
)

// What the machine does to several variants is one warning: the worst, with the places of all.
func TestMerged(t *testing.T) {
	at := func(where string, worst float64, text string) hit {
		return hit{text: text, where: where, worst: worst, runs: 1, of: 6}
	}
	for name, c := range map[string]struct {
		hits        []hit
		said, where string
	}{
		"one stays as it is":                {[]hit{at("none", 0.2, "took up to 20 %")}, "took up to 20 % (1 of 6 runs)", "none"},
		"the worst is told":                 {[]hit{at("none", 0.2, "took up to 20 %"), at("otel", 0.3, "took up to 30 %")}, "took up to 30 % (2 of 12 runs)", "none; otel"},
		"places are counted":                {[]hit{at("a", 0.2, ""), at("b", 0.3, "b"), at("c", 0.1, ""), at("d", 0.1, ""), at("e", 0.1, "")}, "b (5 of 30 runs)", "a; b; c; 2 more"},
		"nothing is hidden behind one more": {[]hit{at("a", 0.2, ""), at("b", 0.3, "b"), at("c", 0.1, ""), at("d", 0.1, "")}, "b (4 of 24 runs)", "a; b; c; d"},
		"a run has several phases": {[]hit{{text: "a", worst: 1, runs: 6, of: 6, where: "json"}, {text: "b", worst: 2, runs: 5, of: 6, where: "work", at: cell.At{Operation: "work"}}},
			"b (11 of 12 phases)", "json; work"},
		"all runs, and one of them": {[]hit{{text: "late on average", worst: 2, where: "none"}, at("otel", 1, "up to 1 s late")}, "late on average", "none; otel"},
	} {
		got := merged(c.hits)
		if len(got) != 1 || got[0].said() != c.said || got[0].where != c.where {
			t.Errorf("%s: %+v, want %q at %q", name, got, c.said, c.where)
		}
	}
	if got := merged(nil); len(got) != 0 {
		t.Errorf("nothing seen: %+v", got)
	}
}

// The table of what follows from what names warnings that exist, has no note as a cause, and no circle.
func TestFollows(t *testing.T) {
	severity := map[string]string{}
	for _, c := range checks {
		severity[c.code] = c.severity
	}
	for i, one := range follows {
		if severity[one.from] != warning {
			t.Errorf("%s is %q: want a warning", one.from, severity[one.from])
		}
		for _, code := range one.may {
			if severity[code] == "" {
				t.Errorf("%s follows from %s, and is no warning", code, one.from)
			}
			for _, before := range follows[:i+1] {
				if before.from == code {
					t.Errorf("%s follows from %s, which stands below it", code, one.from)
				}
			}
		}
	}
}

// Each warning is below the first cause that is there, and no cause is below what it may have caused.
func TestFold(t *testing.T) {
	for name, c := range map[string]struct{ codes, from []string }{
		"a busy machine":                 {[]string{"overloaded", "busy-neighbour", "load-average", "spans-lost", "never-calm"}, []string{"busy-neighbour", "", "busy-neighbour", "", "busy-neighbour"}},
		"one of its signs":               {[]string{"load-average", "modes"}, []string{"", "load-average"}},
		"stolen, and busy":               {[]string{"cpu-stolen", "busy-neighbour", "modes"}, []string{"", "", "busy-neighbour"}},
		"without a cause":                {[]string{"overloaded", "never-calm"}, []string{"", ""}},
		"two causes":                     {[]string{"failed-runs", "busy-neighbour", "too-few-blocks", "precision-not-reached"}, []string{"", "", "failed-runs", "busy-neighbour"}},
		"a CPU that is shared, and busy": {[]string{"generator-late", "harness-shared-cpu", "busy-neighbour"}, []string{"busy-neighbour", "", ""}},
	} {
		var all []finding.Warning
		for _, code := range c.codes {
			all = append(all, finding.Warning{Code: code})
		}
		fold(all)
		var from []string
		for _, w := range all {
			from = append(from, w.From)
		}
		if !slices.Equal(from, c.from) {
			t.Errorf("%s: %q follow from %q, want %q", name, c.codes, from, c.from)
		}
	}
}
