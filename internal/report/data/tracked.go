// What dashboards follow over time: values, and what variants cost where that is known.

package data

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/report/view"
)

// tracked is one figure of a finding.
type tracked struct {
	of        *finding.Finding
	name      string // workload/operation[/level]/variant, "… over AGAINST" for a cost over another than the baseline
	cost      string // "": a value; otherwise the ending of a cost
	value     float64
	low, high *float64 // nil: it has no interval
}

// Endings of measures that are costs: as a share, and as an amount in the metric's unit.
const (
	asShare  = "_overhead"
	asAmount = "_added"
)

// measure is the metric, with the ending of a cost.
func (t tracked) measure() string { return t.of.Metric + t.cost }

// ofTracing are metrics of what tracing adds: a baseline has none.
var ofTracing = []string{metric.CPUPerSpan, metric.CPUPerKeptTrace, metric.Slope, metric.Base, metric.R2}

// trackedOf returns the figures of a result over all roles, in its order, each once.
func trackedOf(doc *finding.Document) []tracked {
	var out []tracked
	seen := map[[2]string]bool{}
	for _, g := range view.Groups(doc) {
		for _, f := range g.Findings {
			if f.Role != "" || f.Service != "" || f.Blocks == 0 {
				continue
			}
			for _, t := range trackedIn(doc, f) {
				key := [2]string{t.name, t.measure()}
				if !seen[key] && !math.IsNaN(t.value) && !math.IsInf(t.value, 0) {
					seen[key] = true
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// trackedIn returns the value of each side that has one, and the cost with its interval where that answers: it has a
// verdict, and is not inconclusive.
func trackedIn(doc *finding.Document, f *finding.Finding) []tracked {
	name := func(variant string) string {
		names := []string{doc.Experiment.Workload, operationName(f.Operation)}
		if level := cell.LevelOf(f.Parameter); !level.IsZero() {
			names = append(names, level.Join("=", ","))
		}
		return finding.PlainText(strings.Join(append(names, variant), "/"))
	}
	var out []tracked
	if !slices.Contains(ofTracing, f.Metric) && (f.Absolute != nil || f.Relative != nil || f.Uncompared) {
		out = append(out, tracked{of: f, name: name(f.Against), value: float64(f.Baseline)})
	}
	out = append(out, tracked{of: f, name: name(f.Variant), value: float64(f.Value)})
	shown := f.Shown()
	if shown == nil || shown.Low == nil || shown.High == nil || doc.NotTracing(f) {
		return out
	}
	switch f.Verdict.ShownKind(f.ByRatio()) {
	case finding.Costs, finding.Saves, finding.NoDifference, finding.Within, finding.Over:
	default:
		return out
	}
	of, cost := f.Variant, asAmount
	if len(doc.Experiment.Variants) == 0 || f.Against != doc.Experiment.Variants[0].Name {
		of += " over " + f.Against
	}
	if f.ByRatio() {
		cost = asShare
	}
	return append(out, tracked{f, name(of), cost, shown.Estimate, shown.Low, shown.High})
}

// actionFigure is one line of a chart of the GitHub action "benchmark".
type actionFigure struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range,omitempty"` // its 95 % interval
	Extra string  `json:"extra,omitempty"` // where it was measured
}

// BenchmarkAction writes the main figures where less is better as github-action-benchmark's customSmallerIsBetter.
// Shares are in percent. The action warns by the ratio of a figure to the one before: a cost is a part of the baseline's
// value (104.2 % for one of 4.2 %), and an amount that may be zero or below is left out.
func BenchmarkAction(w io.Writer, doc *finding.Document) error {
	all := []actionFigure{}
	for _, t := range trackedOf(doc) {
		added := t.cost == asAmount || t.cost == "" && slices.Contains(ofTracing, t.of.Metric)
		mayBeZero := added && (t.of.Absolute == nil || t.of.Absolute.Low == nil || *t.of.Absolute.Low <= 0)
		if !parts.IsMain(t.of) || t.of.Better != "lower" || t.value <= 0 && t.cost != asShare || mayBeZero {
			continue
		}
		name, unit, base, scale := t.measure(), t.of.Unit, 0.0, 1.0
		switch {
		case t.cost == asShare:
			name, unit, base, scale = t.of.Metric+"_of_baseline", "% of the baseline", 1, 100
		case unit == "1":
			unit, scale = "%", 100
		}
		f := actionFigure{Name: t.name + ": " + name, Unit: unit, Value: scale * (base + t.value), Extra: view.Where(doc)}
		if t.low != nil && t.high != nil {
			f.Range = fmt.Sprintf("%.4g to %.4g", scale*(base+*t.low), scale*(base+*t.high))
		}
		all = append(all, f)
	}
	return Indented(w, all, "the figures")
}

// bmfFigure is one measure of a benchmark in Bencher's format. An end that is not known is left out.
type bmfFigure struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"lower_value,omitempty"`
	High  *float64 `json:"upper_value,omitempty"`
}

// BMF writes the figures in Bencher Metric Format, in the metrics' units: by benchmark (workload/operation/variant) and
// measure (the metric; its cost as METRIC_overhead or METRIC_added).
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
