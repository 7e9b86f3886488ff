// Package model owns what a report is made of, whatever its form: texts, sections, tables, and cells with a tone, which is
// a meaning and no colour. It must not know what was measured, nor how it is drawn: no widths, no colours, no markup.
// Texts may come from outside; each form makes them harmless by its own rules.
package model

import (
	"strings"
	"unicode"

	"github.com/tracetax/tracetax/internal/quote"
)

// Page is all that one report shows. A form draws the parts that it has a place for.
type Page struct {
	Title   string // of the window: the workload, or the name
	Name    string // of the experiment or the replication
	Alarm   Alarm
	Summary string   // in a sentence
	Answers []string // on the ways of tracing beside each other, a sentence or two each
	Kept    Tone     // how the budgets were kept: Good, Bad, Doubtful, Faint where there is none; Plain where that is no question

	About    [][]string // what was measured: lines, each of some parts
	Details  []string   // how it came about
	Notices  []string   // what is to be known before relying on the figures
	Checks   Checks     // what was measured beside what was allowed
	Cards    []Card     // the headline, by operation, but for what the checks tell
	Headline Grid       // likewise, as a table
	Marks    []Note     // what the marks of variants mean
	Sections []Section
	Warnings []Warning
	How      How

	Results string // the folder, "" for none
	Charts  any    // what the charts are drawn from, as JSON; nil for none
}

// Alarm stands before everything else; the zero value is none.
type Alarm struct {
	Title string
	Lines []string
}

// Depth is the place of a section: for all readers, or for some.
type Depth int

// The depths.
const (
	Shown  Depth = iota // for everybody
	Folded              // for whoever looks closer
	Behind              // every figure: below everything else
)

// Section is one part of a report.
type Section struct {
	ID    string // to be linked to, and to be filled with a chart; "" for none
	Title string // "" where the tables have captions enough
	Depth Depth
	Lead  []Cell // a sentence before the tables, in pieces
	Chart *Chart // nil: none
	Grids []Grid
	Notes []Note
}

// Chart is a place that the page fills.
type Chart struct{ Wide bool } // one panel over the whole width

// Note is a sentence below a table. A form with links leads to a section by its last words.
type Note struct {
	Lead string // what it is about; the lines of the text stand beside it
	Text string
	Tone Tone
	More string // further words, of no use without the link
	Link string // the section that they lead to
	With string // the head of a column that it explains: it goes where no table has room for that; "": it stays
}

// Warning is a doubt of the harness about itself.
type Warning struct {
	Severity string // "note", "warning", "spoiled", or what else it is
	Tone     Tone   // Plain for notes
	Code     string // "" where it has none
	Where    string
	Text     string
	Advice   string
	Follows  []Warning // what may follow from it
}

// How is the method of the figures, and the commands to make them again.
type How struct {
	Title   string
	Reading []Note   // how to read the figures
	Grids   []Grid   // what was compared, and where
	File    string   // the experiment, as resolved
	Repeat  []string // commands
	Made    []string // by what
}

// Checks are the verdict on a result with a budget; the zero value is none.
type Checks struct {
	Text string // how many limits were kept
	Tone Tone
	List []Check
	More []Check // to be folded
}

// Check is a figure beside its limit.
type Check struct {
	Key      string // of its finding, as Row has it
	Hue      int    // of the variant: a colour of the style sheet, 0 for the baseline's
	Variant  string
	Where    string // the operation at its level
	Metric   string
	Measured string
	Allowed  string
	Verdict  Cell
	Why      string // it cannot be told; "" where the verdict says it all
}

// Card is the headline of one operation.
type Card struct {
	Title string
	Label string // the metric
	Rows  []CardRow
	More  string // what is left out
}

// CardRow is the headline of one variant.
type CardRow struct {
	Key     string // of its finding, as Row has it
	Hue     int    // of the variant, as Check has it
	Variant string
	Marked  bool   // the name has a mark, which must be seen also where it is the only one
	Level   string // where there are several in a card
	Before  string // "at least", where the estimate is a bound
	Big     string // the estimate
	Ends    string // its interval
	Amount  string // "+2.2 µs (1.1 to 3.4)", where the estimate is a ratio
	Values  string // "52.0 µs → 54.2 µs"
	Missing bool   // no span came: there is no figure
	Last    bool   // it does less than the others, and stands below them
	Verdict Cell
}

// Tone is the meaning of a text for its reader, beside its words.
type Tone int

// The tones.
const (
	Plain    Tone = iota
	Strong        // what is looked for first
	Faint         // what can be passed over
	Good          // a budget is kept, a claim is confirmed
	Bad           // a budget is exceeded, a claim is refuted, a figure is worth nothing
	Dear          // it costs
	Cheap         // it saves
	Same          // no difference was seen
	Doubtful      // it cannot be told, or not be relied on
)

var tones = map[Tone]string{
	Strong: "strong", Faint: "faint", Good: "good", Bad: "bad", Dear: "dear", Cheap: "cheap", Same: "same", Doubtful: "doubtful",
}

// String is the tone in a word, "" for Plain.
func (t Tone) String() string { return tones[t] }

// Cell is one cell of a table, or a piece of a sentence.
type Cell struct {
	Text string
	Tone Tone

	Mark  string   // says the tone in one character, before the text, so no meaning hangs on colour
	Long  string   // takes the place of the text where there is room for a sentence
	More  []string // is said beside the text where there is room for more
	Parts []Part   // what the text is made of
}

// Part is a piece of a cell: 1,204 spans dropped by the tracer, counted.
type Part struct{ Name, Value, How string }

// Column is one column of a table.
type Column struct {
	Head  string
	Right bool // figures: aligned to the right
	Close bool // belongs to the column before, which can be read without it
	Badge bool // verdicts, in a few words
	Wrap  bool // of sentences, or of figures that may be broken into lines

	Drop int  // where there is little room those with the highest number go first, together; 0 stays
	Mute bool // its marks go with it, and do not stay alone
	Give bool // may be shortened where dropping is not enough
	Set  int  // columns of one set stand together: where the sets do not fit beside each other, each gets a table; 0: is in all
}

// Row is one row of a table.
type Row struct {
	Key   string // to be found by, "" for none
	Tone  Tone
	Cells []Cell
}

// Fold is the state of a table where tables can be folded.
type Fold int

// The folds.
const (
	Open     Fold = iota // never folded
	Unfolded             // can be folded, and is not at first
	Closed
)

// Grid is a table.
type Grid struct {
	Caption string
	Remark  string // goes on from the caption
	Fold    Fold
	Bare    bool // without heads
	Stack   bool // where a page has little room each row is a block of lines, not scrolled
	Columns []Column
	Rows    []Row
	Bars    *Bars  // the same as a chart, for forms without charts; nil for none
	Notes   []Note // below it
}

// Bars are intervals on one axis, which has zero on it.
type Bars struct {
	From, To    float64 // the ends of the axis
	First, Last string  // as they are written
	Rows        []Bar
}

// Bar is one interval.
type Bar struct {
	Name                string
	Low, Estimate, High float64
	Least               bool // the true value may lie above
	Tone                Tone
}

// Add puts a row below the others.
func (g *Grid) Add(cells ...Cell) { g.Rows = append(g.Rows, Row{Cells: cells}) }

// DropEmpty takes out the columns that have nothing in any row.
func (g Grid) DropEmpty() Grid {
	return g.Only(func(c int) bool {
		for _, row := range g.Rows {
			if row.Cells[c].Text != "" || row.Cells[c].Mark != "" {
				return true
			}
		}
		return false
	})
}

// Only is the table with the columns that are kept.
func (g Grid) Only(keep func(column int) bool) Grid {
	out := g
	out.Columns, out.Rows = nil, make([]Row, len(g.Rows))
	for r, row := range g.Rows {
		out.Rows[r] = Row{Key: row.Key, Tone: row.Tone}
	}
	for c, column := range g.Columns {
		if !keep(c) {
			continue
		}
		out.Columns = append(out.Columns, column)
		for r, row := range g.Rows {
			out.Rows[r].Cells = append(out.Rows[r].Cells, row.Cells[c])
		}
	}
	return out
}

// Pad is some cells, and empty ones up to a number.
func Pad(n int, cells ...Cell) []Cell { return append(cells, make([]Cell, max(0, n-len(cells)))...) }

// Texts are cells of plain text.
func Texts(texts ...string) []Cell {
	cells := make([]Cell, len(texts))
	for i, text := range texts {
		cells[i].Text = text
	}
	return cells
}

// OneLine makes text from outside fit for one line of any form: control sequences of a terminal go whole; other control
// characters, which could move a cursor or change colours, become "�"; marks that turn the direction of the text go.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case unicode.IsControl(r):
			return unicode.ReplacementChar
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, quote.WithoutEscapes(s))
}
