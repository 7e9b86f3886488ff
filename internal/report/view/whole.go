// A result as a page: a part after the other, of all operations.

package view

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/wording"
)

// Whole is all of a result, a part after the other: the headline first, every figure last.
func Whole(doc *finding.Document) *model.Page {
	p := headOf(doc)
	at, known := parts.Started(doc)
	if !known {
		at = doc.Created
	}
	if !at.IsZero() {
		p.About[0] = append(p.About[0], at.UTC().Format("2006-01-02 15:04 UTC"))
	}
	paints := parts.Paints(everyVariant(doc), baseline(doc))
	if decided := decidedIn(doc); decided != "" {
		p.Summary = decided
	}
	p.Answers = answers(doc)
	p.Checks, p.Headline = checksOf(doc, paints), headlines(doc)
	p.Cards = (&deck{doc, told(doc), paints}).cards()
	p.Sections = slices.Concat(parts.Sections(frontierSection(doc), adviceSection(doc), searchesSection(doc),
		parts.SweepsSection(doc.Sweeps, "The centre over the blocks"+bounded(doc, " and its 95 % interval", "")+".")),
		besideCauses(doc, true, lostTable(doc)), parts.Sections(whySection(doc)), costCharts(doc),
		parts.Sections(ownSection(doc), servicesSection(doc)), runCharts(doc), parts.Sections(ledgersSection(doc), everyFinding(doc)))
	for i := range p.Sections {
		stacked(p.Sections[i].Grids)
	}
	p.Marks = marksIn(p)
	if slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return f.Headline && f.Verdict.Joint }) { // in the cards
		p.Marks = append(p.Marks, parts.Faint(jointText)...)
	}
	p.Warnings = warnings(doc)
	p.How = how(doc)
	p.Charts = chartsOf(doc)
	return p
}

// stacked lets the rows of tables be blocks of lines where there is little room: nobody has to scroll to the side.
func stacked(grids []model.Grid) {
	for i := range grids {
		grids[i].Stack = !grids[i].Bare
	}
}

// costCharts are charts of what variants cost; their figures are in the tables.
func costCharts(doc *finding.Document) []model.Section {
	if len(doc.Findings) == 0 {
		return nil
	}
	base := model.Cell{Text: baseline(doc), Tone: model.Strong}
	above := ""
	if len(shownAbove(doc)) > 0 {
		above = " The figures of the headline stand above."
	}
	sections := []model.Section{{ID: "cost", Title: "What it costs", Chart: &model.Chart{Wide: true}, Lead: []model.Cell{{Text: "Each variant against "}, base,
		{Text: ": the estimate" + bounded(doc, " and its 95 % interval. A filled dot has an interval that excludes zero.", " alone: there are too few blocks for intervals.") + above}}, Notes: manyHues(doc)}}
	if hasSteps(doc) {
		sections = append(sections, model.Section{ID: "steps", Title: "Step by step", Chart: &model.Chart{}, Lead: []model.Cell{{Text: "What each variant adds to, or takes from, the one that it is compared with; the axis is the cost over "}, base,
			{Text: bounded(doc, "; a line is the 95 % interval of a step", "") + "."}}})
	}
	return sections
}

// manyHues says so where several variants share a hue.
func manyHues(doc *finding.Document) []model.Note {
	all := everyVariant(doc)
	paints := parts.Paints(all, baseline(doc))
	if n := len(paints) - 1; n > parts.Colours {
		return parts.Faint(fmt.Sprintf("%d variants share %d colours: those of one differ by symbols, dashes and their names.", n, parts.Colours))
	}
	return nil
}

// shownAbove are the headlines that a card, a check or a table of ways tells, where these tell all of a metric: of many levels the
// cards have some.
func shownAbove(doc *finding.Document) map[*finding.Finding]bool {
	out := map[*finding.Finding]bool{}
	groups := Groups(doc)
	for _, g := range groups {
		if swept := levels(groups, g.Operation); swept != nil && g.Parameter != "" && len(swept) > 2 {
			return nil
		}
		for _, f := range g.Findings {
			if f.Headline {
				out[f] = true
			}
		}
	}
	return out
}

// lostTable is the table of the variants that lost spans, without what each costs: that stands above.
func lostTable(doc *finding.Document) model.Grid {
	table := parts.LostTable(doc.Lossy)
	if len(shownAbove(doc)) == 0 {
		return table
	}
	return table.Only(func(c int) bool { return !slices.Contains([]string{"costs", "(95 %)", "of"}, table.Columns[c].Head) })
}

// runCharts are charts of the runs.
func runCharts(doc *finding.Document) []model.Section {
	if len(doc.Findings) == 0 {
		return nil
	}
	from := "From the intended start of an operation."
	if slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return f.Metric == metric.TimePerCall }) {
		from = "The time that an operation took, by the workload’s own clock."
	}
	return []model.Section{
		{ID: "latency", Title: "Latency by percentile", Chart: &model.Chart{}, Lead: model.Texts(from + " The line is the centre over the runs, the band their lowest and highest. A percentile needs 20 operations beyond it in each run.")},
		{ID: "blocks", Title: "Every block", Chart: &model.Chart{}, Lead: model.Texts("A dot is one run; a line joins a variant's runs in the order of time. Look for drift, jumps and outliers." + scatterText(doc))},
	}
}

// scatterText returns whether more blocks would help more, or more windows: of the headline with the middle share.
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
	text := " CPU per operation: "
	if len(all) > 1 {
		text = " CPU per operation, the median of " + strconv.Itoa(len(all)) + " differences: "
	}
	return text + wording.Scatter(all[(len(all)-1)/2])
}

// hasSteps reports whether variants are held against others than the baseline.
func hasSteps(doc *finding.Document) bool {
	base := baseline(doc)
	return slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return f.Against != base })
}

// What the charts of a page are drawn from: the document, its figures in words, and what the
// program of the charts would else have to know of metrics, goals and ledgers.

// chartsOf returns the data of the charts of a result.
func chartsOf(doc *finding.Document) *parts.Charts {
	c := &parts.Charts{Document: doc, Baseline: baseline(doc), Figures: make([]parts.ChartFigures, len(doc.Findings)), Order: []int{}, Names: map[string]string{}, Looks: parts.Looks, Entries: parts.ChartEntries}
	above := shownAbove(doc)
	for _, g := range Groups(doc) {
		for _, f := range g.Findings {
			i := indexOf(doc, f)
			c.Figures[i] = figuresOf(doc, g, f)
			c.Figures[i].Above = above[f]
			c.Order = append(c.Order, i)
		}
	}
	for _, s := range doc.Sweeps {
		c.Names[s.Metric] = finding.MetricName(s.Metric)
	}
	c.Points = parts.PointTexts(doc.Sweeps)
	c.Bars = []int{}
	for i := range doc.Ledgers {
		if parts.HasBar(&doc.Ledgers[i]) {
			c.Bars = append(c.Bars, i)
		}
	}
	c.Paints = parts.Paints(everyVariant(doc), baseline(doc))
	c.Ways, c.Services, c.Causes = chartWays(doc), chartServices(doc), chartCauses(doc)
	return c
}

// everyVariant are those of the experiment, and any that only the findings name.
func everyVariant(doc *finding.Document) []finding.Variant {
	all := slices.Clone(doc.Experiment.Variants)
	for _, f := range doc.Findings {
		for _, name := range []string{f.Against, f.Variant} {
			if !slices.ContainsFunc(all, func(v finding.Variant) bool { return v.Name == name }) {
				all = append(all, finding.Variant{Name: name})
			}
		}
	}
	return all
}

func figuresOf(doc *finding.Document, g *Group, f *finding.Finding) parts.ChartFigures {
	one := parts.ChartFigures{
		Label: parts.Label(f), Group: g.title(), Variant: markedVariant(doc, g, f.Variant), Against: markedVariant(doc, g, f.Against),
		Mark: parts.VerdictMark(f.Verdict.ShownKind(f.ByRatio())), Tone: parts.ToneOf(f.Verdict.ShownKind(f.ByRatio())).String(),
		Baseline: parts.Value(f, f.Baseline), Value: parts.Value(f, f.Value),
		Absolute: parts.IntervalText(f.Absolute, f.Unit, false), Relative: parts.IntervalText(f.Relative, f.Unit, true), Dark: doc.NotTracing(f),
		Told: toldOf(doc, g, f.Variant), Apart: lossyOf(doc, g, f.Variant) != nil,
	}
	if isLeast(doc, g, f) {
		one.Before = atLeast
	}
	return one
}

// A result as a paragraph for a page of documentation: what tracing costs, how that was measured, and where.

// Paste is a result in one table, that stands alone: a row for each variant.
func Paste(doc *finding.Document) *model.Page {
	p := headOf(doc)
	p.Kept, p.Details, p.Results = model.Plain, nil, ""
	p.About = nil
	p.Headline = pasteTable(doc)
	p.Marks = marksIn(p)
	p.Warnings = slices.DeleteFunc(parts.Warnings(doc.Warnings), func(w model.Warning) bool { return w.Tone == model.Plain })
	p.How = model.How{Title: "How it was measured", Reading: []model.Note{{Text: method(doc)}, {Text: Where(doc)}}}
	return p
}

// pasteMetrics are the columns beside the headline.
var pasteMetrics = []string{metric.LatencyP50, metric.LatencyP99, metric.MemoryPeak}

// pasteTable has a row for each operation and variant, the baseline first: the headline's value, what it costs, and what
// the variant costs by the other metrics.
func pasteTable(doc *finding.Document) model.Grid {
	base := baseline(doc)
	groups := slices.DeleteFunc(Groups(doc), func(g *Group) bool { return g.Operation == "" || len(g.contenders(doc, base)) == 0 })
	run := wholeRun(doc)
	table := model.Grid{Columns: []model.Column{{Head: "operation"}, {Head: "variant"}, {Head: "what it is", Wrap: true}, {Head: "", Right: true}, {Head: "over " + base + bounded(doc, " (95 %)", ""), Right: true}}}
	for _, name := range pasteMetrics {
		table.Columns = append(table.Columns, model.Column{Head: finding.MetricName(name) + " over " + base, Right: true})
	}
	var label string
	for _, g := range groups {
		of, role := g.headline()
		title := g.title()
		if len(groups) == 1 {
			title = ""
		}
		first := true
		for _, name := range g.contenders(doc, base) {
			f := g.find(of, role, name, base)
			if f == nil {
				continue
			}
			if label = parts.Label(f); first {
				table.Add(model.Pad(len(table.Columns), model.Texts(title, base, pasteKind(doc, base), parts.Value(f, f.Baseline))...)...)
				first = false
			}
			row := model.Texts(title, markedVariant(doc, g, name), pasteKind(doc, name), parts.Value(f, f.Value), pasteCost(doc, g, f))
			for _, other := range pasteMetrics {
				found := g.find(other, "", name, base)
				if found == nil {
					found = run.find(other, "", name, base)
				}
				row = append(row, model.Cell{Text: pasteCost(doc, g, found)})
			}
			table.Add(row...)
		}
	}
	table.Columns[3].Head = label
	return withoutMissing(table)
}

// wholeRun is the group of what is of no operation; empty where there is none.
func wholeRun(doc *finding.Document) *Group {
	for _, g := range Groups(doc) {
		if g.Operation == "" {
			return g
		}
	}
	return &Group{}
}

// pasteCost is what a variant costs by a finding, with its interval; that it cannot be told, with the interval, where that
// is so. It is "" where there is no finding.
func pasteCost(doc *finding.Document, g *Group, f *finding.Finding) string {
	if f == nil {
		return ""
	}
	if doc.NotTracing(f) {
		return finding.Missing
	}
	text := parts.IntervalText(f.Shown(), f.Unit, f.ByRatio())
	switch {
	case f.Verdict.ShownKind(f.ByRatio()) == finding.CannotTell, f.Verdict.Kind == finding.Overloaded:
		badge := parts.BadgeCell(f).Text
		if text == finding.Missing {
			return badge
		}
		return badge + ": " + text
	case isLeast(doc, g, f):
		return atLeast + " " + text
	}
	return text
}

// pasteKind is a variant in a few words: its tracer, its description, and where its spans go.
func pasteKind(doc *finding.Document, name string) string {
	i := slices.IndexFunc(doc.Experiment.Variants, func(v finding.Variant) bool { return v.Name == name })
	if i < 0 {
		return ""
	}
	v := doc.Experiment.Variants[i]
	pieces := []string{finding.PlainText(v.Description)}
	if v.Tracer != name && v.Tracer != "none" {
		pieces = slices.Insert(pieces, 0, v.Tracer)
	}
	if len(v.Via) > 0 {
		pieces = append(pieces, "via "+strings.Join(v.Via, ", "))
	}
	if v.To != "" {
		pieces = append(pieces, "to "+v.To)
	}
	return strings.Join(slices.DeleteFunc(pieces, func(s string) bool { return s == "" }), ", ")
}

// withoutMissing leaves out the columns in which no row has a figure.
func withoutMissing(g model.Grid) model.Grid {
	return g.Only(func(c int) bool {
		return slices.ContainsFunc(g.Rows, func(r model.Row) bool { return r.Cells[c].Text != "" && r.Cells[c].Text != finding.Missing })
	})
}

// method returns the method of a result in three sentences.
func method(doc *finding.Document) string {
	load := ""
	if doc.Experiment.Load != "" {
		load = ", under the same load (" + finding.PlainText(doc.Experiment.Load) + ")"
	}
	order := "every variant ran once, in random order and in fresh processes"
	switch doc.Experiment.Order {
	case "paired":
		order = "fresh processes of all variants ran at the same time, had their load at the same time for CPU, memory and bytes, and in turn for latency"
	case "windows":
		order = "fresh processes of all variants ran at the same time, and the load went from one to the next"
	case "woven":
		order = "fresh processes of all variants ran at the same time, each with its load"
	}
	blocks := wording.Counted(doc.Runs.Blocks, "block")
	if doc.Runs.Blocks > 1 {
		blocks = "each of " + blocks
	}
	if n := doc.Runs.Sittings; n > 1 {
		blocks += fmt.Sprintf(" in %d sittings", n)
	}
	joint := ""
	if jointly(doc) {
		joint = jointText + " "
	}
	return fmt.Sprintf("In %s, %s%s. ", blocks, order, load) +
		"A cost is the centre of the differences within blocks (Hodges–Lehmann)" + bounded(doc, ", with its 95 % interval", "; there are too few blocks for intervals") + ". " + joint +
		"CPU is that of all processes but the load generator and the receiver of spans, from the start of the load until the last span came."
}

// usedOf are the packages of a tracer without those that instrument what the program does not use.
func usedOf(doc *finding.Document, tracer string) []string {
	var found []string
	for _, v := range doc.Experiment.Variants {
		if v.Tracer == tracer {
			found = append(found, v.Instrumented...)
		}
	}
	all := parts.PackagesOf(doc, tracer)
	if len(found) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(p string) bool {
		name, _, _ := strings.Cut(p, " ")
		_, library, instruments := strings.Cut(name, "instrumentation-")
		return instruments && !slices.Contains(found, library)
	})
}

// Where says on what machine, by what and when a result was measured, and which versions of tracers it had.
func Where(doc *finding.Document) string {
	fact := func(name string) string { return parts.Fact(doc, name) }
	var pieces []string
	if nodes := parts.Nodes(doc); len(nodes) > 0 {
		pieces = append(pieces, "in pods of a cluster, on "+strings.Join(nodes, ", "), "CPU by "+fact("accounting"))
	}
	pieces = append(pieces, fact("cpu_model"))
	if cpus := fact("cpus"); cpus != "" {
		pieces = append(pieces, cpus+" CPUs")
	}
	if name := fact("os"); name != "" {
		pieces = append(pieces, strings.TrimSpace(name+" "+fact("kernel")))
	}
	if virtual, _ := doc.Environment["hypervisor"].(bool); virtual {
		pieces = append(pieces, "a virtual machine")
	}
	pieces = append(pieces, parts.Versions(doc.Environment["runtimes"])...)
	packages, _ := doc.Environment["packages"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if all := usedOf(doc, name); len(all) > 0 {
			pieces = append(pieces, name+" ("+strings.Join(all, ", ")+")")
		}
	}
	pieces = slices.DeleteFunc(pieces, func(text string) bool { return text == "" })
	made := "Measured by tracetax " + cmp.Or(fact("tool"), finding.PlainText(doc.Tool))
	if at, known := parts.Started(doc); known {
		made += " on " + at.UTC().Format("2006-01-02")
	}
	if len(pieces) > 0 {
		made += ": " + strings.Join(pieces, "; ")
	}
	return made + "."
}
