// This file tells in what two results differ that must not differ.

package compare

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// machineFacts are what must be the same of two machines, by its key in
// environment.json.
var machineFacts = []struct{ key, name string }{
	{"os", "operating system"}, {"arch", "architecture"}, {"cpu_model", "CPU"}, {"cpus", "number of CPUs"},
	{"kernel", "kernel"}, {"hypervisor", "virtual machine"},
}

// look compares what was measured and where, for every new result.
func (c *comparison) look() {
	for i, doc := range c.in.News {
		before, after := c.names[0], c.names[i+1]
		what := experimentsDiffer(c.in.Base, doc, before, after)
		if sameRuns(c.in.Base, doc) {
			what = append(what, fmt.Sprintf("%s and %s hold the same runs: nothing was measured between them", before, after))
		}
		c.refused = append(c.refused, what...)
		for _, text := range what {
			c.warn("compare-different", "warning", text, "only what both have is compared; results of one experiment need no --force")
		}
		where := machinesDiffer(c.in.Base, doc, before, after)
		c.refused = append(c.refused, where...)
		if len(where) > 0 {
			c.elsewhere = true
			c.warn("compare-elsewhere", "warning", strings.Join(where, "; "),
				"costs in percent depend on the machine too: run both results on one machine, one after the other")
		}
		c.remarks(doc, before, after)
	}
}

func (c *comparison) warn(code, severity, text, advice string) {
	c.warnings = append(c.warnings, finding.Warning{Code: code, Severity: severity, Text: text, Advice: advice})
}

// experimentsDiffer lists what makes two results answers to different questions.
func experimentsDiffer(base, other *finding.Document, before, after string) []string {
	a, b := base.Experiment, other.Experiment
	var out []string
	differ := func(name, x, y string) {
		if x != y {
			out = append(out, fmt.Sprintf("the %s differs: %s in %s, %s in %s", name, wordOr(x), before, wordOr(y), after))
		}
	}
	differ("workload", a.Workload, b.Workload)
	differ("load", a.Load, b.Load)
	differ("set of operations", strings.Join(sorted(a.Operations), ", "), strings.Join(sorted(b.Operations), ", "))
	differ("baseline", baselineText(a), baselineText(b))
	differ("order", orderText(a), orderText(b))
	differ("set of faults", strings.Join(a.Faults, ", "), strings.Join(b.Faults, ", "))
	return out
}

// sameRuns reports whether two results rest on the same runs: a copy, or one result
// given twice. No two experiments begin at the same moment and find the same.
func sameRuns(a, b *finding.Document) bool {
	began := a.Environment["started"]
	return began != nil && began == b.Environment["started"] && reflect.DeepEqual(a.Findings, b.Findings)
}

// orderText is how the load goes through the variants of a block. Figures of variants that live at the
// same time are not those of variants that have the machine to themselves.
func orderText(e finding.Experiment) string { return cmp.Or(e.Order, "apart") }

func wordOr(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func sorted(names []string) []string {
	out := slices.Clone(names)
	slices.Sort(out)
	return out
}

// baselineText is a baseline with its settings: it must be the same, because it is
// what the machine's drift is seen by.
func baselineText(e finding.Experiment) string {
	if len(e.Variants) == 0 {
		return ""
	}
	return strings.Join(append([]string{e.Variants[0].Name + " (tracer " + e.Variants[0].Tracer + ")"}, settingsText(e.Variants[0])...), ", ")
}

func settingsText(v finding.Variant) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(v.Settings)) {
		out = append(out, name+" "+v.Settings[name])
	}
	return out
}

// machinesDiffer lists in what the machines differ.
func machinesDiffer(base, other *finding.Document, before, after string) []string {
	var out []string
	for _, fact := range machineFacts {
		x, y := base.Environment[fact.key], other.Environment[fact.key]
		if fact.key == "kernel" {
			x, y = major(x), major(y)
		}
		if x != nil && y != nil && !reflect.DeepEqual(x, y) {
			out = append(out, fmt.Sprintf("the machines differ in their %s: %v in %s, %v in %s", fact.name, x, before, y, after))
		}
	}
	return out
}

// major is the first number of a kernel's version.
func major(kernel any) any {
	text, ok := kernel.(string)
	if !ok || text == "" {
		return nil
	}
	first, _, _ := strings.Cut(text, ".")
	return first
}
