// The functions of each cause: a flame graph, and a table of the largest.

package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/wording"
)

const (
	flameBytes   = 2 << 20 // of all flame graphs of a page
	fewFunctions = 10      // of a cause that have a row of their own
)

// Stacks are the profiles of an operation at a level, folded: seconds of CPU per operation, a side for each variant.
type Stacks struct {
	Operation string
	Parameter map[string]string
	Variants  []string // the sides of Tree
	Tree      *profile.Tree
	Unseen    []float64 // by side, what profilers do not see
	Failure   error     // why there is no tree
}

// AddStacks adds what was profiled to the page of a result.
func AddStacks(p *model.Page, doc *finding.Document, all []Stacks) {
	if len(all) == 0 {
		return
	}
	charts := p.Charts.(*parts.Charts)
	s := model.Section{ID: "flames", Title: "Functions of each cause"}
	for i := range all {
		of := &all[i]
		if of.Failure != nil {
			s.Notes = append(s.Notes, model.Note{Text: of.Failure.Error() + ". They lie beside findings.json in the results folder: copy the whole folder.", Tone: model.Doubtful})
			continue
		}
		chart, left := flamesOf(doc, of, flameBytes/len(all))
		charts.Flames = append(charts.Flames, chart)
		s.Notes = append(s.Notes, parts.Faint(left...)...)
		for _, pair := range chart.Pairs {
			s.Grids = append(s.Grids, functionTable(doc, of, pair))
			stacked(s.Grids)
		}
	}
	if len(charts.Flames) > 0 {
		s.Chart = &model.Chart{Wide: true}
		s.Lead = model.Texts("The CPU of an operation by cause, and in each cause the functions, the callers on top. A click opens one; with the keyboard arrows move, Enter opens and Esc goes back. Of two variants a function is as wide as the larger one: red is added, blue is less or gone.")
		s.Notes = append(parts.Faint("Widths are means over the runs, where the tables of causes have centres. Single functions have no interval: a few samples more or less are chance. The tracer’s stacks begin where it is called, and the program’s are without the tracer’s wrappers. Processes that were not profiled are not drawn."), s.Notes...)
	}
	at := slices.IndexFunc(p.Sections, func(s model.Section) bool { return s.ID == "causes" }) + 1
	p.Sections = slices.Insert(p.Sections, at, s)
}

// flamesOf is what the flame graph of an operation is drawn of, in so many bytes at most, and what was left out for that.
func flamesOf(doc *finding.Document, of *Stacks, most int) (parts.ChartFlames, []string) {
	chart := encoded(doc, of, of.Tree)
	size := sizeOfJSON(chart)
	if size <= most {
		return chart, nil
	}
	var less float64
	var cut []float64
	for nodes := len(of.Tree.Nodes); size > most && nodes > 0; {
		nodes = int(float64(nodes) * 0.9 * float64(most) / float64(size))
		var tree *profile.Tree
		tree, less, cut = of.Tree.Prune(nodes)
		chart = encoded(doc, of, tree)
		size = sizeOfJSON(chart)
	}
	share := 0.0
	for side, total := range of.Tree.Total() {
		if total > 0 {
			share = max(share, cut[side]/total)
		}
	}
	return chart, []string{fmt.Sprintf("%s: the graph leaves out functions of %s of CPU per operation and less; their CPU, %s of it at most, is drawn in their callers. The profiles have them.",
		chart.Group, finding.FormatValue(less, "s"), finding.FormatValue(share, "1"))}
}

// sizeOfJSON returns the length of something as JSON. Amounts that are no numbers make the page fail when it is written.
func sizeOfJSON(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(text)
}

// finest is the number of units of the largest side.
const finest = 1e8

// encoded is a tree as the program of the charts reads it.
func encoded(doc *finding.Document, of *Stacks, tree *profile.Tree) parts.ChartFlames {
	out := parts.ChartFlames{Group: parts.At(of.Operation, of.Parameter), Variants: of.Variants, Pairs: pairsOf(doc, of), Unit: 1e-15, Kinds: []parts.ChartKind{}, Frames: [][2]string{}, Up: []int32{}, Of: []int32{}, Own: []int64{}}
	for side, total := range tree.Total() {
		out.Unit = max(out.Unit, (total+of.Unseen[side])/finest)
	}
	units := func(amounts []float64) {
		for _, amount := range amounts {
			out.Own = append(out.Own, int64(math.Round(amount/out.Unit)))
		}
	}
	for _, f := range tree.Frames {
		name, from := frameName(f)
		out.Frames = append(out.Frames, [2]string{name, from})
	}
	for i, n := range tree.Nodes {
		up := int32(0)
		if n.Up >= 0 {
			up = int32(i) - n.Up
		}
		out.Up, out.Of = append(out.Up, up), append(out.Of, n.Frame)
	}
	kinds := map[profile.Kind]int{}
	order := make([]int, len(tree.Own))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(tree.Own[a].Node, tree.Own[b].Node) })
	last := int32(-1)
	for _, i := range order {
		own := tree.Own[i]
		if _, known := kinds[own.Kind]; !known {
			kinds[own.Kind] = len(out.Kinds)
			out.Kinds = append(out.Kinds, kindOf(own.Kind))
		}
		out.Own = append(out.Own, int64(own.Node-last), int64(kinds[own.Kind]))
		units(tree.Amounts(i))
		last = own.Node
	}
	if slices.Max(of.Unseen) > 0 { // it has no frames; what has none comes first, and so it is added before the others
		rest := out.Own
		out.Own = []int64{0, int64(len(out.Kinds))}
		units(of.Unseen)
		out.Own = append(out.Own, rest...)
		unseen := parts.ChartTint{Name: causeLabels[metric.CPUUnseen]}
		out.Kinds = append(out.Kinds, parts.ChartKind{Task: []parts.ChartTint{unseen}, Stage: []parts.ChartTint{unseen}})
	}
	return out
}

// noRuleTint is the colour of what no rule knows.
const noRuleTint = 10

// kindOf is a cause by task and by stage, each with its colour.
func kindOf(k profile.Kind) parts.ChartKind {
	if k.Owner != profile.Tracer {
		own := []parts.ChartTint{{Name: causeLabels[map[profile.Owner]string{profile.Program: metric.CPUProgram, profile.Runtime: metric.CPURuntime}[k.Owner]]}}
		return parts.ChartKind{Task: own, Stage: own}
	}
	of := func(name string, list []string) []parts.ChartTint {
		tint := noRuleTint
		if i := slices.Index(list, name); i >= 0 {
			tint = i + 1
		}
		return []parts.ChartTint{{Name: "tracing", Tint: 1}, {Name: name, Tint: tint}}
	}
	return parts.ChartKind{Task: of(k.Task, profile.Tasks), Stage: of(k.Stage, profile.Stages)}
}

// pairsOf are the pairs that have causes, as sides: the variant, and what it is held against.
func pairsOf(doc *finding.Document, of *Stacks) [][2]int {
	out := [][2]int{}
	for _, c := range doc.Causes {
		pair := [2]int{slices.Index(of.Variants, c.Variant), slices.Index(of.Variants, c.Against)}
		if len(c.Reasons) == 0 && c.Operation == of.Operation && maps.Equal(c.Parameter, of.Parameter) && pair[0] >= 0 && pair[1] >= 0 {
			out = append(out, pair)
		}
	}
	return out
}

// functionTable has the functions of each cause in which a pair differs most, below their sum.
func functionTable(doc *finding.Document, of *Stacks, pair [2]int) model.Grid {
	variant, against := of.Variants[pair[0]], of.Variants[pair[1]]
	table := model.Grid{Caption: parts.At(of.Operation, of.Parameter) + ": " + variant, Fold: model.Closed,
		Columns: []model.Column{{Head: "cause, function", Give: true}, {Head: against, Right: true}, {Head: variant, Right: true}, {Head: "adds", Right: true}}}
	if against != baseline(doc) {
		table.Caption += " over " + against
	}
	table.Remark = "the largest functions of each cause, without what they call"
	row := func(tone model.Tone, name model.Cell, amounts [2]float64) {
		adds, _ := parts.Interval(finding.Interval{Estimate: amounts[0] - amounts[1]}, "s", false, model.Plain)
		table.Add(name, model.Cell{Text: finding.FormatValue(amounts[1], "s")}, model.Cell{Text: finding.FormatValue(amounts[0], "s")}, adds)
		table.Rows[len(table.Rows)-1].Tone = tone
	}
	for _, cause := range causesIn(of.Tree, pair) {
		row(model.Strong, model.Cell{Text: cause.name}, cause.sum)
		for _, f := range cause.functions[:min(len(cause.functions), fewFunctions)] {
			text, from := frameName(f.Frame)
			name := model.Cell{Text: cmp.Or(text, "(no function)")}
			if from != "" {
				name.More = []string{from}
			}
			row(model.Plain, name, of2(f.Amounts, pair))
		}
		if more := cause.functions[min(len(cause.functions), fewFunctions):]; len(more) > 0 {
			var rest [2]float64
			for _, f := range more {
				one := of2(f.Amounts, pair)
				rest[0], rest[1] = rest[0]+one[0], rest[1]+one[1]
			}
			row(model.Faint, model.Cell{Text: wording.Counted(len(more), "more function")}, rest)
		}
	}
	if unseen := of2(of.Unseen, pair); unseen != [2]float64{} {
		row(model.Strong, model.Cell{Text: causeLabels[metric.CPUUnseen]}, unseen)
	}
	return table
}

func of2(amounts []float64, pair [2]int) [2]float64 {
	return [2]float64{amounts[pair[0]], amounts[pair[1]]}
}

// causeIn is a cause with its functions.
type causeIn struct {
	name      string
	sum       [2]float64 // of the pair
	functions []profile.Function
}

// causesIn are the tasks of tracing in which a pair has anything, the one first that differs most, then what has no rule, the
// program and the runtime.
func causesIn(tree *profile.Tree, pair [2]int) []causeIn {
	var out []causeIn
	add := func(name string, is func(profile.Kind) bool) {
		one := causeIn{name: name, functions: tree.Functions(is, pair[0], pair[1])}
		for _, f := range one.functions {
			of := of2(f.Amounts, pair)
			one.sum[0], one.sum[1] = one.sum[0]+of[0], one.sum[1]+of[1]
		}
		one.functions = slices.DeleteFunc(one.functions, func(f profile.Function) bool { return of2(f.Amounts, pair) == [2]float64{} })
		if len(one.functions) > 0 {
			out = append(out, one)
		}
	}
	for _, task := range profile.Tasks {
		add(task, func(k profile.Kind) bool { return k.Owner == profile.Tracer && k.Task == task })
	}
	differs := func(c causeIn) float64 { return math.Abs(c.sum[0] - c.sum[1]) }
	slices.SortStableFunc(out, func(a, b causeIn) int { return cmp.Compare(differs(b), differs(a)) })
	add(profile.NoRule, func(k profile.Kind) bool { return k.Owner == profile.Tracer && k.Task == profile.NoRule })
	add(causeLabels[metric.CPUProgram], func(k profile.Kind) bool { return k.Owner == profile.Program })
	add(causeLabels[metric.CPURuntime], func(k profile.Kind) bool { return k.Owner == profile.Runtime })
	return out
}
