// The ways of tracing beside each other: what each shows, and what it costs.

package view

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/decide"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/wording"
)

// Size is how large an installation is: so many cores, or machines, that run the program without tracing today.
type Size struct {
	Number float64
	Unit   string // "cores"
}

// Decision is a result for whoever has to choose among its ways of tracing. Sizes are what else their cost is told in.
func Decision(doc *finding.Document, sizes ...Size) *model.Page {
	p := headOf(doc)
	p.Kept, p.Summary = model.Plain, ""
	for i := range doc.Decisions {
		d := &doc.Decisions[i]
		p.Summary = strings.TrimSpace(p.Summary + " " + wording.Answer(d))
		s := model.Section{Title: wording.DecisionTitle(d), Grids: []model.Grid{waysTable(doc, d, sizes), spansOf(doc, d)}}
		s.Notes = []model.Note{{Text: wording.Decided(d), Tone: model.Strong}}
		for _, text := range wording.Remarks(d) {
			s.Notes = append(s.Notes, model.Note{Text: text})
		}
		cpus, _ := doc.Environment["cpus"].(float64)
		if text := wording.Busy(d, cpus); text != "" && len(sizes) > 0 {
			s.Notes = append(s.Notes, model.Note{Text: text})
		}
		if i == len(doc.Decisions)-1 { // it is of the whole run
			s.Notes = append(s.Notes, besides(doc, d)...)
		}
		s.Notes = append(s.Notes, onTheWay(doc, d)...)
		if text := exportsSoon(doc, d); text != "" {
			s.Notes = append(s.Notes, model.Note{Text: text})
		}
		s.Notes = append(s.Notes, cheaper(doc, d)...)
		p.Sections = append(p.Sections, s)
	}
	p.Marks = marksIn(p)
	p.Warnings = warnings(doc)
	if len(doc.Decisions) > 0 {
		carried := parts.Faint(carriedText)
		if !strings.Contains(p.Sections[0].Notes[0].Text, wording.Carries) {
			carried[0].With = headCarries
		}
		if slices.ContainsFunc(p.Sections, func(s model.Section) bool { return slices.ContainsFunc(s.Grids, doubts) }) {
			carried = append(parts.Faint(parts.VerdictMark(finding.CannotTell)+" "+wording.KindWord(finding.CannotTell)), carried...)
		}
		p.How = model.How{Reading: append(carried, parts.Faint(aloneText+sizesText(sizes))...), Repeat: doc.Repeat}
	}
	return p
}

// doubts reports whether a table has a cell that is inconclusive.
func doubts(g model.Grid) bool {
	return slices.ContainsFunc(g.Rows, func(r model.Row) bool {
		return slices.ContainsFunc(r.Cells, func(c model.Cell) bool { return c.Mark == parts.VerdictMark(finding.CannotTell) })
	})
}

// sizesText says how far the cost in cores or machines may be trusted; "" where it is not told.
func sizesText(sizes []Size) string {
	if len(sizes) == 0 {
		return ""
	}
	return " Cores and machines: those that are full today, and do nothing else. Where they are not, fewer are needed, or none."
}

// spansOf has a line for the spans of each way.
func spansOf(doc *finding.Document, d *finding.Decision) model.Grid {
	var shown []*finding.Ledger
	for i := range doc.Ledgers {
		l := &doc.Ledgers[i]
		if l.Operation == d.Operation && !isEmptyLedger(l) {
			shown = append(shown, l)
		}
	}
	return ledgerLines(doc, shown)
}

// besides are what else ways cost, that is of no request: memory, and the time to start.
func besides(doc *finding.Document, d *finding.Decision) (out []model.Note) {
	for _, name := range []string{metric.MemoryPeak, metric.StartupTime} {
		var ways []string
		for i := range doc.Findings {
			f := &doc.Findings[i]
			if f.Metric == name && f.Operation == "" && f.Charged() == "" && f.Against == d.Baseline && f.Relative != nil && d.Way(f.Variant) != nil {
				ways = append(ways, fmt.Sprintf("%s %s, %s", f.Variant, parts.DifferenceText(f), parts.IntervalText(f.Relative, f.Unit, true)))
			}
		}
		if len(ways) > 0 {
			out = append(out, model.Note{Text: fmt.Sprintf("Over %s, %s: %s.", d.Baseline, finding.MetricName(name), strings.Join(ways, "; "))})
		}
	}
	return out
}

// onTheWay are what each way costs in the program, and in what its spans pass, which may run elsewhere.
func onTheWay(doc *finding.Document, d *finding.Decision) (out []model.Note) {
	added := func(variant string, r role.Role) string {
		if f := ofWay(doc, d, variant, metric.CPUPerOperation, string(r)); f != nil && f.Absolute != nil {
			return finding.FormatInterval(*f.Absolute, f.Unit, false)
		}
		return ""
	}
	for _, w := range d.Ways {
		if own, passed := added(w.Variant, role.App), added(w.Variant, role.Collector); own != "" && passed != "" {
			out = append(out, model.Note{Text: fmt.Sprintf("Of what %s adds to an operation, %s is the program's, and %s the Collector's, "+
				"wherever that runs.", w.Variant, own, passed)})
		}
	}
	return out
}

// soon is the longest delay of exports that is said to be short.
const soon = time.Second

// exportsSoon says that figures are those of a short delay, if that of the way that keeps every trace is; "" otherwise.
func exportsSoon(doc *finding.Document, d *finding.Decision) string {
	for _, v := range doc.Experiment.Variants {
		if v.Name != d.Whole {
			continue
		}
		if delay, err := time.ParseDuration(v.Settings["delay"]); err == nil && delay <= soon {
			return fmt.Sprintf("%s sends its spans every %s: with a longer delay, as tracers have it of their own, exports are fewer and cost less.",
				d.Whole, v.Settings["delay"])
		}
	}
	return ""
}

// cheaper says what makes the way that keeps every trace cheaper, or which command finds it.
func cheaper(doc *finding.Document, d *finding.Decision) []model.Note {
	for i := range doc.Causes {
		c := &doc.Causes[i]
		if c.Variant == d.Whole && c.Operation == d.Operation && maps.Equal(c.Parameter, d.Parameter) && len(c.Reasons) == 0 {
			return adviceNotes(c)
		}
	}
	traced := slices.ContainsFunc(doc.Experiment.Variants, func(v finding.Variant) bool { return v.Name == d.Whole && v.Tracer != "none" })
	if !traced || doc.Results == "" || len(parts.Nodes(doc)) > 0 { // profilers read processes of this machine
		return nil
	}
	found, longer := profiling(d)
	command := fmt.Sprintf("tracetax explain %s --variants %s --quick --try%s", wording.Quoted(doc.Results+"/experiment.yaml"), wording.Quoted(d.Whole), longer)
	if !found {
		return parts.Faint(fmt.Sprintf("Which settings make %s cheaper: %s (what it costs most takes a higher rate, for samples enough)", d.Whole, command))
	}
	return parts.Faint(fmt.Sprintf("What %s costs most, and which settings make that smaller: %s", d.Whole, command))
}

// What a profile takes to tell causes: 500 samples of tracing, of profilers that take some 250 in a second of CPU.
const (
	enoughCPU    = 2.5 // seconds of what tracing adds, in all blocks together
	quickBlocks  = 6
	quickSeconds = 2.0  // of profile, a block, that a quick run has of itself
	mostSeconds  = 60.0 // a block, beyond which nobody waits
)

// profiling returns whether a quick run tells the causes of what the way costs that keeps every trace, and the argument that makes its
// profiles long enough, if they would be too short.
func profiling(d *finding.Decision) (found bool, longer string) {
	way := d.Way(d.Whole)
	if way == nil || way.CPU == nil || way.CPU.Estimate <= 0 {
		return true, ""
	}
	switch seconds := math.Ceil(enoughCPU / quickBlocks / way.CPU.Estimate); {
	case seconds <= quickSeconds:
		return true, ""
	case seconds > mostSeconds:
		return false, ""
	default:
		return true, fmt.Sprintf(" --set profile.cpu=%.0fs", seconds)
	}
}

// How far CPUs and operations may be trusted, and intervals.
const (
	headCarries = "one CPU carries" // the column that is explained
	carriedText = "One CPU carries so many if each operation costs what it costs at this rate; on a busier CPU it may cost less."
	aloneText   = "Each interval holds by itself with 95 %."
)

// toldTails are the percentiles of latency of which the highest that there is stands beside the cost.
var toldTails = []string{metric.LatencyP99, metric.LatencyP95, metric.LatencyP50}

// waysTable has a row for each way, the baseline first.
func waysTable(doc *finding.Document, d *finding.Decision, sizes []Size) model.Grid {
	tail := tailOf(doc, d)
	table := model.Grid{Columns: []model.Column{
		// An estimate goes with its interval, or not at all.
		{Head: "way", Give: true}, {Head: "traces kept", Right: true}, {Head: "added CPU", Right: true}, {Head: "(95 %)", Close: true},
		{Head: "at " + wording.Rate(d), Right: true, Drop: 4}, {Head: "(95 %)", Close: true, Drop: 4},
		{Head: headCarries, Right: true, Drop: 5}, {Head: "saves", Right: true, Drop: 3},
		{Head: strings.TrimPrefix(finding.MetricName(tail), "latency "), Right: true, Drop: 6, Mute: true},
	}}
	if full := d.Fullest(); full != nil {
		table.Columns[7].Head = "saves of " + full.Variant
	}
	for n, s := range sizes { // the first, which was asked for, stays
		table.Columns = append(table.Columns, model.Column{Head: fmt.Sprintf("%g full %s", s.Number, s.Unit), Right: true, Drop: min(n, 1)},
			model.Column{Head: "(95 %)", Close: true, Drop: min(n, 1)})
	}
	table.Columns = append(table.Columns, model.Column{Head: "", Drop: 2, Mute: true})
	table.Add(model.Pad(len(table.Columns), model.Texts(d.Baseline, finding.Missing, "", "", "", "", wording.Carried(d.Carries))...)...)
	for i := range d.Ways {
		w := &d.Ways[i]
		row := []model.Cell{{Text: w.Variant, Tone: toneOfWay(d, w)}, {Text: keptText(w)}}
		row = append(append(row, intervalCells(w.Relative, "1")...), intervalCells(w.CPU, "CPU")...)
		row = append(row, model.Cell{Text: wording.Carried(w.Carries)}, model.Cell{Text: savesText(w)}, tailCell(doc, d, w, tail))
		for _, s := range sizes {
			row = append(row, intervalCells(decide.Times(w.Relative, s.Number), s.Unit)...)
		}
		table.Add(append(row, standingCell(w))...)
	}
	return table.DropEmpty()
}

// toneOfWay is that of its name: what is advised stands out, what is none to choose does not.
func toneOfWay(d *finding.Decision, w *finding.Way) model.Tone {
	switch {
	case w.Variant == d.Choice || d.Choice == "" && w.Variant == d.Whole:
		return model.Strong
	case w.Standing == finding.OnFrontier || w.Standing == finding.NotPlaced:
		return model.Plain
	}
	return model.Faint
}

func keptText(w *finding.Way) string {
	if !w.Kept.Known() {
		return finding.Missing
	}
	text := finding.FormatValue(float64(w.Kept), "1")
	if w.Picks {
		text += ", chosen"
	}
	return text
}

// intervalCells are an estimate and its interval; of the unit 1 a ratio.
func intervalCells(i *finding.Interval, unit string) []model.Cell {
	if i == nil {
		return []model.Cell{parts.Missing, {}}
	}
	estimate, ends := parts.Interval(*i, unit, unit == "1", model.Plain)
	return []model.Cell{estimate, ends}
}

func savesText(w *finding.Way) string {
	if w.Saves == nil {
		return ""
	}
	size, ends := finding.FormatMeasured(*w.Saves, "1")
	return strings.TrimSpace(size + " " + ends)
}

// standingCell is the place of a way in a few words, or how it keeps a budget.
func standingCell(w *finding.Way) model.Cell {
	switch w.Standing {
	case finding.Dominated:
		return model.Cell{Text: "dearer than " + w.By, Tone: model.Faint}
	case finding.LosesSpans:
		return model.Cell{Mark: "†", Text: "loses " + finding.FormatValue(w.Lost, "1"), Tone: model.Bad}
	case finding.MayLoseSpans:
		return model.Cell{Mark: "?", Text: "may lose " + finding.FormatValue(w.Lost, "1"), Tone: model.Doubtful}
	case finding.CannotHold:
		return model.Cell{Mark: "!", Text: "holds " + finding.FormatValue(w.Reached, "1/s"), Tone: model.Bad}
	}
	switch w.InBudget {
	case finding.None:
		return model.Cell{}
	case finding.CannotTell: // more blocks would tell
		return model.Cell{Mark: parts.VerdictMark(w.InBudget), Text: "inconclusive", Tone: model.Doubtful}
	}
	return model.Cell{Mark: parts.VerdictMark(w.InBudget), Text: wording.KindWord(w.InBudget), Tone: parts.ToneOf(w.InBudget)}
}

// ofWay returns the finding of a metric of a way, of a role or ("") over all; nil where there is none.
func ofWay(doc *finding.Document, d *finding.Decision, variant, name, role string) *finding.Finding {
	for _, g := range Groups(doc) {
		if g.Operation == d.Operation && g.Parameter == parts.Parameter(d.Parameter) {
			return g.find(name, role, variant, d.Baseline)
		}
	}
	return nil
}

// tailOf is the highest percentile of latency that any way has; "" where none has one.
func tailOf(doc *finding.Document, d *finding.Decision) string {
	for _, name := range toldTails {
		if slices.ContainsFunc(d.Ways, func(w finding.Way) bool {
			f := ofWay(doc, d, w.Variant, name, "")
			return f != nil && f.Absolute != nil
		}) {
			return name
		}
	}
	return ""
}

// tailCell is what a way adds to that percentile; where no difference is seen, the largest that there may be.
func tailCell(doc *finding.Document, d *finding.Decision, w *finding.Way, name string) model.Cell {
	f := ofWay(doc, d, w.Variant, name, "")
	if f == nil {
		return model.Cell{}
	}
	kind := f.Verdict.ShownKind(f.ByRatio())
	cell := model.Cell{Mark: parts.VerdictMark(kind), Text: parts.IntervalText(f.Absolute, f.Unit, false), Tone: parts.ToneOf(kind)}
	if i := f.Absolute; kind == finding.NoDifference && i != nil && i.Low != nil && i.High != nil {
		cell.Text = "under " + finding.FormatBound(max(-*i.Low, *i.High), f.Unit, false)
	}
	return cell
}

// The same on the page of every result whose ways keep different shares of the traces, and in a line below every other.

// frontierSection is the chart of what one sees against what it costs, with its tables; none where all ways show the same.
func frontierSection(doc *finding.Document) model.Section {
	s := model.Section{ID: "frontier", Title: "What one sees, and what it costs", Chart: &model.Chart{Wide: true}, Lead: model.Texts(
		"The share of the traces of which something comes, against the CPU that is added. Grey: another way shows as much for less, " +
			"or the way is none to choose. " + carriedText + " " + aloneText)}
	for i := range doc.Decisions {
		d := &doc.Decisions[i]
		if !differ(d) {
			continue
		}
		table := joined(waysTable(doc, d, nil))
		table.Caption, table.Stack = wording.DecisionTitle(d), true
		s.Grids = append(s.Grids, table)
	}
	return s
}

// joined is a table whose intervals stand in the columns of their estimates, and may be broken behind these.
func joined(g model.Grid) model.Grid {
	for c := range g.Columns {
		if !g.Columns[c].Close || c == 0 {
			continue
		}
		g.Columns[c-1].Wrap = true
		for r := range g.Rows {
			cells := g.Rows[r].Cells
			cells[c-1].Text, cells[c].Text = strings.TrimSpace(cells[c-1].Text+" "+cells[c].Text), ""
		}
	}
	for c := range g.Columns {
		g.Columns[c].Wrap = g.Columns[c].Wrap || g.Columns[c].Right && c > 1
	}
	return g.DropEmpty()
}

// decidedIn is the headline of a page of ways that keep different shares of the traces; "" of others, and of too many operations for one.
func decidedIn(doc *finding.Document) string {
	var all []string
	for i := range doc.Decisions {
		if d := &doc.Decisions[i]; differ(d) {
			all = append(all, wording.Answer(d))
		}
	}
	if len(all) > 2 {
		return ""
	}
	return strings.Join(all, " ")
}

// answers are the decisions that a page shows, in words: they stand on top. What else is remarked on ways is in the table.
func answers(doc *finding.Document) []string {
	var out []string
	for i := range doc.Decisions {
		d := &doc.Decisions[i]
		if !differ(d) {
			continue
		}
		text := wording.Decided(d)
		if len(doc.Decisions) > 1 {
			text = wording.DecisionTitle(d) + ": " + text
		}
		out = append(out, text)
	}
	return out
}

// differ reports whether ways keep different shares of the traces, so there is something to choose.
func differ(d *finding.Decision) bool {
	return slices.ContainsFunc(d.Ways, func(w finding.Way) bool { return w.Kept.Known() && w.Kept < finding.Lossless }) &&
		slices.ContainsFunc(d.Ways, func(w finding.Way) bool { return w.Kept >= finding.Lossless })
}

// chartWays are the ways of all decisions in words, for the chart.
func chartWays(doc *finding.Document) [][]parts.ChartWay {
	var out [][]parts.ChartWay
	for i := range doc.Decisions {
		d := &doc.Decisions[i]
		ways := []parts.ChartWay{}
		for n := range d.Ways {
			w := &d.Ways[n]
			ways = append(ways, parts.ChartWay{
				Kept: keptText(w), Added: parts.IntervalText(w.Relative, "1", true), CPU: parts.IntervalText(w.CPU, "CPU", false),
				Carries: wording.Carried(w.Carries), Standing: standingCell(w).Text, Grey: toneOfWay(d, w) == model.Faint,
				Shown: differ(d) && w.CPU != nil && w.Kept.Known(),
			})
		}
		out = append(out, ways)
	}
	return out
}

// consequences are what the dearest way means at its rate, and the command that tells more; none where nothing was asked at a rate.
func consequences(doc *finding.Document) []model.Note {
	var out []model.Note
	for i := range doc.Decisions {
		d := &doc.Decisions[i]
		text := wording.Consequence(d, d.Way(d.Whole))
		if text == "" {
			continue
		}
		if len(doc.Decisions) > 1 {
			text = wording.DecisionTitle(d) + ": " + text
		}
		out = append(out, model.Note{Text: text})
	}
	if len(out) > 0 && doc.Results != "" {
		out = append(out, parts.Faint("In cores or machines, and for a budget: tracetax decide "+doc.Results+" --cores 40 --budget cpu=10%")...)
	}
	return out
}
