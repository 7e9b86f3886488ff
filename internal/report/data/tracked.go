// What dashboards follow over time: values, and what variants cost where that is known.

package data

import (
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/report/view"
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
// side is told for itself.
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
				value.name, value.variant, value.value = trackedName(doc, f, f.Against), f.Against, f.Baseline
				add(value)
			}
			value.name, value.variant, value.value = trackedName(doc, f, f.Variant), f.Variant, f.Value
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
