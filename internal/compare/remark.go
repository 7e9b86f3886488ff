// This file says in what two results differ that may differ: it is worth knowing, and
// no reason to refuse.

package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/words"
)

// remarks says what differs and may, and what only one of the results has.
func (c *comparison) remarks(doc *finding.Document, before, after string) {
	base := c.in.Base
	if kernels := [2]string{factText(base, "kernel"), factText(doc, "kernel")}; kernels[0] != kernels[1] {
		c.warn("compare-kernel", "note", fmt.Sprintf("the kernel is %s in %s and %s in %s", kernels[0], before, kernels[1], after), "a kernel may change what tracing costs")
	}
	if tools := [2]string{toolOf(base), toolOf(doc)}; tools[0] != tools[1] {
		c.warn("compare-tool", "note", fmt.Sprintf("%s was made by tracetax %s, %s by %s", before, tools[0], after, tools[1]), "use one version for both")
	}
	for _, text := range ratesDiffer(base.Experiment, doc.Experiment, before, after) {
		c.warn("compare-rate", "warning", text, "the pilots found other rates: where the cost of an operation depends on the rate, name the rate (load: {rate: …}) in both")
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
			c.warn("compare-quick", "warning", side.name+" was a quick run", "its windows and its warm-up are short: run it without --quick for numbers to act on")
		}
	}
	for _, one := range []struct {
		doc  *finding.Document
		name string
	}{{base, before}, {doc, after}} {
		if n := graveWarnings(one.doc); n > 0 && (one.doc != base || doc == c.in.News[0]) {
			c.warn("compare-warned", "warning", fmt.Sprintf("%s has %s of its own", one.name, words.Counted(n, "warning")), "read them: tracetax report "+words.Quoted(one.doc.Results))
		}
	}
}

// rateApart is how far the rates of two pilots may lie apart, as a ratio less 1.
const rateApart = 0.02

// ratesDiffer lists the operations that were asked at different rates, though the
// load that was asked for is the same: a share of what pilots found.
func ratesDiffer(a, b finding.Experiment, before, after string) []string {
	var out []string
	for _, operation := range slices.Sorted(maps.Keys(a.Rates)) {
		x, y := a.Rates[operation], b.Rates[operation]
		if x > 0 && y > 0 && max(x, y)/min(x, y) > 1+rateApart {
			out = append(out, fmt.Sprintf("%s was asked at %s in %s and at %s in %s", operation,
				finding.FormatValue(x, "1/s"), before, finding.FormatValue(y, "1/s"), after))
		}
	}
	return out
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
		names := slices.Sorted(maps.Keys(v.Settings))
		for _, name := range slices.Sorted(maps.Keys(w.Settings)) {
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

// toolOf is the version of tracetax that analysed a result, and that which measured it
// where that is another.
func toolOf(d *finding.Document) string {
	if measured := factText(d, "tool"); measured != "" && measured != d.Tool {
		return d.Tool + " (measured by " + measured + ")"
	}
	return d.Tool
}
