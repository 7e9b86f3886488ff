// This file makes the tables: variants by operations, a metric and a workload each,
// with what was published beside it.

package replicate

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

func (s *replication) tables() []finding.ReplicationTable {
	out := []finding.ReplicationTable{}
	for _, metric := range s.metrics() {
		for _, r := range s.results {
			if t := s.table(r, metric); len(t.Rows) > 0 {
				out = append(out, t)
			}
		}
	}
	return out
}

func (s *replication) table(r *result, metric string) finding.ReplicationTable {
	t := finding.ReplicationTable{Workload: r.workload, Metric: metric, Baseline: r.baseline}
	told := map[string]bool{} // cells whose baseline has a row
	for _, f := range s.find(func(f *figure) bool { return f.of == r && f.Metric == metric && len(f.Samples) > 0 }) {
		t.Unit, t.Better, t.Amount = f.Unit, f.Better, t.Amount || f.Amount
		if at := f.at(); !told[at] && hasBaseline(f.Finding) {
			told[at] = true
			t.Rows = append(t.Rows, finding.ReplicationCell{
				Operation: f.Operation, Parameter: f.Parameter, Variant: r.baseline, Blocks: f.Blocks,
				Value: s.itself(f, func(p finding.Sample) float64 { return p.Baseline }), Published: s.published(r, f.Finding, r.baseline),
			})
		}
		row := finding.ReplicationCell{
			Operation: f.Operation, Parameter: f.Parameter, Variant: f.Variant, Blocks: f.Blocks, Lossy: f.lossy, Suppressed: f.suppressed(), Reason: f.reason,
			Value: s.itself(f, func(p finding.Sample) float64 { return p.Value }), Cost: f.Relative, Added: f.Absolute,
			Published: s.published(r, f.Finding, f.Variant),
		}
		if isCount(metric) {
			row.Cost, row.Added = nil, nil
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) > 0 {
		t.Rows = append(t.Rows, s.absent(r, t)...)
	}
	return t
}

// absent are the rows of variants that could not run and of which a figure was published.
func (s *replication) absent(r *result, t finding.ReplicationTable) []finding.ReplicationCell {
	var out []finding.ReplicationCell
	for _, left := range r.Experiment.LeftOut {
		for _, p := range r.Experiment.Published {
			if p.Metric != t.Metric || p.Variant != left.Variant {
				continue
			}
			row := finding.ReplicationCell{Operation: p.Operation, Parameter: p.Parameter, Variant: left.Variant, Reason: leftOut(left)}
			if slices.ContainsFunc(out, func(o finding.ReplicationCell) bool {
				return o.Variant == row.Variant && o.Operation == row.Operation && maps.Equal(o.Parameter, row.Parameter)
			}) {
				continue // of another series
			}
			f := &finding.Finding{Operation: p.Operation, Parameter: p.Parameter, Variant: left.Variant, Metric: t.Metric, Amount: t.Amount}
			row.Published = s.published(r, f, left.Variant)
			out = append(out, row)
		}
	}
	return out
}

// itself is the centre of one side over the blocks, with its interval.
func (s *replication) itself(f *figure, side func(finding.Sample) float64) *finding.Interval {
	values := make([]float64, 0, len(f.Samples))
	for _, p := range f.Samples {
		values = append(values, side(p))
	}
	e := stats.SignedRank(values, ask(confidence, f.of))
	if math.IsNaN(e.Center) {
		return nil
	}
	return interval(e)
}
