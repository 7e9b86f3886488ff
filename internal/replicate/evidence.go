// This file finds the figures that a claim is about.

package replicate

import "github.com/tracetax/tracetax/internal/finding"

// What a claim may be of, and over what its figures are averaged; see config.Claim.
const (
	ofCost  = "cost"
	ofRatio = "ratio"

	overOperations = "operations"
	overWorkloads  = "workloads"
	overVariants   = "variants"
	overAll        = "all"
)

// evidence is what one figure of a claim is made of: parts to be averaged; with under
// the ratio of the mean of parts to the mean of under, on another workload.
type evidence struct {
	at           finding.ClaimFigure
	parts, under []part
}

// evidence selects what a claim is about.
func (s *replication) evidence(c finding.Claim) []evidence {
	switch {
	case c.Of == ofRatio && len(c.Variants) == 2:
		return grouped(c.Over, s.variantParts(c), nil)
	case c.Of == ofRatio && len(c.Workloads) == 2:
		over, under := c, c
		over.Workloads, under.Workloads = c.Workloads[:1], c.Workloads[1:]
		return grouped(c.Over, s.costParts(over), s.costParts(under))
	case c.Of == ofRatio && (c.Beside != "" || len(c.Operation) == 2):
		return grouped(c.Over, s.costPairs(c), nil)
	case c.Of == ofCost || c.Of == "":
		return grouped(c.Over, s.costParts(c), nil)
	}
	return nil // a ratio of nothing that there are two of
}
