// The tables of what was varied between phases: a row for each level, so that
// many levels need few columns.

package report

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// levels are the groups of one operation that differ in their parameter only, in the
// document's order; none where there is one group.
func levels(all []*group, operation string) []*group {
	var out []*group
	for _, g := range all {
		if g.operation == operation && g.parameter != "" {
			out = append(out, g)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// sweep writes all levels of one operation: a table for each metric that people
// decide by, the knees, and the ledger.
func (t *terminal) sweep(levels []*group) {
	t.line("")
	t.title(operationLabel(levels[0].operation) + ", by " + parameterNames(levels[0]))
	base := baseline(t.doc)
	first := true
	shown := sweepMetrics(levels)
	for _, m := range shown {
		table := t.levelTable(levels, m, base)
		if len(table.rows) == 0 {
			continue
		}
		if !first {
			t.line("")
		}
		first = false
		for _, l := range table.lines(t.brush, t.opts.Width) {
			t.line(l)
		}
	}
	t.knees(levels[0].operation)
	for _, g := range levels {
		t.notes(g, func(f *finding.Finding) bool {
			return f.Role == "" && f.Metric != "cpu_per_span" && slices.ContainsFunc(shown, func(m *finding.Finding) bool { return m.Metric == f.Metric })
		})
	}
	t.ledgers(levels[0].operation)
}

// parameterNames is what is varied, as the head of a column.
func parameterNames(g *group) string {
	text := ""
	for name := range parameters(g) {
		if text != "" {
			return "level"
		}
		text = name
	}
	return visible(text)
}

func parameters(g *group) map[string]string {
	for _, f := range g.findings {
		return f.Parameter
	}
	return nil
}

// levelText is a level in its row: the value alone where one thing is varied.
func levelText(g *group) string {
	p := parameters(g)
	if len(p) == 1 {
		for _, value := range p {
			return visible(value)
		}
	}
	return visible(g.parameter)
}

// sweepMetrics are the metrics that are shown over the levels, over all roles: the
// headline, and those that people decide by; throughput in a closed loop only, which
// has no latency: in an open one it is the rate that was asked for.
func sweepMetrics(levels []*group) []*finding.Finding {
	over := []string{"throughput", "latency_p50", "latency_p99"}
	if slices.ContainsFunc(levels, (*group).isDriven) {
		over = []string{"time_per_call", "cpu_per_operation", "cpu_per_span"}
	}
	isLatency := func(f *finding.Finding) bool { return strings.HasPrefix(f.Metric, "latency_") }
	open := slices.ContainsFunc(levels, func(g *group) bool { return slices.ContainsFunc(g.findings, isLatency) })
	var out []*finding.Finding
	for _, g := range levels {
		for _, f := range g.findings {
			known := slices.ContainsFunc(out, func(have *finding.Finding) bool { return have.Metric == f.Metric })
			if !known && f.Role == "" && (f.Headline || slices.Contains(over, f.Metric) && !(open && f.Metric == "throughput")) {
				out = append(out, f)
			}
		}
	}
	slices.SortStableFunc(out, byMetric)
	return out
}

// levelTable has a row for each level of one metric: the ratio where there is one
// variant to compare, values side by side where there are several.
func (t *terminal) levelTable(levels []*group, m *finding.Finding, base string) grid {
	var contenders []string
	for _, g := range levels {
		for _, name := range g.contenders(t.doc, base) {
			if !slices.Contains(contenders, name) {
				contenders = append(contenders, name)
			}
		}
	}
	table := grid{caption: visible(label(m)), columns: []column{{head: parameterNames(levels[0]), right: true}, {head: visible(base), right: true}}}
	single := len(contenders) == 1
	for i, name := range contenders {
		table.columns = append(table.columns, column{head: visible(markedAnywhere(t.doc, levels, name)), right: true, drop: drops(single, i, len(contenders))})
		if single {
			table.columns = append(table.columns, column{head: changeHead([]*finding.Finding{m}, base), right: true}, column{close: true, drop: 1})
		}
		table.columns = append(table.columns, column{close: !single, drop: drops(single, i, len(contenders))})
	}
	if single {
		table.columns = append(table.columns, column{head: "verdict", close: true, drop: 2})
	}
	for _, g := range levels {
		if row := levelRow(g, m, base, contenders); row != nil {
			table.rows = append(table.rows, row)
		}
	}
	return dropEmpty(table)
}

// drops is the order in which the variants' columns go: the last first.
func drops(single bool, i, n int) int {
	if single || n < 2 {
		return 0
	}
	return i + 1
}

func levelRow(g *group, m *finding.Finding, base string, contenders []string) []textCell {
	row := []textCell{{text: levelText(g), style: bold}, {}}
	found := false
	for _, name := range contenders {
		f := g.find(m.Metric, m.Charged(), name, base)
		if f != nil && row[1].text == "" {
			row[1].text = finding.FormatValue(f.Baseline, f.Unit)
		}
		found = found || f != nil
		if len(contenders) > 1 {
			row = append(row, valueCells(f)...)
			continue
		}
		if f == nil {
			row = append(row, textCell{text: finding.Missing, style: dim}, textCell{}, textCell{}, textCell{}, textCell{})
			continue
		}
		estimate, ends := shownCells(f)
		mark, word := verdictCells(f)
		row = append(row, textCell{text: finding.FormatValue(f.Value, f.Unit)}, estimate, ends, mark, word)
	}
	if !found {
		return nil
	}
	return row
}

// knees writes where the curves of an operation bend.
func (t *terminal) knees(operation string) {
	first := true
	for _, s := range t.doc.Sweeps {
		if s.Operation != operation || s.Knee == nil {
			continue
		}
		if first {
			t.line("")
		}
		first = false
		t.paragraph(indent+"knee  "+visible(s.Variant)+"  ", s.Knee.Text, plain)
	}
}
