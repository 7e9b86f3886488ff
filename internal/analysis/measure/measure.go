// Package measure owns how each metric is read in a run, and which are measured in a regime. A metric that one of the runs
// cannot give is not shown at all: leaving out the runs that cannot give it would choose among them. It must not know
// intervals.
package measure

import (
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/role"
)

// Measure is one figure of a run: a metric, the role or service that it is charged to, and its reading.
type Measure struct {
	metric.Row
	Payer       role.Charge // zero: all but the harness
	Remark      *finding.Reason
	NoVerdict   bool
	NotCompared bool // each side's is of other work: there is no difference to take
	Added       bool // over the baseline by definition: that has none itself
	Leads       bool // the summary is made of it
	Read        Reading
}

// Reading reads a figure in a run; the phase is nil for figures of the whole run. False: the run
// has none.
type Reading func(*dataset.Run, *dataset.Phase) (float64, bool)

// Of makes a measure of a metric in a regime.
func Of(row metric.Row, charged role.Charge, how metric.Regimes) Measure {
	m := Measure{
		Row: row, Payer: charged, NoVerdict: !row.Verdict.Has(how),
		NotCompared: row.Uncompared.Has(how), Leads: row.Headline.Has(how) && charged == (role.Charge{}),
	}
	if note := row.Notes(how); note != "" {
		m.Remark = &finding.Reason{Code: finding.WhyTold, Said: note}
	}
	if read, known := readingOf(row); known {
		m.Read = read(charged)
	}
	if charged.Service != "" {
		m.NoVerdict = true // those of sixty services would widen all other intervals
	}
	if charged.Role.Harness() && !m.NotCompared {
		m.NoVerdict, m.Remark = true, &finding.Reason{Code: finding.NoteHarness}
	}
	return m
}

// Made is a measure that is not read in one run, but made of several readings.
func Made(name string, verdict bool) Measure {
	return Measure{Row: metric.Must(name), NoVerdict: !verdict}
}

// All lists what is measured in every run, for each role and service that a cost is charged to alone.
func All(charges []role.Charge, how metric.Regimes) []Measure {
	helped := slices.ContainsFunc(charges, func(c role.Charge) bool { return c.Role.Helper() })
	var list []Measure
	for _, row := range metric.Table {
		if !row.In.Has(how) {
			continue
		}
		list = append(list, Of(row, role.Charge{}, how))
		for _, charged := range charges {
			if row.Charged || row.Parts && helped && !charged.Role.Harness() {
				list = append(list, Of(row, charged, how))
			}
		}
	}
	return list
}

// CPU is the CPU per operation of a role, at a rate.
func CPU(charged role.Role) Measure {
	return Of(metric.Must(metric.CPUPerOperation), role.Charge{Role: charged}, metric.Open)
}

// Headline is the metric that the summary is made of in a regime.
func Headline(how metric.Regimes) Measure {
	switch how {
	case metric.Search:
		return Of(metric.Must(metric.Capacity), role.Charge{}, metric.Search)
	case metric.Unthrottled:
		return Of(metric.Must(metric.TimePerCall), role.Charge{}, metric.Unthrottled)
	}
	return CPU("")
}

// Named finds the metric of that name, over all roles, among those that an operation has in a regime, or
// the whole run; the one that the summary is made of where there is no name.
func Named(name string, how metric.Regimes, whole bool) (Measure, bool) {
	if name == "" {
		return Headline(how), !whole
	}
	for _, m := range All(nil, how) {
		if m.Name == name && m.WholeRun == whole {
			return m, true
		}
	}
	return Measure{}, false
}

// A metric in all runs that count, block by block.

// Samples returns the values of both sides, block by block; nil where a run
// cannot give the metric. A block in which a search came to nothing does not count,
// like one in which a run failed; but too many of those are nil as well.
func (m Measure) Samples(s *dataset.Set, p dataset.Pair, at cell.At) []finding.Sample {
	return Join(s, m.PerBlock(s, p, at))
}

// PerBlock returns Samples with one for each block, whatever the sittings.
func (m Measure) PerBlock(s *dataset.Set, p dataset.Pair, at cell.At) []finding.Sample {
	var out []finding.Sample
	unsteady := 0
	blocks := s.BlocksOf(p.Variant, p.Against)
	for _, block := range blocks {
		base, value := s.Both(p, block)
		basePhase, valuePhase := base.ByCell[at], value.ByCell[at]
		if !m.WholeRun && (basePhase == nil || valuePhase == nil) || m.skips(base) || m.skips(value) {
			continue
		}
		if !m.WholeRun && (basePhase.Unsteady() || valuePhase.Unsteady()) {
			if unsteady++; unsteady > len(blocks)/dataset.Droppable {
				return nil
			}
			continue
		}
		b, okBase := m.Read(base, basePhase)
		v, okValue := m.Read(value, valuePhase)
		if !okBase || !okValue || !claim.Sane(b) || !claim.Sane(v) {
			return nil
		}
		one := finding.Sample{Block: block, Baseline: b, Value: v}
		if m.Name == metric.Capacity {
			one.BaselineWithin, one.ValueWithin = basePhase.Bracket(), valuePhase.Bracket()
		}
		out = append(out, one)
	}
	return out
}

// ByBlock are a variant's values on a cell by block; none where a run cannot
// give the metric.
func (m Measure) ByBlock(s *dataset.Set, variant string, at cell.At) map[int]float64 {
	values := map[int]float64{}
	for _, block := range s.BlocksOf(variant, s.Baseline) {
		r := s.Runs[variant][block]
		p := r.ByCell[at]
		if p == nil {
			continue
		}
		v, ok := m.Read(r, p)
		if !ok || !claim.Sane(v) {
			return nil
		}
		values[block] = v
	}
	return values
}
