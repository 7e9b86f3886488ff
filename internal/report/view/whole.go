// A result as a page: a part after the other, of all operations.

package view

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/words"
)

// Whole is all of a result, a part after the other: the headline first, every figure last.
func Whole(doc *finding.Document) *model.Page {
	p := headOf(doc)
	if !doc.Created.IsZero() {
		p.About[0] = append(p.About[0], doc.Created.UTC().Format("2006-01-02 15:04 UTC"))
	}
	p.Cards, p.Headline = cards(doc), headlines(doc)
	p.Sections = slices.Concat(parts.Sections(searchesSection(doc), parts.SweepsSection(doc.Sweeps, "The centre over the blocks"+bounded(doc, " and its 95 % interval", "")+".")),
		beside(doc, true), chartSections(doc), parts.Sections(ledgersSection(doc), everyFinding(doc)))
	p.Marks = marksIn(p)
	if jointly(doc) {
		p.Marks = append(p.Marks, parts.Faint(jointText)...)
	}
	p.Warnings = warnings(doc)
	p.How = how(doc)
	p.Charts = chartsOf(doc)
	return p
}

// chartSections are the parts that are charts alone: their figures are in the tables.
func chartSections(doc *finding.Document) []model.Section {
	if len(doc.Findings) == 0 {
		return nil
	}
	base := model.Cell{Text: baseline(doc), Tone: model.Strong}
	sections := []model.Section{{ID: "cost", Title: "What it costs", Chart: &model.Chart{Wide: true}, Lead: []model.Cell{{Text: "Each variant against "}, base,
		{Text: ": the estimate" + bounded(doc, " and its 95 % interval. A filled dot has an interval that excludes zero.", " alone: there are too few blocks for intervals.")}}}}
	if hasSteps(doc) {
		sections = append(sections, model.Section{ID: "steps", Title: "Step by step", Chart: &model.Chart{}, Lead: []model.Cell{{Text: "What each variant adds to the one it is held against, on top of "}, base,
			{Text: bounded(doc, "; the line is the 95 % interval of the step", "") + "."}}})
	}
	from := "From the intended start of an operation."
	if slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return f.Metric == metric.TimePerCall }) {
		from = "The time that an operation took, by the workload’s own clock."
	}
	return append(sections,
		model.Section{ID: "latency", Title: "Latency by percentile", Chart: &model.Chart{}, Lead: model.Texts(from + " The line is the centre over the runs, the band their lowest and highest.")},
		model.Section{ID: "blocks", Title: "Every block", Chart: &model.Chart{}, Lead: model.Texts("A dot is one run; a line joins the runs of one block. The bar is the centre." + scatterText(doc))})
}

// scatterText says whether more blocks would tell more, or more windows: of the headline with the middle share.
func scatterText(doc *finding.Document) string {
	var all []finding.Scatter
	for _, f := range doc.Findings {
		if f.Headline && f.Scatter != nil {
			all = append(all, *f.Scatter)
		}
	}
	if len(all) == 0 {
		return ""
	}
	slices.SortFunc(all, func(a, b finding.Scatter) int { return cmp.Compare(a.FromRounds, b.FromRounds) })
	text := " In CPU per operation "
	if len(all) > 1 {
		text = " In CPU per operation (of the middle one of " + strconv.Itoa(len(all)) + " differences) "
	}
	return text + words.Scatter(all[(len(all)-1)/2])
}

// hasSteps reports whether variants are held against others than the baseline.
func hasSteps(doc *finding.Document) bool {
	base := baseline(doc)
	return slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return f.Against != base })
}
