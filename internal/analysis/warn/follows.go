package warn

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// follows has, for each warning that may be why others are there, what may follow from it. What may follow from two is put below
// the earlier one that is there. None is a note: it would hide what is graver.
var follows = []struct {
	from string
	may  []string
}{
	{"busy-neighbour", slices.Concat([]string{"load-average"}, ofABusyMachine)},
	{"cpu-stolen", ofABusyMachine},
	{"load-average", ofABusyMachine},
	{"harness-shared-cpu", []string{"generator-late", "lag-differs", "sink-busy", "harness-busy", "generator-bound"}},
	{"interrupted", []string{"too-few-blocks", "precision-not-reached"}},
	{"failed-runs", []string{"too-few-blocks", "precision-not-reached"}},
	{"nothing-traced", []string{"no-spans", "expectation-unknown", "spans-unaccounted"}},
}

// ofABusyMachine lists the symptoms of a machine on which other programs run.
var ofABusyMachine = []string{
	"spoiled-blocks", "spoiled-kept", "windows-left-out", "generator-late", "lag-differs", "generator-bound", "sink-busy",
	"harness-busy", "database-busy", "overloaded", "search-unsteady", "never-steady", "first-dearer", "never-quiet",
	"never-calm", "idle-unknown",
	"idle-differs", "rested", "works-apart", "cpu-negative", "modes", "carry-over", "precision-not-reached",
}

// fold puts each warning below the one that it may follow from: the first that follows from none itself.
func fold(all []finding.Warning) {
	has := func(code string) bool {
		return slices.ContainsFunc(all, func(w finding.Warning) bool { return w.Code == code })
	}
	for _, one := range follows {
		if !has(one.from) || slices.ContainsFunc(all, func(w finding.Warning) bool { return w.Code == one.from && w.From != "" }) {
			continue
		}
		for i := range all {
			if w := &all[i]; w.From == "" && slices.Contains(one.may, w.Code) {
				w.From = one.from
			}
		}
	}
}
