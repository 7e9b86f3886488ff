// This file tells in what two results differ besides their figures: what must not
// differ, and what is worth saying.
package analysis

import (
	"fmt"
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
	differ("set of faults", strings.Join(a.Faults, ", "), strings.Join(b.Faults, ", "))
	return out
}

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
	for _, name := range sortedKeys(v.Settings) {
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

// remarks says what differs and may, and what only one of the results has.
func (c *comparison) remarks(doc *finding.Document, before, after string) {
	base := c.in.Base
	if kernels := [2]string{factText(base, "kernel"), factText(doc, "kernel")}; kernels[0] != kernels[1] {
		c.warn("compare-kernel", "note", fmt.Sprintf("the kernel is %s in %s and %s in %s", kernels[0], before, kernels[1], after), "a kernel may change what tracing costs")
	}
	if base.Tool != doc.Tool {
		c.warn("compare-tool", "note", fmt.Sprintf("%s was made by tracetax %s, %s by %s", before, base.Tool, after, doc.Tool), "use one version for both")
	}
	for _, side := range []struct {
		has, lacks *finding.Document
		name, not  string
	}{{base, doc, before, after}, {doc, base, after, before}} {
		var alone []string
		for _, v := range side.has.Experiment.Variants {
			if !slices.ContainsFunc(side.lacks.Experiment.Variants, func(o finding.Variant) bool { return o.Name == v.Name }) {
				alone = append(alone, v.Name)
			}
		}
		if len(alone) > 0 {
			c.warn("compare-partial", "note", fmt.Sprintf("%s has %s, which %s has not", side.name, strings.Join(alone, ", "), side.not), "variants are matched by their names")
		}
		if side.has.Quick {
			c.warn("compare-quick", "warning", side.name+" was a quick run", "run it without --quick for intervals and verdicts")
		}
	}
	for _, one := range []struct {
		doc  *finding.Document
		name string
	}{{base, before}, {doc, after}} {
		if n := graveWarnings(one.doc); n > 0 && (one.doc != base || doc == c.in.News[0]) {
			c.warn("compare-warned", "warning", fmt.Sprintf("%s has %s of its own", one.name, counted(n, "warning")), "read them: tracetax report "+quoted(one.doc.Results))
		}
	}
}

func factText(doc *finding.Document, key string) string {
	text, _ := doc.Environment[key].(string)
	return text
}

// graveWarnings counts a result's warnings that are more than notes.
func graveWarnings(doc *finding.Document) int {
	n := 0
	for _, w := range doc.Warnings {
		if w.Severity != "note" {
			n++
		}
	}
	return n
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// settingsChanged lists the variants of both that are set differently: "otel:
// processor batch → simple".
func settingsChanged(base, other *finding.Document) []string {
	var out []string
	for _, v := range base.Experiment.Variants {
		at := slices.IndexFunc(other.Experiment.Variants, func(o finding.Variant) bool { return o.Name == v.Name })
		if at < 0 {
			continue
		}
		w := other.Experiment.Variants[at]
		if v.Tracer != w.Tracer {
			out = append(out, fmt.Sprintf("%s: tracer %s → %s", v.Name, v.Tracer, w.Tracer))
		}
		names := sortedKeys(v.Settings)
		for _, name := range sortedKeys(w.Settings) {
			if _, has := v.Settings[name]; !has {
				names = append(names, name)
			}
		}
		for _, name := range names {
			if v.Settings[name] != w.Settings[name] {
				out = append(out, fmt.Sprintf("%s: %s %s → %s", v.Name, name, wordOr(v.Settings[name]), wordOr(w.Settings[name])))
			}
		}
	}
	return out
}
