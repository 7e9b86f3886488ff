// The parts of the page that show findings, verdict cards and tables, as the
// template wants them.

package report

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

func title(doc *finding.Document) string {
	if doc.Experiment.Workload != "" {
		return doc.Experiment.Workload
	}
	return doc.Experiment.Name
}

// about says in a few words what was measured.
func about(doc *finding.Document) []string {
	var parts []string
	for _, s := range []string{doc.Experiment.Workload, doc.Experiment.Load, runsText(doc.Runs)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if !doc.Created.IsZero() {
		parts = append(parts, doc.Created.UTC().Format("2006-01-02 15:04 UTC"))
	}
	return parts
}

// card is the headline of one operation.
type card struct {
	Title string
	Label string // the metric
	Rows  []cardRow
	More  string // what is left out
}

// cardRow is the headline of one variant.
type cardRow struct {
	Finding int // index in the document
	Variant string
	Level   string // where there are several in a card
	Big     string // the estimate
	Ends    string // its interval
	Values  string // "52.0 µs → 54.2 µs"
	Lossy   bool   // it lost too many spans to be ranked
	Dark    bool   // no span came: there is no figure
	verdictView
}

// verdictView is a verdict as a mark, a word and a sentence. Said is the
// sentence where it says more than the word and the figures beside it.
type verdictView struct {
	Kind, Mark, Word, Text, Said string
}

func viewOf(f *finding.Finding) verdictView {
	v := f.Verdict
	kind := string(v.Kind)
	if kind == "" {
		kind = "figures"
	}
	view := verdictView{Kind: kind, Mark: verdictMark(v.Kind), Word: longBadge(f), Text: v.Text}
	switch v.Kind {
	case finding.NoDifference, finding.CannotTell, finding.Overloaded:
		view.Said = v.Text
	}
	return view
}

// cards has one for each operation; of many levels the lowest and the highest.
func cards(doc *finding.Document) []card {
	var all []card
	groups := groups(doc)
	for _, g := range groups {
		if swept := levels(groups, g.operation); swept != nil && g.parameter != "" {
			if c := sweptCard(doc, swept); g == swept[0] && len(c.Rows) > 0 {
				all = append(all, c)
			}
			continue
		}
		c := card{Title: g.title()}
		for _, f := range g.findings {
			if f.Headline {
				c.Label = label(f)
				c.Rows = append(c.Rows, newCardRow(doc, g, f))
			}
		}
		c.lossyLast()
		if len(c.Rows) > 0 {
			all = append(all, c)
		}
	}
	return all
}

// lossyLast puts the variants that lost too many spans below the others.
func (c *card) lossyLast() {
	slices.SortStableFunc(c.Rows, func(a, b cardRow) int {
		switch {
		case a.Lossy == b.Lossy:
			return 0
		case a.Lossy:
			return 1
		}
		return -1
	})
}

func sweptCard(doc *finding.Document, levels []*group) card {
	ends := []*group{levels[0], levels[len(levels)-1]}
	c := card{Title: operationLabel(levels[0].operation) + ", by " + parameterNames(levels[0])}
	for _, g := range ends {
		for _, f := range g.findings {
			if f.Headline {
				c.Label = label(f)
				row := newCardRow(doc, g, f)
				row.Level = levelText(g)
				c.Rows = append(c.Rows, row)
			}
		}
	}
	if n := len(levels) - len(ends); n > 0 {
		c.More = counted(n, "level") + " between them: see below"
	}
	return c
}

func newCardRow(doc *finding.Document, g *group, f *finding.Finding) cardRow {
	row := cardRow{
		Finding: indexOf(doc, f), Variant: markedVariant(doc, g, f.Variant), Lossy: lossyOf(doc, g, f.Variant) != nil, verdictView: viewOf(f),
		Values: finding.FormatValue(f.Baseline, f.Unit) + " → " + finding.FormatValue(f.Value, f.Unit),
	}
	if doc.NotTracing(f) {
		row.Dark, row.Lossy = true, true // below the others
		row.Big, row.Ends, row.Values = "no spans", "not the overhead of tracing", ""
		row.verdictView = verdictView{}
		return row
	}
	i := f.Shown()
	if i == nil {
		row.Big = finding.Missing
		return row
	}
	estimate, ends := intervalCells(*i, f.Unit, f.ByRatio(), plain)
	row.Big, row.Ends = estimate.text, ends.text
	return row
}

// pageTable is every finding of one operation.
type pageTable struct {
	Title string
	Open  bool // short enough to be unfolded from the start
	Rows  []pageRow
}

// mostOpen is how many rows a table may have that is unfolded from the start.
const mostOpen = 30

type pageRow struct {
	Finding                             int
	Label, Variant, Against             string
	Baseline, Value, Absolute, Relative string
	Blocks                              int
	Note                                string
	Headline                            bool
	Dark                                bool // no span came: not the overhead of tracing
	verdictView
}

func pageTables(doc *finding.Document) []pageTable {
	var all []pageTable
	for _, g := range groups(doc) {
		t := pageTable{Title: g.title()}
		for _, f := range g.findings {
			t.Rows = append(t.Rows, pageRow{
				Finding: indexOf(doc, f), Label: label(f), Variant: markedVariant(doc, g, f.Variant), Against: markedUntraced(doc, g, f.Against), Dark: doc.NotTracing(f),
				Baseline: finding.FormatValue(f.Baseline, f.Unit), Value: finding.FormatValue(f.Value, f.Unit),
				Absolute: intervalText(f.Absolute, f.Unit, false), Relative: intervalText(f.Relative, f.Unit, true),
				Blocks: f.Blocks, Note: f.Note, Headline: f.Headline, verdictView: viewOf(f),
			})
		}
		t.Open = len(all) == 0 && len(t.Rows) <= mostOpen
		all = append(all, t)
	}
	return all
}

// hasSteps reports whether variants are held against others than the baseline.
func hasSteps(doc *finding.Document) bool {
	base := baseline(doc)
	return slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return f.Against != base })
}

// hasIntervals reports whether any finding has more than an estimate.
func hasIntervals(doc *finding.Document) bool {
	has := func(i *finding.Interval) bool { return i != nil && i.Low != nil && i.High != nil }
	return slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return has(f.Relative) || has(f.Absolute) })
}
