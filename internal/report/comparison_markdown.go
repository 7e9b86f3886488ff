// A comparison as Markdown for a pull request.

package report

import (
	"io"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// ComparisonMarkdown writes the comparison for a pull request.
func ComparisonMarkdown(w io.Writer, doc *finding.Comparison) error {
	m := &markdown{}
	m.line(changeStatus(doc) + " **" + cellText(doc.Answer) + "**")
	m.line("")
	for _, text := range sidesText(doc) {
		m.line("- " + cellText(text))
	}
	short := changeGroups(doc, false)
	for i, g := range short {
		if i == 0 || g.telling() {
			m.changes(doc, g)
		}
	}
	m.warnings(doc.Warnings, nil)
	m.details("All figures", func() {
		for _, g := range changeGroups(doc, true) {
			m.changes(doc, g)
		}
	})
	if len(doc.Ranks) > 0 {
		m.details("Ranks", func() { m.grid(rankTable(doc)) })
	}
	m.line(changeText(doc))
	return m.to(w)
}

func changeStatus(doc *finding.Comparison) string {
	var kinds []finding.Kind
	for _, c := range doc.Changes {
		if c.Verdict.Budget != nil {
			kinds = append(kinds, c.Verdict.Kind)
		}
	}
	return statusMark(kinds)
}

// changes writes one metric's table.
func (m *markdown) changes(doc *finding.Comparison, g *changeGroup) {
	t := markTable{heads: []markHead{{g.title(), false}, {doc.Base.Name, true}}}
	var news []int
	for i, side := range doc.News {
		news = append(news, i)
		t.heads = append(t.heads, markHead{side.Name, true}, markHead{"change", true}, markHead{"verdict", false})
	}
	for _, r := range g.rows(len(doc.News)) {
		before, after := r.costs(news)
		row := []string{r.name, before}
		for i, c := range r.change {
			row = append(row, markChange(c, after[i])...)
		}
		t.rows = append(t.rows, row)
	}
	m.table(t)
}

func markChange(c *finding.Change, after string) []string {
	if c == nil {
		return []string{"", "", ""}
	}
	change := finding.Missing
	if i := shownChange(c); i != nil {
		change = finding.FormatInterval(*i, c.Unit, c.Relative != nil)
	}
	text := shortVerdict(c.Verdict, changeBadge(c))
	return []string{after, change, strings.TrimSpace(verdictMark(c.Verdict.Kind) + " " + text)}
}

// grid writes a terminal's table.
func (m *markdown) grid(g grid) {
	t := markTable{}
	for _, c := range g.columns {
		t.heads = append(t.heads, markHead{c.head, c.right})
	}
	for _, row := range g.rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, c.text)
		}
		t.rows = append(t.rows, cells)
	}
	m.table(t)
}
