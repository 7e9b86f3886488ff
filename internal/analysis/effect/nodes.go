// Blocks on several nodes of a cluster.

package effect

import (
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// byNode are the figures of a claim's blocks by the node that made them, in the order of Nodes: log-ratios, or amounts where these
// answer. It is nil where the blocks are of one node, or joined to sittings.
func (s *Estimator) byNode(c *draft) [][]float64 {
	nodes := s.Nodes()
	if len(nodes) < 2 || measure.Joins(len(measure.Sat(s.Set, c.Samples))) {
		return nil
	}
	base, value := claim.Sides(c.Samples)
	figures := value.Minus(base)
	if ratios, ok := claim.Ratios(base, value); c.evidence.Ratio && ok {
		figures = ratios
	}
	groups := make([][]float64, len(nodes))
	for _, x := range figures {
		if at, found := slices.BinarySearch(nodes, s.Runs[c.pair.Variant][x.Block].Harness.Node); found {
			groups[at] = append(groups[at], x.Mid)
		}
	}
	return groups
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

// NodesDiffer returns the headlines whose blocks differ between nodes by more than on one: their intervals hold for these nodes.
func (s *Estimator) NodesDiffer() []Doubt {
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
