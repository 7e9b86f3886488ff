// The changes of a comparison, split by metric and role: what a table is made of.

package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// changeGroup is what changed in one metric.
type changeGroup struct {
	metric, role, service string
	changes               []*finding.Change
}

// changeGroups splits the changes by metric and role, as far as they are shown:
// those that people decide by, and any that has a verdict worth seeing.
func changeGroups(doc *finding.Comparison, all bool) []*changeGroup {
	var out []*changeGroup
	byKey := map[[3]string]*changeGroup{}
	for i := range doc.Changes {
		c := &doc.Changes[i]
		k := [3]string{c.Metric, c.Role, c.Service}
		if byKey[k] == nil {
			byKey[k] = &changeGroup{metric: c.Metric, role: c.Role, service: c.Service}
			out = append(out, byKey[k])
		}
		byKey[k].changes = append(byKey[k].changes, c)
	}
	out = slices.DeleteFunc(out, func(g *changeGroup) bool {
		return !all && doc.Filter == "" && !parts.IsMain(&finding.Finding{Metric: g.metric, Role: g.role}) && !g.telling()
	})
	slices.SortStableFunc(out, func(a, b *changeGroup) int {
		return cmp.Or(cmp.Compare(parts.Rank(a.metric), parts.Rank(b.metric)), strings.Compare(a.role, b.role), strings.Compare(a.service, b.service))
	})
	return out
}

// telling reports whether a verdict is on a change, or on a budget.
func (g *changeGroup) telling() bool {
	return slices.ContainsFunc(g.changes, func(c *finding.Change) bool {
		return c.Verdict.Budget != nil || c.Verdict.Kind == finding.Costs || c.Verdict.Kind == finding.Saves
	})
}

func (g *changeGroup) title() string {
	return parts.Label(&finding.Finding{Metric: g.metric, Role: g.role, Service: g.service})
}

// notes are the remarks on its changes, each once; that on baselines stands at the
// end of the report.
func (g *changeGroup) notes() []string {
	var out []string
	if slices.ContainsFunc(g.changes, ownInterval) {
		out = append(out, "without a verdict: an interval of 95 %, not corrected")
	}
	for _, c := range g.changes {
		if c.Note != "" && c.Of != finding.OfBaseline && !slices.Contains(out, c.Note) {
			out = append(out, c.Note)
		}
	}
	return out
}

// ownInterval reports whether a change of the cost has no verdict, and so shows its own interval, under a head that says corrected.
func ownInterval(c *finding.Change) bool {
	i := shownChange(c)
	return c.Of != finding.OfBaseline && c.Verdict.Kind == "" && i != nil && i.Low != nil
}
