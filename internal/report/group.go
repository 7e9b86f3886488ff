// The findings of a document in the groups in which a reader looks for them:
// by operation (and parameter), and within it by metric and variant.

package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
)

// group is what was found on one operation with one parameter.
type group struct {
	operation string // "" for the whole run
	parameter string // "depth=8", "" where there is none
	findings  []*finding.Finding
}

// title is the group's name for a reader.
func (g *group) title() string {
	name := operationLabel(g.operation)
	if g.parameter == "" {
		return name
	}
	return name + ", " + g.parameter
}

// operationLabel names an operation; "" stands for the whole run.
func operationLabel(operation string) string {
	if operation == "" {
		return "whole run"
	}
	return operation
}

// groups splits the findings by operation and parameter: the operations in the
// experiment's order, the whole run last. Findings within a group are sorted by
// metric, role, and then as the document has them.
func groups(doc *finding.Document) []*group {
	var all []*group
	byKey := map[[2]string]*group{}
	for i := range doc.Findings {
		f := &doc.Findings[i]
		key := [2]string{f.Operation, parameterText(f.Parameter)}
		g := byKey[key]
		if g == nil {
			g = &group{operation: key[0], parameter: key[1]}
			byKey[key] = g
			all = append(all, g)
		}
		g.findings = append(g.findings, f)
	}
	slices.SortStableFunc(all, func(a, b *group) int {
		return cmp.Compare(place(doc, a.operation), place(doc, b.operation))
	})
	for _, g := range all {
		slices.SortStableFunc(g.findings, byMetric)
	}
	return all
}

func byMetric(a, b *finding.Finding) int {
	return cmp.Or(
		cmp.Compare(rank(a.Metric), rank(b.Metric)),
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

// parameterText is a parameter as "depth=8, threads=2", its keys sorted.
func parameterText(p map[string]string) string { return cell.LevelOf(p).Join("=", ", ") }

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
func (g *group) contenders(doc *finding.Document, base string) []string {
	var names []string
	for _, f := range g.findings {
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
func (g *group) find(metric, role, variant, against string) *finding.Finding {
	for _, f := range g.findings {
		if f.Metric == metric && f.Charged() == role && f.Variant == variant && f.Against == against {
			return f
		}
	}
	return nil
}

// step returns the finding of a variant against another than the baseline.
func (g *group) step(metric, role, variant, base string) *finding.Finding {
	for _, f := range g.findings {
		if f.Metric == metric && f.Charged() == role && f.Variant == variant && f.Against != base {
			return f
		}
	}
	return nil
}

// headline is the metric that the group's short answer is about.
func (g *group) headline() (metric, role string) {
	for _, f := range g.findings {
		if f.Headline {
			return f.Metric, f.Role
		}
	}
	for _, f := range g.findings {
		if isMain(f) {
			return f.Metric, f.Role
		}
	}
	if len(g.findings) == 0 {
		return "", ""
	}
	return g.findings[0].Metric, g.findings[0].Role
}
