// Why tracing costs what it costs: the CPU that it adds, by what the samples of profiles were taken in.

package view

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/wording"
)

// unruledMuch is the share of tracing's samples without a rule from which on their frames are told.
const unruledMuch = 0.05

// Causes is the causes of a result alone.
func Causes(doc *finding.Document) *model.Page {
	p := headOf(doc)
	s := causesSection(doc, true)
	if len(s.Grids) == 0 {
		s = model.Section{Notes: parts.Faint("This result has no profiles: measure it with 'tracetax explain', or with profile: true in the experiment.")}
	}
	if len(doc.Causes) > 0 && !slices.ContainsFunc(doc.Causes, func(c finding.Causes) bool { return c.Operation != "" }) {
		p.Summary = "" // it is of operations
	}
	p.Sections = []model.Section{s}
	p.How = model.How{Repeat: doc.Repeat}
	return p
}

// causesSection has the causes of each pair and operation, with the levels or without.
func causesSection(doc *finding.Document, levels bool) model.Section {
	s := model.Section{ID: "causes", Title: "Why it costs that"}
	for i := range doc.Causes {
		c := &doc.Causes[i]
		if c.Operation == "" {
			s.Grids = append(s.Grids, startGrid(doc, c))
		} else if levels || len(c.Parameter) == 0 {
			grids := causeGrids(doc, c)
			addNotes(grids, adviceNotes(c))
			s.Grids = append(s.Grids, grids...)
		}
	}
	var without []string
	for _, name := range doc.Experiment.Operations {
		of := func(c finding.Causes) bool { return c.Operation == name || c.Operation == "" }
		if len(doc.Causes) > 0 && !slices.ContainsFunc(doc.Causes, of) {
			without = append(without, name)
		}
	}
	if len(without) > 0 {
		s.Notes = parts.Faint("Not profiled: " + strings.Join(without, ", ") + ".")
	}
	return s
}

// whySection is the same for a page: as bars, with the tables folded. What the variant adds in all stands above, and the advice by
// itself.
func whySection(doc *finding.Document) model.Section {
	bare := *doc
	bare.Causes = slices.Clone(doc.Causes)
	for i := range bare.Causes {
		bare.Causes[i].Advice = nil
	}
	s := causesSection(&bare, true)
	charts := chartCauses(doc)
	if len(charts) == 0 {
		return s
	}
	above := shownAbove(doc)
	s.Chart = &model.Chart{Wide: true}
	s.Lead = model.Texts("The CPU per operation that tracing adds, by what it is spent on: the centre over the blocks, " +
		"a whisker for its 95 % interval. Single causes need not add up to the whole.")
	caption := ""
	for i := range s.Grids {
		g := &s.Grids[i]
		if g.Caption == "" { // the stages of the table before
			g.Caption, g.Remark = caption, "the figures by stage"
		} else if caption = g.Caption; len(above) > 0 && strings.HasSuffix(g.Remark, "of CPU per operation") {
			g.Remark = "the figures"
		}
		if g.Rows[0].Cells[0].Text == noCauses { // why there are none is for everybody
			g.Remark = ""
			continue
		}
		g.Fold = model.Closed
		g.Notes = slices.DeleteFunc(g.Notes, func(n model.Note) bool {
			if n.Tone == model.Doubtful { // which is for everybody too
				s.Notes = append(s.Notes, model.Note{Lead: caption + ": ", Text: n.Text, Tone: n.Tone})
			}
			return n.Tone == model.Doubtful
		})
	}
	return s
}

// chartCauses are the causes of all pairs, by each axis: single ones, not their sums.
func chartCauses(doc *finding.Document) []parts.ChartCauses {
	var out []parts.ChartCauses
	for i := range doc.Causes {
		c := &doc.Causes[i]
		var rest []string
		for _, axis := range []metric.Axis{metric.Program, metric.Runtime, metric.Unseen, metric.Besides} {
			rest = append(rest, metric.Causes(axis)...)
		}
		axes := []struct {
			name    string
			metrics []string
		}{{"task", slices.Concat(bySize(doc, c, metric.Causes(metric.Task)), rest)}, {"stage", bySize(doc, c, metric.Causes(metric.Stage))}}
		if c.Operation == "" {
			axes = axes[:1]
			axes[0].name = "part"
			axes[0].metrics = slices.DeleteFunc(slices.Clone(metric.Causes(metric.Start)), func(name string) bool {
				return name == metric.StartName("") || name == metric.StartName(profile.Beside) // the sum, and what is beside it
			})
		}
		for _, axis := range axes {
			one := parts.ChartCauses{Group: groupOf(c), Variant: c.Variant, Against: c.Against, Axis: axis.name}
			for _, name := range axis.metrics {
				if f := causeOf(doc, c, name); f != nil && f.Absolute != nil {
					one.Rows = append(one.Rows, parts.ChartCause{Name: causeLabel(name), Text: parts.IntervalText(f.Absolute, f.Unit, false),
						Estimate: f.Absolute.Estimate, Low: f.Absolute.Low, High: f.Absolute.High})
				}
			}
			if len(one.Rows) > 0 {
				out = append(out, one)
			}
		}
	}
	return out
}

// groupOf is the operation of causes at its level; of a start its name.
func groupOf(c *finding.Causes) string {
	if c.Operation == "" {
		return "start"
	}
	return parts.At(c.Operation, c.Parameter)
}

// causeLabel is the name of a cause for a reader.
func causeLabel(name string) string {
	if strings.HasPrefix(metric.Title(name), "start: ") {
		return strings.TrimPrefix(metric.Title(name), "start: ")
	}
	return cmp.Or(metric.Must(name).Cause.Name, causeLabels[name])
}

// startGrid is a start by its parts.
func startGrid(doc *finding.Document, c *finding.Causes) model.Grid {
	table := model.Grid{Caption: "start: " + c.Variant, Remark: "from the first fork to the first answer", Columns: []model.Column{
		{Head: "part", Give: true}, {Head: c.Against, Right: true}, {Head: c.Variant, Right: true}, {Head: "difference", Right: true}, {Head: "(95 %)", Close: true, Drop: 1},
	}}
	for _, name := range metric.Causes(metric.Start) {
		f := causeOf(doc, c, name)
		if f == nil || f.Absolute == nil {
			continue
		}
		estimate, ends := parts.Interval(*f.Absolute, f.Unit, false, parts.ToneOf(f.Verdict.ShownKind(false)))
		table.Add(append(model.Texts(causeLabel(name), parts.Value(f, f.Baseline), parts.Value(f, f.Value)), estimate, ends)...)
	}
	for _, reason := range c.Reasons {
		table.Notes = append(table.Notes, model.Note{Text: wording.Reason(reason) + ".", Tone: model.Doubtful})
	}
	timed := ""
	for _, name := range []string{metric.StartupTime, metric.FirstOperationTime} {
		if f := causeOf(doc, c, name); f != nil && f.Absolute != nil {
			timed += fmt.Sprintf("; %s %s (%s)", metric.Title(name), parts.Value(f, f.Value), finding.FormatInterval(*f.Absolute, f.Unit, false))
		}
	}
	if timed != "" {
		table.Notes = append(table.Notes, parts.Faint("Blocks without a profiler near"+timed+".")...)
	}
	return table.DropEmpty()
}

// noCauses stands where a table of causes could.
const noCauses = "no causes"

// causeGrids are the causes of a pair on an operation: by task, and once more by stage.
func causeGrids(doc *finding.Document, c *finding.Causes) []model.Grid {
	caption := parts.At(c.Operation, c.Parameter) + ": " + c.Variant
	if c.Against != baseline(doc) {
		caption += " over " + c.Against
	}
	tasks := causeTable(doc, c, "task", metric.Task)
	tasks.Caption = caption
	if all := causeOf(doc, c, metric.CPUPerOperation); all != nil && all.Absolute != nil {
		tasks.Remark = addsText(all)
	}
	addCauses(&tasks, doc, c, metric.Causes(metric.Program), "which runs slower or faster when traced; what a tracer weaves into it counts here")
	addCauses(&tasks, doc, c, metric.Causes(metric.Runtime), "")
	addCauses(&tasks, doc, c, metric.Causes(metric.Unseen), "native code and the kernel, which this profiler does not see")
	addCauses(&tasks, doc, c, metric.Causes(metric.Besides), "")
	stages := causeTable(doc, c, "stage", metric.Stage)
	addCauses(&stages, doc, c, metric.Causes(metric.Tracing), "")
	addCauses(&stages, doc, c, metric.Causes(metric.Callers), "in threads that do the program's own work, in all of its processes")
	last := &stages
	if len(stages.Rows) == 0 {
		last = &tasks
	}
	last.Notes = causeNotes(c)
	if len(tasks.Rows) == 0 { // the reason stands in the place of the table
		tasks.Add(model.Pad(len(tasks.Columns), model.Cell{Text: noCauses, Tone: model.Doubtful})...)
	}
	return append([]model.Grid{tasks.DropEmpty()}, parts.Grids(stages.DropEmpty())...)
}

// addsText returns the whole addition of the variant.
func addsText(f *finding.Finding) string {
	verb := "adds"
	size := *f.Absolute
	if size.Estimate < 0 {
		verb = "saves"
		size.Estimate = -size.Estimate
		size.Low, size.High = negative(f.Absolute.High), negative(f.Absolute.Low)
	}
	return fmt.Sprintf("%s %s of CPU per operation", verb, strings.TrimPrefix(finding.FormatInterval(size, f.Unit, false), "+"))
}

func negative(v *float64) *float64 {
	if v == nil {
		return nil
	}
	n := -*v
	return &n
}

func causeTable(doc *finding.Document, c *finding.Causes, axis string, of metric.Axis) model.Grid {
	table := model.Grid{Columns: []model.Column{
		{Head: axis, Give: true}, {Head: "CPU, all threads", Right: true}, {Head: "(95 %)", Close: true, Drop: 1},
		{Head: "callers take or wait", Right: true}, {Head: "(95 %)", Close: true, Drop: 1},
		{Head: "allocated", Right: true}, {Head: "(95 %)", Close: true, Drop: 1}, {Drop: 2, Wrap: true},
	}}
	addCauses(&table, doc, c, bySize(doc, c, metric.Causes(of)), "")
	return table
}

// bySize are causes from the largest on; what no rule knows is last.
func bySize(doc *finding.Document, c *finding.Causes, names []string) []string {
	slices.SortStableFunc(names, func(a, b string) int {
		rest := func(name string) bool { return name == metric.CPUNoRule || name == metric.CPUNoStage }
		if rest(a) != rest(b) {
			if rest(a) {
				return 1
			}
			return -1
		}
		return cmp.Compare(sizeOf(doc, c, b), sizeOf(doc, c, a))
	})
	return names
}

// addCauses adds a row for each cause that has an amount.
func addCauses(table *model.Grid, doc *finding.Document, c *finding.Causes, names []string, remark string) {
	for _, name := range names {
		f := causeOf(doc, c, name)
		if f == nil || f.Absolute == nil {
			continue
		}
		estimate, ends := parts.Interval(*f.Absolute, f.Unit, false, parts.ToneOf(f.Verdict.ShownKind(false)))
		cells := []model.Cell{{Text: causeLabel(name)}, estimate, ends}
		for _, beside := range []string{metric.Waits(name), metric.Allocates(name)} {
			var estimate, ends model.Cell
			if w := causeOf(doc, c, beside); w != nil && w.Absolute != nil {
				estimate, ends = parts.Interval(*w.Absolute, w.Unit, false, parts.ToneOf(w.Verdict.ShownKind(false)))
			}
			cells = append(cells, estimate, ends)
		}
		table.Add(append(cells, model.Cell{Text: remark, Tone: model.Faint})...)
	}
}

// causeLabels are the labels of causes without a stage and a task.
var causeLabels = map[string]string{
	metric.CPUTracing: "all of tracing", metric.CPUCallers: "of this, in callers", metric.CPUProgram: "the program", metric.CPURuntime: "the runtime", metric.CPUUnseen: "not seen", metric.CPUBesides: "other processes",
}

// causeOf is the finding of a metric of the pair; nil where there is none.
func causeOf(doc *finding.Document, c *finding.Causes, name string) *finding.Finding {
	for i := range doc.Findings {
		f := &doc.Findings[i]
		if f.Metric == name && f.Role == "" && f.Operation == c.Operation && f.Variant == c.Variant && f.Against == c.Against && maps.Equal(f.Parameter, c.Parameter) {
			return f
		}
	}
	return nil
}

func sizeOf(doc *finding.Document, c *finding.Causes, name string) float64 {
	if f := causeOf(doc, c, name); f != nil && f.Absolute != nil {
		return f.Absolute.Estimate
	}
	return math.Inf(-1)
}

// causeNotes are what is to be known beside the causes of a pair.
func causeNotes(c *finding.Causes) []model.Note {
	var out []model.Note
	for _, reason := range c.Reasons {
		out = append(out, model.Note{Text: wording.Reason(reason) + ".", Tone: model.Doubtful})
	}
	if c.WaitsLow {
		out = append(out, parts.Faint("How long callers take or wait is not told: samples by the clock saw them in tracing for less time than they use CPU in it.")...)
	}
	if c.WaitsSlower > finding.MostSlower {
		out = append(out, parts.Faint(fmt.Sprintf("How long callers take or wait is not told: under the profiler an operation took %.1f times as long.", c.WaitsSlower))...)
	}
	for _, beside := range []struct {
		samples int64
		of      string
	}{{c.Waits, "how long callers take or wait"}, {c.Allocated, "what is allocated"}} {
		if beside.samples > 0 && beside.samples < finding.LeastSamples {
			out = append(out, parts.Faint(fmt.Sprintf("%s of tracing are too few for %s, which takes %d.", wording.Counted(int(beside.samples), "sample"), beside.of, finding.LeastSamples))...)
		}
	}
	if c.Added != nil {
		tone, text := model.Faint, "Profiling added "+finding.FormatInterval(*c.Added, "s", false)+" to an operation, which is in no figure"
		if c.AddedMuch {
			tone, text = model.Doubtful, text+": over a fifth of what tracing adds, so the shares may be off"
		}
		samples := wording.Counted(int(c.Samples), "sample")
		if len(c.Profilers) > 0 {
			samples += " by " + strings.Join(c.Profilers, " and ")
		}
		out = append(out, model.Note{Text: text + "; " + samples + ", " + finding.FormatCount(c.Tracing) + " of tracing.", Tone: tone})
	}
	left := 0.0
	for _, frame := range c.Unruled {
		left += frame.Share
	}
	if left > unruledMuch && len(c.Reasons) == 0 {
		text := "No rule knows the task of "
		for i, frame := range c.Unruled[:min(len(c.Unruled), 3)] {
			if i > 0 {
				text += ", "
			}
			text += frame.Frame + " (" + finding.FormatValue(frame.Share, "1") + " of tracing)"
		}
		out = append(out, parts.Faint(text+".")...)
	}
	return out
}

// adviceNotes are the settings that make a cause of a pair smaller.
func adviceNotes(c *finding.Causes) []model.Note {
	var out []model.Note
	for _, a := range c.Advice {
		what := cmp.Or(a.Task, a.Stage)
		text := fmt.Sprintf("%s makes %s smaller, and loses %s; ", settingText(a.Setting), what, a.Loses)
		if a.Saves != nil {
			text += "tried (" + a.Variant + "): it "
		}
		text += wording.Saved(&a)
		out = append(out, model.Note{Lead: "Advice: ", Text: text + "."})
	}
	return out
}

// settingText is settings as a variant has them: "delay=5s, attributes=off".
func settingText(settings map[string]string) string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if text != "" {
			text += ", "
		}
		text += name + "=" + settings[name]
	}
	return text
}
