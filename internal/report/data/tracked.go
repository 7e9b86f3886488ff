// What dashboards follow over time: values, and what variants cost where that is known.

package data

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/report/view"
	"github.com/tracetax/tracetax/internal/sheet"
)

// tracked is one figure.
type tracked struct {
	name      string // of what it is: workload/operation/level/variant, "… over AGAINST" for a cost over another than the baseline
	metric    string
	cost      string // "": a value; otherwise the ending of a cost
	unit      string // "1" for a ratio
	better    string
	main      bool // people decide by it
	variant   string
	value     float64
	low, high *float64 // nil: it has no interval
	least     *float64 // the low end of what tracing adds, in the metric's unit; nil: it has none
}

// measure is the metric, with the ending of a cost.
func (t tracked) measure() string { return t.metric + t.cost }

// Endings of measures that are costs: as a share, and as an amount in the metric's unit.
const (
	asShare  = "_overhead"
	asAmount = "_added"
)

// ofTracing are metrics of what tracing adds: a baseline has none.
var ofTracing = []string{metric.CPUPerSpan, metric.CPUPerKeptTrace, metric.Slope, metric.Base, metric.R2}

// hasBaseline reports whether a finding has a value of the variant that it is against: a difference to it, or that each
// side has a figure of its own.
func hasBaseline(f *finding.Finding) bool {
	return !slices.Contains(ofTracing, f.Metric) && (f.Absolute != nil || f.Relative != nil || f.Uncompared)
}

// trackedOf are the figures of a result over all roles, in its order: the value of each variant, and its cost with the
// interval where that answers. A figure that is not known, or whose interval is too wide to tell, is not there.
func trackedOf(doc *finding.Document) []tracked {
	var out []tracked
	seen := map[[2]string]bool{}
	add := func(t tracked) {
		key := [2]string{t.name, t.measure()}
		if seen[key] || math.IsNaN(t.value) || math.IsInf(t.value, 0) {
			return
		}
		seen[key] = true
		out = append(out, t)
	}
	for _, g := range view.Groups(doc) {
		for _, f := range g.Findings {
			if f.Role != "" || f.Service != "" || f.Blocks == 0 {
				continue
			}
			t := tracked{metric: f.Metric, unit: f.Unit, better: f.Better, main: parts.IsMain(f)}
			if f.Absolute != nil {
				t.least = f.Absolute.Low
			}
			value := t
			if hasBaseline(f) {
				value.name, value.variant, value.value = trackedName(doc, f, f.Against), f.Against, float64(f.Baseline)
				add(value)
			}
			value.name, value.variant, value.value = trackedName(doc, f, f.Variant), f.Variant, float64(f.Value)
			add(value)
			if !tells(doc, f) {
				continue
			}
			of := f.Variant
			if len(doc.Experiment.Variants) == 0 || f.Against != doc.Experiment.Variants[0].Name {
				of += " over " + f.Against
			}
			t.name, t.variant, t.value = trackedName(doc, f, of), f.Variant, f.Shown().Estimate
			t.low, t.high = f.Shown().Low, f.Shown().High
			if t.cost = asAmount; f.ByRatio() {
				t.cost, t.unit = asShare, "1"
			}
			add(t)
		}
	}
	return out
}

// tells reports whether a finding says what a variant costs: it has an interval and a verdict, and is not inconclusive.
func tells(doc *finding.Document, f *finding.Finding) bool {
	if i := f.Shown(); i == nil || i.Low == nil || i.High == nil || doc.NotTracing(f) {
		return false
	}
	switch f.Verdict.ShownKind(f.ByRatio()) {
	case finding.Costs, finding.Saves, finding.NoDifference, finding.Within, finding.Over:
		return true
	}
	return false
}

// trackedName is what a figure is of.
func trackedName(doc *finding.Document, f *finding.Finding, variant string) string {
	names := []string{doc.Experiment.Workload, operationName(f.Operation)}
	if level := cell.LevelOf(f.Parameter); !level.IsZero() {
		names = append(names, level.Join("=", ","))
	}
	names = append(names, variant)
	return finding.PlainText(strings.Join(names, "/"))
}

// The format of the GitHub action "benchmark", for metrics where less is better.

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

// BenchmarkAction writes the main figures where less is better as github-action-benchmark's customSmallerIsBetter.
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
	return Indented(w, all, "the figures")
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

// The format of Bencher, which carries intervals.

// bmfFigure is one measure of a benchmark. An end that is not known is left out.
type bmfFigure struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"lower_value,omitempty"`
	High  *float64 `json:"upper_value,omitempty"`
}

// BMF writes the figures in Bencher Metric Format: by benchmark (workload/operation/variant) and measure (the metric; its
// cost as METRIC_overhead or METRIC_added). They are in the metrics' units.
func BMF(w io.Writer, doc *finding.Document) error {
	all := map[string]map[string]bmfFigure{}
	for _, t := range trackedOf(doc) {
		if all[t.name] == nil {
			all[t.name] = map[string]bmfFigure{}
		}
		all[t.name][t.measure()] = bmfFigure{t.value, t.low, t.high}
	}
	return Indented(w, all, "the figures")
}

// The format of Otava, which looks for changes over a history of results.

// errNothingShared is why results make no history.
var errNothingShared = errors.New("no figure is in all of these results: Otava reads a number in each row of a column; give results of one experiment and workload")

// Otava writes a row for each result, in the order of time: the time, the commit of the program where it is known, and a
// column for each figure that all of them have, called "workload/operation/variant measure". Otava reads a number in each
// cell, and no longer finds a change where one is none: left are the figures that some results lack.
func Otava(w io.Writer, docs []*finding.Document) (left []string, err error) {
	docs = slices.Clone(docs)
	slices.SortStableFunc(docs, func(a, b *finding.Document) int { return measuredAt(a).Compare(measuredAt(b)) })
	var names []string
	values := make([]map[string]float64, len(docs))
	for i, doc := range docs {
		values[i] = map[string]float64{}
		for _, t := range trackedOf(doc) {
			name := t.name + " " + t.measure()
			values[i][name] = t.value
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	head := []string{"time", "commit"}
	rows := make([][]string, len(docs))
	for i, doc := range docs {
		rows[i] = []string{measuredAt(doc).UTC().Format(time.RFC3339), sheet.Text(commitOf(doc))}
	}
	for _, name := range names {
		if slices.ContainsFunc(values, func(of map[string]float64) bool { _, known := of[name]; return !known }) {
			left = append(left, name)
			continue
		}
		head = append(head, sheet.Text(name))
		for i := range docs {
			rows[i] = append(rows[i], sheet.Number(values[i][name]))
		}
	}
	if len(names) > 0 && len(left) == len(names) {
		return nil, errNothingShared
	}
	return left, sheet.Write(w, "the history", append([][]string{head}, rows...))
}

// measuredAt is when a result was begun; when it was analysed, where that is not known.
func measuredAt(doc *finding.Document) time.Time {
	if at, known := parts.Started(doc); known {
		return at
	}
	return doc.Created
}

// commitOf is the commit of the user's checkout, "-dirty" where its files were changed since; "" where it is not known.
func commitOf(doc *finding.Document) string {
	checkout, _ := doc.Environment["checkout"].(map[string]any)
	commit, _ := checkout["commit"].(string)
	if dirty, _ := checkout["dirty"].(bool); dirty && commit != "" {
		commit += "-dirty"
	}
	return commit
}
