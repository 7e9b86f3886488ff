// Blocks of one sitting, or of one node of a cluster, are alike beyond what blocks are: with enough of these each is one figure.

package measure

import (
	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// Join returns the samples of sittings, or of nodes, each the mean of its blocks and named by the first, where there are as many of
// them as an interval needs; otherwise the blocks' own.
func Join(s *dataset.Set, samples []finding.Sample) []finding.Sample {
	groups := Sat(s, samples)
	if !Joins(len(groups)) && !s.Stops() { // how much wider an interval is that was stopped at is known of blocks alone
		groups = ByNode(s, samples)
	}
	if !Joins(len(groups)) {
		return samples
	}
	var out []finding.Sample
	for _, of := range groups {
		out = append(out, meanOf(of))
	}
	return out
}

// Joined reports whether sittings or nodes count, and not their blocks.
func Joined(s *dataset.Set) bool {
	return Joins(len(s.Sittings())) || !s.Stops() && Joins(len(s.Nodes()))
}

// Joins reports whether so many sittings, or nodes, count, and not their blocks.
func Joins(groups int) bool { return groups >= stats.MinBlocks(claim.Confidence) }

// ByNode returns the samples of each node of a cluster that has any, in the order of the nodes' names.
func ByNode(s *dataset.Set, samples []finding.Sample) [][]finding.Sample {
	var out [][]finding.Sample
	for _, name := range s.Nodes() {
		var of []finding.Sample
		for _, one := range samples {
			if r := s.All[s.Baseline][one.Block]; r != nil && r.Harness.Node == name {
				of = append(of, one)
			}
		}
		if len(of) > 0 {
			out = append(out, of)
		}
	}
	return out
}

// Sat returns the samples of each sitting that has any.
func Sat(s *dataset.Set, samples []finding.Sample) [][]finding.Sample {
	var out [][]finding.Sample
	for _, blocks := range s.Sittings() {
		in := map[int]bool{}
		for _, block := range blocks {
			in[block] = true
		}
		var of []finding.Sample
		for _, one := range samples {
			if in[one.Block] {
				of = append(of, one)
			}
		}
		if len(of) > 0 {
			out = append(out, of)
		}
	}
	return out
}

// meanOf is the mean of samples, with the means of their ends; an end that is open in one is.
func meanOf(samples []finding.Sample) finding.Sample {
	out, n := finding.Sample{Block: samples[0].Block}, float64(len(samples))
	var base, value []*finding.Range
	bounded := false
	for _, one := range samples {
		out.Baseline += one.Baseline / n
		out.Value += one.Value / n
		base, value = append(base, within(one.Baseline, one.BaselineWithin)), append(value, within(one.Value, one.ValueWithin))
		bounded = bounded || one.BaselineWithin != nil || one.ValueWithin != nil
	}
	if bounded {
		out.BaselineWithin, out.ValueWithin = meanRange(base), meanRange(value)
	}
	return out
}

func within(exact float64, r *finding.Range) *finding.Range {
	if r != nil {
		return r
	}
	return &finding.Range{Low: exact, High: &exact}
}

func meanRange(of []*finding.Range) *finding.Range {
	out, high, n := &finding.Range{}, 0.0, float64(len(of))
	out.High = &high
	for _, r := range of {
		out.Low += r.Low / n
		if r.High == nil || out.High == nil {
			out.High = nil
			continue
		}
		high += *r.High / n
	}
	return out
}
