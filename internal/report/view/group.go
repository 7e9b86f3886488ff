// The findings of a document in the groups in which a reader looks for them:
// by operation (and parameter), and within it by metric and variant.

package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// Group is what was found on one operation with one parameter.
type Group struct {
	Operation string // "" for the whole run
	Parameter string // "depth=8", "" where there is none
	Findings  []*finding.Finding
}

// title is the group's name for a reader.
func (g *Group) title() string {
	name := parts.Operation(g.Operation)
	if g.Parameter == "" {
		return name
	}
	return name + ", " + g.Parameter
}

// Groups splits the findings by operation and parameter: the operations in the
// experiment's order, the whole run last. Findings within a group are sorted by
// metric, role, and then as the document has them.
func Groups(doc *finding.Document) []*Group {
	var all []*Group
	byKey := map[[2]string]*Group{}
	for i := range doc.Findings {
		f := &doc.Findings[i]
		key := [2]string{f.Operation, parts.Parameter(f.Parameter)}
		g := byKey[key]
		if g == nil {
			g = &Group{Operation: key[0], Parameter: key[1]}
			byKey[key] = g
			all = append(all, g)
		}
		g.Findings = append(g.Findings, f)
	}
	slices.SortStableFunc(all, func(a, b *Group) int {
		return cmp.Compare(place(doc, a.Operation), place(doc, b.Operation))
	})
	for _, g := range all {
		slices.SortStableFunc(g.Findings, byMetric)
	}
	return all
}

func byMetric(a, b *finding.Finding) int {
	return cmp.Or(
		cmp.Compare(parts.Rank(a.Metric), parts.Rank(b.Metric)),
		strings.Compare(a.Metric, b.Metric),
		strings.Compare(a.Role, b.Role),
		strings.Compare(a.Service, b.Service),
	)
}

// place is where an operation stands in the experiment.
func place(doc *finding.Document, operation string) int {
	if operation == "" {
		return len(doc.Experiment.Operations) + 1
	}
	if i := slices.Index(doc.Experiment.Operations, operation); i >= 0 {
		return i
	}
	return len(doc.Experiment.Operations)
}

// baseline is the name of the variant that all others are held against.
func baseline(doc *finding.Document) string {
	if len(doc.Experiment.Variants) > 0 {
		return doc.Experiment.Variants[0].Name
	}
	if len(doc.Findings) > 0 {
		return doc.Findings[0].Against
	}
	return ""
}

// contenders are the variants that the group compares with base, in the
// experiment's order.
func (g *Group) contenders(doc *finding.Document, base string) []string {
	var names []string
	for _, f := range g.Findings {
		if f.Against == base && !slices.Contains(names, f.Variant) {
			names = append(names, f.Variant)
		}
	}
	order := func(name string) int {
		return slices.IndexFunc(doc.Experiment.Variants, func(v finding.Variant) bool { return v.Name == name })
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(order(a), order(b)) })
	return names
}

// find returns the finding of one metric and of whom it is charged to for a pair, or nil.
func (g *Group) find(metric, role, variant, against string) *finding.Finding {
	for _, f := range g.Findings {
		if f.Metric == metric && f.Charged() == role && f.Variant == variant && f.Against == against {
			return f
		}
	}
	return nil
}

// step returns the finding of a variant against another than the baseline.
func (g *Group) step(metric, role, variant, base string) *finding.Finding {
	for _, f := range g.Findings {
		if f.Metric == metric && f.Charged() == role && f.Variant == variant && f.Against != base {
			return f
		}
	}
	return nil
}

// headline is the metric that the group's short answer is about.
func (g *Group) headline() (metric, role string) {
	for _, f := range g.Findings {
		if f.Headline {
			return f.Metric, f.Role
		}
	}
	for _, f := range g.Findings {
		if parts.IsMain(f) {
			return f.Metric, f.Role
		}
	}
	if len(g.Findings) == 0 {
		return "", ""
	}
	return g.Findings[0].Metric, g.Findings[0].Role
}

func parameters(g *Group) map[string]string {
	for _, f := range g.Findings {
		return f.Parameter
	}
	return nil
}
