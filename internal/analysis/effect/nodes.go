// Blocks on several nodes of a cluster.

package effect

import (
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// byNode are the figures of a claim's blocks by the node that made them: log-ratios, or amounts where these answer.
func (s *Estimator) byNode(c *draft) [][]float64 {
	var groups [][]float64
	for _, samples := range measure.ByNode(s.Set, c.metric.PerBlock(s.Set, c.pair, c.at)) {
		groups = append(groups, c.figures(samples))
	}
	return groups
}

// figures are those of samples on which the verdict is made: log-ratios, or amounts.
func (c *draft) figures(samples []finding.Sample) []float64 {
	base, value := claim.Sides(samples)
	if ratios, ok := claim.Ratios(base, value); c.evidence.Ratio && ok {
		return ratios.Values()
	}
	return value.Minus(base).Values()
}

// remarkNodes adds to a headline how far its ratio differs between nodes, and between the blocks of one.
func (s *Estimator) remarkNodes(c *draft) {
	if !c.Headline || !c.evidence.Ratio {
		return
	}
	groups := s.byNode(c)
	between, within, known := stats.Components(groups)
	if !known {
		return
	}
	c.remark(finding.Reason{Code: finding.NoteNodes, Figures: []finding.Figure{
		{Name: "nodes", Value: float64(len(groups)), Unit: "count"},
		{Name: "between", Value: between, Unit: "1"}, {Name: "within", Value: within, Unit: "1"},
	}})
}

// NodesDiffer returns the headlines whose blocks differ between nodes by more than on one, where each block counts as one for want of
// nodes: their intervals hold for these nodes.
func (s *Estimator) NodesDiffer() []Doubt {
	if measure.Joined(s.Set) {
		return nil
	}
	var out []Doubt
	for _, c := range s.headlines {
		groups := s.byNode(c)
		if _, _, known := stats.Components(groups); known && stats.GroupsDiffer(groups) < doubtful {
			out = append(out, c.doubt(c.centresOf(finding.NoteNodesApart, "node", groups)))
		}
	}
	return out
}

// centresOf is a reason with the centre of each group of a claim's figures.
func (c *draft) centresOf(code finding.Code, name string, groups [][]float64) finding.Reason {
	reason, unit := finding.Reason{Code: code}, "1"
	if !c.evidence.Ratio {
		unit = c.Unit
	}
	for _, of := range groups {
		if len(of) > 0 {
			centre := c.evidence.Shown(stats.Estimate{Center: stats.Center(of)}).Center
			reason.Figures = append(reason.Figures, finding.Figure{Name: name, Value: centre, Unit: unit})
		}
	}
	return reason
}
