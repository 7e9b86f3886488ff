// This file carries what a study published, and what it claimed, to the findings of the
// results that repeat it.

package analysis

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
)

// Published are the figures of the workload that the experiment is of.
func Published(e *config.Experiment) []finding.Published {
	var out []finding.Published
	for _, p := range e.Published {
		if p.Workload != "" && (e.Workload == nil || p.Workload != e.Workload.Name) {
			continue
		}
		out = append(out, finding.Published{
			Source: p.Source, Operation: p.Operation, Variant: p.Variant, Metric: p.Metric, Parameter: maps.Clone(p.Parameter),
			Value: p.Value, Spread: p.Spread, Note: p.Note,
		})
	}
	return out
}

// Claims are the claims, whole: they may be about several workloads.
func Claims(e *config.Experiment) []finding.Claim {
	var out []finding.Claim
	for _, c := range e.Claims {
		out = append(out, finding.Claim{
			Name: c.Name, Text: c.Text, Metric: c.Metric, Of: c.Of, Beside: c.Beside, Variants: slices.Clone(c.Variants), Workloads: slices.Clone(c.Workloads),
			Operation: slices.Clone(c.Operation), Over: c.Over, Some: c.Some, Above: c.Above, Below: c.Below,
		})
	}
	return out
}
