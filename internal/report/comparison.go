// A comparison of results for a person: one sentence, a table per metric, and
// what stands against comparing.

package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// ComparisonJSON writes the comparison, indented.
func ComparisonJSON(w io.Writer, doc *finding.Comparison) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return fmt.Errorf("writing the comparison as JSON: %w", err)
	}
	return nil
}

// Comparison writes the comparison for a terminal.
func Comparison(w io.Writer, doc *finding.Comparison, opts TerminalOptions) error {
	t := &terminal{doc: &finding.Document{Warnings: doc.Warnings}, opts: opts, brush: painter{opts.Color}, noted: map[string]bool{}}
	t.paragraph("", doc.Answer, bold)
	for _, text := range sidesText(doc) {
		t.paragraph("", text, dim)
	}
	for _, g := range changeGroups(doc, opts.All) {
		t.changes(doc, g)
		for _, note := range g.notes() {
			t.paragraph(indent, note, dim)
		}
	}
	t.ranks(doc)
	t.line("")
	t.paragraph(indent, changeText(doc), dim)
	t.warnings()
	if _, err := io.WriteString(w, t.text.String()); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	return nil
}

// changes writes a metric's table; one for each new result where they do not fit
// beside each other.
func (t *terminal) changes(doc *finding.Comparison, g *changeGroup) {
	all := make([]int, len(doc.News))
	for i := range all {
		all[i] = i
	}
	tables := []grid{changeTable(doc, g, all)}
	if whole := tables[0]; t.opts.Width > 0 && len(all) > 1 && whole.wide() > t.opts.Width {
		tables = nil
		for _, i := range all {
			tables = append(tables, changeTable(doc, g, []int{i}))
		}
	}
	for _, table := range tables {
		t.line("")
		for _, l := range table.lines(t.brush, t.opts.Width) {
			t.line(l)
		}
	}
}

// wide is how wide the table would like to be.
func (g grid) wide() int {
	shown, widths := g.fit(0)
	return g.total(shown, widths)
}

// sidesText says what is compared, a line a result.
func sidesText(doc *finding.Comparison) []string {
	var out []string
	for i, side := range append([]finding.Side{doc.Base}, doc.News...) {
		lead := "before: "
		if i > 0 {
			lead = "after:  "
		}
		text := lead + side.Name + ", " + counted(side.Blocks, "block")
		if i == 0 {
			text += " · " + side.Workload + " · " + side.Load
		}
		if len(side.Changed) > 0 {
			text += "; set differently: " + strings.Join(side.Changed, ", ")
		}
		out = append(out, text)
	}
	return out
}

// changeCentres explains why the figures of a row need not give its change.
const changeCentres = " Each figure is a centre over the blocks, of its own (Hodges–Lehmann): those of a row need not subtract or divide exactly."

// changeText says what a change is.
func changeText(doc *finding.Comparison) string {
	if doc.Mode == "variants" {
		return "A change is that of the whole figure, from one variant to the other, within blocks. Intervals are of 95 %; verdicts are corrected for all claims made here together." + changeCentres
	}
	return "A change is the ratio of two ratios to the baseline, after ÷ before: what slowed the machine down in one of the results cancels out. Intervals are of 95 %; verdicts are corrected for all claims made here together. The baseline's own change has no verdict: the machine's is in it." + changeCentres
}

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
		return !all && doc.Filter == "" && !isMain(&finding.Finding{Metric: g.metric, Role: g.role}) && !g.telling()
	})
	slices.SortStableFunc(out, func(a, b *changeGroup) int {
		return cmp.Or(cmp.Compare(rank(a.metric), rank(b.metric)), strings.Compare(a.role, b.role), strings.Compare(a.service, b.service))
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
	return label(&finding.Finding{Metric: g.metric, Role: g.role, Service: g.service})
}

// notes are the remarks on its changes, each once; that on baselines stands at the
// end of the report.
func (g *changeGroup) notes() []string {
	var out []string
	for _, c := range g.changes {
		if c.Note != "" && c.Of != finding.OfBaseline && !slices.Contains(out, c.Note) {
			out = append(out, c.Note)
		}
	}
	return out
}
