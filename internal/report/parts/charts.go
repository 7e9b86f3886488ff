// What the program of the charts reads: a document, its figures in words, and what it would else
// have to know of metrics, goals and ledgers.

package parts

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/report/model"
)

// Charts is the input of the program of the charts.
type Charts struct {
	Document *finding.Document `json:"document"`
	Figures  []ChartFigures    `json:"figures"` // beside document.findings
	Order    []int             `json:"order"`   // of document.findings for a reader
	Baseline string            `json:"baseline"`
	Names    map[string]string `json:"names"`   // of metrics, for a reader
	Looks    map[string]Look   `json:"looks"`   // by the kind of goal of a search
	Entries  []ChartEntry      `json:"entries"` // of ledgers, in the order in which they are drawn
	Bars     []int             `json:"bars"`    // of document.ledgers those that are drawn
	Paints   map[string]Paint  `json:"paints"`  // of variants
	Points   [][]string        `json:"points"`  // of document.sweeps: the value at each point, with its interval
	Costs    [][]string        `json:"costs"`   // of replication.tables: the cost in each row, with its interval

	Ways     [][]ChartWay   `json:"ways,omitempty"`     // beside document.decisions
	Services []ChartService `json:"services,omitempty"` // beside document.services, where there is a graph of them
	Causes   []ChartCauses  `json:"causes,omitempty"`   // of each pair that has any
	Flames   []ChartFlames  `json:"flames,omitempty"`   // of the operations that were profiled

	Replication any         `json:"replication,omitempty"` // what stands beside a study, as its JSON
	Lines       []ChartLine `json:"lines,omitempty"`       // that a study published
}

// ChartFigures are a finding's figures as every report writes them.
type ChartFigures struct {
	Label    string   `json:"label"`
	Group    string   `json:"group"`
	Variant  string   `json:"variant"` // with its mark
	Against  string   `json:"against"`
	Baseline string   `json:"baseline"`
	Value    string   `json:"value"`
	Absolute string   `json:"absolute"`
	Relative string   `json:"relative"`
	Mark     string   `json:"mark"` // of the verdict
	Tone     string   `json:"tone"`
	Before   string   `json:"before,omitempty"` // "at least"
	Told     []string `json:"told,omitempty"`   // what the marks of the variants say
	Dark     bool     `json:"dark,omitempty"`   // no span came of a side
	Above    bool     `json:"above,omitempty"`  // it stands above the charts already
	Apart    bool     `json:"apart,omitempty"`  // it lost spans: it stands below the others, whatever it costs
}

// ChartWay are the figures of a way of tracing as every report writes them.
type ChartWay struct {
	Kept     string `json:"kept"`
	Added    string `json:"added"` // with its interval
	CPU      string `json:"cpu"`   // likewise
	Carries  string `json:"carries"`
	Standing string `json:"standing,omitempty"` // in a few words
	Grey     bool   `json:"grey,omitempty"`     // none to choose
	Shown    bool   `json:"shown,omitempty"`    // it has a place on the chart
}

// ChartService are the figures of a service as every report writes them.
type ChartService struct {
	Group    string `json:"group"`   // the operation at its level
	Program  bool   `json:"program"` // a process of the program under test, and no store, nor what passes spans on
	Baseline string `json:"baseline"`
	Value    string `json:"value"`
	Adds     string `json:"adds"`  // with its interval
	Short    string `json:"short"` // without; "" where it is unknown
}

// Look is the view of a search on each probe.
type Look struct {
	Field  string `json:"field"` // of a point
	Unit   string `json:"unit"`
	Name   string `json:"name"`
	Target bool   `json:"target"` // there is a figure to be met, which is drawn
	Spread bool   `json:"spread"` // of several decades, where there are many probes
}

// Looks are by the kind of goal.
var Looks = map[string]Look{
	string(config.GoalCPU):      {Field: "utilisation", Unit: "1", Name: "CPU used", Target: true},
	string(config.GoalLatency):  {Field: "seconds", Unit: "s", Name: "latency", Target: true, Spread: true},
	string(config.GoalLossless): {Field: "lost", Unit: "count", Name: "spans lost"},
}

// ChartEntry is an entry that has a share in what was expected, and how it is drawn.
type ChartEntry struct {
	Name string `json:"name"`
	Text string `json:"text"` // what a reader calls it
	Look string `json:"look"`
}

// ChartEntries are in the order in which they are drawn.
var ChartEntries = []ChartEntry{
	chartEntry(ledger.Delivered, "delivered"), chartEntry(ledger.SampledOut, "sampled"), chartEntry(ledger.DecidedOut, "sampled"), chartEntry(ledger.SampledOnWay, "sampled-way"),
	chartEntry(ledger.Merged, "merged"), chartEntry(ledger.Suppressed, "suppressed"),
	chartEntry(ledger.Dropped, "dropped"), chartEntry(ledger.FailedSend, "failed"), chartEntry(ledger.LostAtStop, "stopped"),
	chartEntry(ledger.DroppedOnWay, "dropped-way"), chartEntry(ledger.EarlyOnWay, "dropped-way"), chartEntry(ledger.TornOnWay, "dropped-way"), chartEntry(ledger.FailedOnWay, "failed-way"),
	chartEntry(ledger.Unaccounted, "unaccounted"), chartEntry(ledger.Duplicated, "duplicated"),
}

// HasBar reports whether something became of the spans of a ledger but that they came: a bar of nothing else tells nothing.
func HasBar(l *finding.Ledger) bool {
	return slices.ContainsFunc(l.Entries, func(e finding.Entry) bool {
		drawn := slices.ContainsFunc(ChartEntries, func(c ChartEntry) bool { return c.Name == e.Name })
		return drawn && e.Name != ledger.Delivered.String() && e.Spans > 0
	})
}

func chartEntry(f ledger.Fate, look string) ChartEntry {
	return ChartEntry{Name: f.String(), Text: f.Text(), Look: look}
}

// ChartFlames are the stacks of an operation's profiles, folded to a tree.
type ChartFlames struct {
	Group    string      `json:"group"` // the operation at its level
	Variants []string    `json:"variants"`
	Pairs    [][2]int    `json:"pairs"` // of variants: one, and what it is held against
	Unit     float64     `json:"unit"`  // seconds of CPU per operation that an amount of 1 stands for
	Kinds    []ChartKind `json:"kinds"`
	Frames   [][2]string `json:"frames"` // the name with its package, and where it is from
	Up       []int32     `json:"up"`     // of each node, how far before it its caller stands; 0 where it has none
	Of       []int32     `json:"of"`     // of each node, its frame
	Own      []int64     `json:"own"`    // amounts in nodes themselves: how far behind the last node, at first -1, its own stands; the kind; the amount of each variant
}

// ChartCauses are the causes of what a variant costs over another.
type ChartCauses struct {
	Group   string       `json:"group"` // the operation at its level, or the start
	Variant string       `json:"variant"`
	Against string       `json:"against"`
	Axis    string       `json:"axis"` // by what they are told apart: "task"
	Rows    []ChartCause `json:"rows"`
}

// ChartCause is an amount of seconds per operation, with its interval.
type ChartCause struct {
	Name     string   `json:"name"`
	Estimate float64  `json:"estimate"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	Text     string   `json:"text"`
}

// ChartKind is a cause: the way to it from all that an operation uses.
type ChartKind struct {
	Task  []ChartTint `json:"task"`
	Stage []ChartTint `json:"stage"`
}

// ChartTint is a name, and its colour of the style sheet, as of Paint.
type ChartTint struct {
	Name string `json:"name"`
	Tint int    `json:"tint"`
}

// ChartLine is a line that a study published of a variant, on our own baseline: it is of what
// tracing adds.
type ChartLine struct {
	Operation string       `json:"operation"`
	Metric    string       `json:"metric"`
	Variant   string       `json:"variant"`
	Points    [][2]float64 `json:"points"`
}

// What variants are drawn with: a hue each, that of their tracer for the first one of it.

// Paint is the drawing of a variant on all charts of a page. The first variant of a tracer has the same colour on every page.
type Paint struct {
	Colour int `json:"colour"` // of the style sheet, --c1 for 1; 0 is the baseline's grey
	Mark   int `json:"mark"`   // its number among the variants of this colour: it chooses dashes and a symbol
}

// Colours is the number of colours of the style sheet beside the baseline's.
const Colours = 10

// tracerColours are those of the tracers that most results are of, whatever the language. Others get theirs by a hash of
// their name, or the next that is free.
var tracerColours = map[string]int{
	"otel": 1, "elastic": 2, "kieker": 3, "pinpoint": 4, "skywalking": 5,
	"datadog": 6, "scouter": 8, "inspectit": 9, "zipkin": 10,
}

// Paints returns the drawing of the variants, by name. Each has a colour of its own as long as there are any: the first of a tracer
// that of its tracer. Beyond, several have one colour, and are told by their dashes and symbols.
func Paints(variants []finding.Variant, baseline string) map[string]Paint {
	colours := coloursOf(variants, baseline)
	out := map[string]Paint{baseline: {}}
	used := map[int]int{}
	put := func(name string, colour int) {
		out[name] = Paint{Colour: colour, Mark: used[colour]}
		used[colour]++
	}
	var rest []string
	for _, v := range variants {
		colour := colours[painted(v)]
		_, known := out[v.Name]
		switch {
		case known:
		case used[colour] == 0:
			put(v.Name, colour)
		case !slices.Contains(rest, v.Name):
			rest = append(rest, v.Name)
		}
	}
	for _, name := range rest {
		put(name, leastUsed(used))
	}
	return out
}

// leastUsed is the first of the colours that fewest variants have.
func leastUsed(used map[int]int) int {
	best := 1
	for colour := 2; colour <= Colours; colour++ {
		if used[colour] < used[best] {
			best = colour
		}
	}
	return best
}

// coloursOf are the colours of all that is painted.
func coloursOf(variants []finding.Variant, baseline string) map[string]int {
	out := map[string]int{}
	taken := map[int]bool{}
	var others []string
	for _, v := range variants {
		if v.Name == baseline {
			continue
		}
		name := painted(v)
		if colour, known := tracerColours[name]; known {
			out[name], taken[colour] = colour, true
		} else if !slices.Contains(others, name) {
			others = append(others, name)
		}
	}
	slices.Sort(others) // whatever order the experiment has
	for _, name := range others {
		colour := hashed(name)
		for range Colours {
			if !taken[colour] {
				break
			}
			colour = colour%Colours + 1
		}
		out[name], taken[colour] = colour, true
	}
	return out
}

// painted is what the colour of a variant stands for: its tracer, of whatever language; its own name where it has none.
func painted(v finding.Variant) string {
	if v.Tracer == "" || v.Tracer == "none" {
		return v.Name
	}
	if i := strings.LastIndex(v.Tracer, "-"); i > 0 && tracerColours[v.Tracer[:i]] > 0 {
		return v.Tracer[:i]
	}
	return v.Tracer
}

// hashed is the colour that a name asks for.
func hashed(name string) int {
	h := fnv.New32a()
	h.Write([]byte(name)) // which never fails
	return int(h.Sum32()%Colours) + 1
}

// The curves over the levels: a metric by what was varied, of every variant.

// curves are one metric of one operation over its levels, a curve for each variant.
type curves struct {
	operation, metric string
	list              []*finding.Sweep
}

func curvesOf(all []finding.Sweep) []curves {
	var out []curves
	for i := range all {
		s := &all[i]
		at := slices.IndexFunc(out, func(c curves) bool { return c.operation == s.Operation && c.metric == s.Metric })
		if at < 0 {
			at = len(out)
			out = append(out, curves{operation: s.Operation, metric: s.Metric})
		}
		out[at].list = append(out[at].list, s)
	}
	return out
}

// SweepsSection has a table for each metric of each operation.
func SweepsSection(sweeps []finding.Sweep, lead string) model.Section {
	s := model.Section{ID: "sweeps", Title: "From level to level", Depth: model.Folded, Chart: &model.Chart{}}
	knees := ""
	for _, c := range curvesOf(sweeps) {
		table := c.table()
		if len(table.Notes) > 0 {
			knees = " A diamond is a knee: from there on, doubling brings under 10 % more."
		}
		s.Grids = append(s.Grids, table)
	}
	s.Lead = model.Texts(lead + knees)
	return s
}

// table has a row for each level that any of the curves has.
func (c curves) table() model.Grid {
	by := c.list[0].Parameter
	table := model.Grid{Caption: Operation(c.operation), Remark: finding.MetricName(c.metric) + " by " + by, Fold: model.Closed, Columns: []model.Column{{Head: by, Right: true}}}
	for _, s := range c.list {
		table.Columns = append(table.Columns, model.Column{Head: s.Variant, Right: true})
		if s.Knee != nil {
			table.Notes = append(table.Notes, model.Note{Lead: s.Variant + ": ", Text: s.Knee.Text, Tone: model.Faint})
		}
	}
	for _, x := range c.levels() {
		row := model.Texts(strconv.FormatFloat(x, 'g', -1, 64))
		for _, s := range c.list {
			text := finding.Missing
			if i := slices.IndexFunc(s.Points, func(p finding.SweepPoint) bool { return p.X == x }); i >= 0 {
				text = pointText(s.Points[i], s.Unit)
			}
			row = append(row, model.Cell{Text: text})
		}
		table.Add(row...)
	}
	return table
}

// pointText is the value at a point of a curve, with its interval.
func pointText(p finding.SweepPoint, unit string) string {
	size, ends := finding.FormatMeasured(finding.Interval{Estimate: p.Y, Low: p.Low, High: p.High}, unit)
	return strings.TrimSpace(size + " " + ends)
}

// PointTexts are the values at all points of curves.
func PointTexts(sweeps []finding.Sweep) [][]string {
	out := [][]string{}
	for _, s := range sweeps {
		texts := []string{}
		for _, p := range s.Points {
			texts = append(texts, pointText(p, s.Unit))
		}
		out = append(out, texts)
	}
	return out
}

func (c curves) levels() []float64 {
	var xs []float64
	for _, s := range c.list {
		for _, p := range s.Points {
			if !slices.Contains(xs, p.X) {
				xs = append(xs, p.X)
			}
		}
	}
	slices.Sort(xs)
	return xs
}

func toneIf(doubtful bool) model.Tone {
	if doubtful {
		return model.Doubtful
	}
	return model.Plain
}

// The tables of what each step of tracing adds, of a result and of a replication.

// StepGrids have a row for each step, a table for each metric and operation.
func StepGrids(all []finding.Increment) []model.Grid {
	var out []model.Grid
	at := map[string]int{}
	for _, i := range all {
		name := finding.MetricName(i.Metric)
		if i.Operation != "" {
			name = i.Operation + ": " + name
		}
		n, known := at[name]
		if !known {
			n = len(out)
			at[name] = n
			out = append(out, model.Grid{Caption: name, Columns: []model.Column{
				{Head: "tracer", Give: true, Drop: 3}, {Head: "variant", Give: true}, {Head: "adds", Give: true}, {Head: "over", Give: true, Drop: 4},
				{Head: "value", Right: true}, {Head: "difference", Right: true}, {Head: "(95 %)", Close: true, Drop: 2},
				{Head: "by profiles", Right: true}, {Head: "(95 %)", Close: true, Drop: 2}, {Head: "in", Drop: 5}, {Head: "remark", Drop: 1},
			}})
		}
		estimate, ends := Missing, model.Cell{}
		if i.Absolute != nil {
			estimate, ends = Interval(*i.Absolute, i.Unit, false, model.Plain)
		}
		var profiled, within model.Cell
		if i.Profiled != nil {
			profiled, within = Interval(*i.Profiled, i.Unit, false, toneIf(i.Disagree))
		}
		out[n].Add([]model.Cell{
			{Text: i.Tracer, Tone: model.Faint}, {Text: i.Variant}, {Text: strings.Join(i.Steps, ", ")}, {Text: i.Over, Tone: model.Faint},
			{Text: finding.FormatValue(i.Value, i.Unit)}, estimate, ends,
			profiled, within, {Text: strings.Join(i.Stages, ", "), Tone: model.Faint}, {Text: i.Note, Tone: model.Doubtful},
		}...)
	}
	for n := range out {
		out[n] = out[n].DropEmpty()
	}
	return out
}
