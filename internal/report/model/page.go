// Package model owns what a report is made of, whatever its form: texts, sections, tables, and cells with a tone, which is
// a meaning and no colour. It must not know what was measured, nor how it is drawn: no widths, no colours, no markup.
// Texts may come from outside; each form makes them harmless by its own rules.
package model

// Page is all that one report shows. A form draws the parts that it has a place for.
type Page struct {
	Title   string // of the window: the workload, or the name
	Name    string // of the experiment or the replication
	Alarm   Alarm
	Summary string // in a sentence
	More    string // the rest of it, where the sentence is a summary
	Kept    Tone   // how the budgets were kept: Good, Bad, Doubtful, Faint where there is none; Plain where nobody asks

	About    [][]string // what was measured: lines, each of some parts
	Details  []string   // how it came about
	Notices  []string   // what is to be known before relying on the figures
	Cards    []Card     // the headline, by operation
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

// Depth says for whom a section is.
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
}

// Warning is what the harness has to say against itself.
type Warning struct {
	Severity string // "note", "warning", "spoiled", or what else it is
	Tone     Tone   // Plain for notes
	Code     string // "" where it has none
	Where    string
	Text     string
	Advice   string
}

// How says how the figures were made, and how to make them again.
type How struct {
	Title   string
	Reading []Note   // how to read the figures
	Grids   []Grid   // what was compared, and where
	File    string   // the experiment, as resolved
	Repeat  []string // commands
	Made    []string // by what
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
	Variant string
	Marked  bool   // the name has a mark, which must be seen also where it is the only one
	Level   string // where there are several in a card
	Before  string // "at least", where the estimate is a bound
	Big     string // the estimate
	Ends    string // its interval
	Values  string // "52.0 µs → 54.2 µs"
	Missing bool   // no span came: there is no figure
	Last    bool   // it does less than the others, and stands below them
	Verdict Cell
}
