package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A column goes that has nothing in any row, a mark counting as something; what else a table has stays.
func TestDropEmpty(t *testing.T) {
	g := Grid{Caption: "a", Remark: "b", Fold: Closed, Notes: []Note{{Text: "c"}}, Columns: []Column{{Head: "1"}, {Head: "2"}, {Head: "3"}}}
	g.Rows = []Row{{Key: "k", Tone: Strong, Cells: []Cell{{Text: "x"}, {}, {}}}}
	g.Add(Cell{}, Cell{}, Cell{Mark: "✓"})
	want := Grid{Caption: "a", Remark: "b", Fold: Closed, Notes: g.Notes, Columns: []Column{{Head: "1"}, {Head: "3"}}, Rows: []Row{
		{Key: "k", Tone: Strong, Cells: []Cell{{Text: "x"}, {}}}, {Cells: []Cell{{}, {Mark: "✓"}}},
	}}
	if diff := cmp.Diff(want, g.DropEmpty()); diff != "" {
		t.Error(diff)
	}
}

// Each tone but Plain has a word, which style sheets and charts know it by.
func TestTonesHaveWords(t *testing.T) {
	seen := map[string]Tone{}
	for tone := Plain; tone <= Doubtful; tone++ {
		word := tone.String()
		if other, taken := seen[word]; taken || (word == "") != (tone == Plain) {
			t.Errorf("tone %d is called %q, as tone %d is", tone, word, other)
		}
		seen[word] = tone
	}
}
