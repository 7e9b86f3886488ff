package model

// Tone is what a text means to its reader, beside its words.
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

	Mark  string   // says the tone in one character, before the text, so that no meaning hangs on colour
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
	Give bool // may be shortened where dropping is not enough
	Set  int  // columns of one set stand together: where the sets do not fit beside each other, each gets a table; 0: is in all
}

// Row is one row of a table.
type Row struct {
	Key   string // to be found by, "" for none
	Tone  Tone
	Cells []Cell
}

// Fold says whether a table is folded away where that can be done.
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
	Notes   []Note // below it
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
