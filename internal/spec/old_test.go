package spec

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Old words in files are read as the new ones, and each is hinted at with its place.
func TestOldWords(t *testing.T) {
	var hints []string
	c := shelf(map[string]string{
		"tracers/old/tracer.yaml":          "holds: 7\n",
		"workloads/old/workload.yaml":      "self: true\nmost: {depth: 8}\nprocesses: [{name: app, run: [x, '{port}']}]\noperations: {call: }\n",
		"experiments/calls-languages.yaml": "workload: calls\nvariants: {none: , kieker: }\n",
	}).OnOld(func(hint string) { hints = append(hints, hint) })
	text := func(key, workload string) string {
		return "workload: " + workload + "\nvariants: {none: , old: }\nload: {capacity: {lost: 0, " + key + ": 900/s}}\n"
	}
	now := parseIn(t, c, text("max", "calls"))
	if hints = slices.Compact(hints); len(hints) != 1 || !strings.HasPrefix(hints[0], "tracers/old/tracer.yaml:1:1: the key holds is now called buffers") {
		t.Errorf("%q", hints)
	}
	hints = nil
	old := parseIn(t, c, text("most", "old"))
	if old.Load.Capacity.Max != 900 || !cmp.Equal(old.Load, now.Load) || old.Workload.Max["depth"] != 8 {
		t.Errorf("%+v, %+v", old.Load, old.Workload.Max)
	}
	for _, want := range []string{"workloads/old/workload.yaml:2:1: the key most", "x.yaml:3:28: the key most is now called max; the old name works in this release only"} {
		if !slices.ContainsFunc(hints, func(hint string) bool { return strings.HasPrefix(hint, want) }) {
			t.Errorf("%q is not in %q", want, hints)
		}
	}
	if tracer, err := c.Tracer("old"); err != nil || tracer.Buffers != 7 {
		t.Errorf("%+v, %v", tracer, err)
	}
	hints = nil
	if found, err := c.Experiment("calls-kin"); err != nil || len(found) != 1 || !slices.Contains(hints, "the experiment calls-kin is now called calls-languages; the old name works in this release only") {
		t.Errorf("%v, %v, %q", found, err, hints)
	}
	// Beside the new one the old one is a second value, and no name for anything else.
	for _, both := range []string{"max: 900/s, most: 800/s", "mosst: 800/s"} {
		if _, err := ParseExperiment("x.yaml", ".", []byte(strings.Replace(text("max", "calls"), "max: 900/s", both, 1)), c); err == nil || !strings.Contains(err.Error(), `unknown key "mos`) {
			t.Errorf("%s: %v", both, err)
		}
	}
}
