// The format of the GitHub action "benchmark", for metrics of which less is better.

package data

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// actionFigure is one line of a chart.
type actionFigure struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range,omitempty"` // its 95 % interval
	Extra string  `json:"extra,omitempty"` // where it was measured, a line a fact
}

// asPart is the ending of a cost as a part of the baseline's value: 104.2 % for one of 4.2 %.
const asPart = "_of_baseline"

// BenchmarkAction writes the main figures of which less is better as github-action-benchmark's customSmallerIsBetter.
// Shares are in percent. That action warns by the ratio of a figure to the one before. So a cost is told as a part of the
// baseline's value: from 0.1 % to 0.5 % is not five times as much; and an amount is left out that may be zero or below.
func BenchmarkAction(w io.Writer, doc *finding.Document) error {
	all := []actionFigure{}
	for _, t := range trackedOf(doc) {
		if !t.main || t.better != "lower" {
			continue
		}
		if t.value <= 0 && t.cost != asShare || mayBeZero(t) {
			continue
		}
		f := actionFigure{Name: t.name + ": " + t.measure(), Unit: t.unit, Extra: extra(doc, t.variant)}
		shown := func(v float64) float64 { return v }
		switch {
		case t.cost == asShare:
			f.Name, f.Unit = t.name+": "+t.metric+asPart, "% of the baseline"
			shown = func(v float64) float64 { return 100 * (1 + v) }
		case t.unit == "1":
			f.Unit = "%"
			shown = func(v float64) float64 { return 100 * v }
		}
		f.Value = shown(t.value)
		if t.low != nil && t.high != nil {
			f.Range = fmt.Sprintf("%.4g to %.4g", shown(*t.low), shown(*t.high))
		}
		all = append(all, f)
	}
	return write(w, all, "the figures")
}

// mayBeZero reports whether a figure is an amount that tracing adds, and perhaps nothing.
func mayBeZero(t tracked) bool {
	difference := t.cost == asAmount || t.cost == "" && slices.Contains(ofTracing, t.metric)
	return difference && (t.least == nil || *t.least <= 0)
}

// extra says where and on what a figure was measured; what is not known is left out.
func extra(doc *finding.Document, variant string) string {
	tracer := ""
	if i := slices.IndexFunc(doc.Experiment.Variants, func(v finding.Variant) bool { return v.Name == variant }); i >= 0 {
		tracer = withPackages(doc, doc.Experiment.Variants[i].Tracer)
	}
	var lines []string
	for _, fact := range [][2]string{
		{"runner", runner(doc)},
		{"runtime", strings.Join(parts.Versions(doc.Environment["runtimes"]), ", ")},
		{"cpu", parts.Fact(doc, "cpu_model")},
		{"kernel", parts.Fact(doc, "kernel")},
		{"framework", finding.PlainText(doc.Experiment.Workload)},
		{"tracer", tracer},
		{"tracetax", cmp.Or(parts.Fact(doc, "tool"), finding.PlainText(doc.Tool))},
	} {
		if fact[1] != "" {
			lines = append(lines, fact[0]+": "+fact[1])
		}
	}
	return strings.Join(lines, "\n")
}

// runner is the machine in a few words: linux/amd64, 2 CPUs.
func runner(doc *finding.Document) string {
	name := parts.Fact(doc, "os")
	if arch := parts.Fact(doc, "arch"); name != "" && arch != "" {
		name += "/" + arch
	}
	if cpus := parts.Fact(doc, "cpus"); cpus != "" && name != "" {
		name += ", " + cpus + " CPUs"
	}
	return name
}

// withPackages is a tracer with the versions of its packages, where they are known.
func withPackages(doc *finding.Document, tracer string) string {
	if versions := parts.PackagesOf(doc, tracer); len(versions) > 0 {
		return tracer + " (" + strings.Join(versions, ", ") + ")"
	}
	return tracer
}
