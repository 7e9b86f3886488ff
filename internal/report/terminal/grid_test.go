package terminal

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/report/model"
)

func drawn(t *testing.T, g model.Grid, width int) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, &model.Page{Sections: []model.Section{{Grids: []model.Grid{g}}}}, Options{Width: width}); err != nil {
		t.Fatal(err)
	}
	return strings.TrimLeft(b.String(), "\n")
}

// Where a verdict's words have no room, its mark stays.
func TestMarksStay(t *testing.T) {
	g := model.Grid{Columns: []model.Column{{Give: true}, {Head: "verdict", Badge: true, Drop: 1}}}
	g.Add(model.Cell{Text: "otel"}, model.Cell{Mark: "▲", Text: "costs more than the budget allows"})
	if got := drawn(t, g, 20); !strings.Contains(got, "otel  ▲\n") || strings.Contains(got, "costs") {
		t.Errorf("got\n%s", got)
	}
	if got := drawn(t, g, 0); !strings.Contains(got, "otel  ▲ costs more") {
		t.Errorf("got\n%s", got)
	}
}

// A sentence goes on below itself.
func TestSentencesWrap(t *testing.T) {
	g := model.Grid{Bare: true, Columns: []model.Column{{}, {Wrap: true}}}
	g.Add(model.Texts("spans", "expected 10 · delivered 9 · one is missing")...)
	if got, want := drawn(t, g, 32), "  spans  expected 10 · delivered\n         9 · one is missing\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Sets of columns that do not fit beside each other get a table each, with the columns that all have.
func TestSetsOfColumns(t *testing.T) {
	g := model.Grid{Caption: "CPU", Columns: []model.Column{{}, {Head: "first result", Set: 1}, {Head: "second result", Set: 2}}}
	g.Add(model.Texts("otel", "1", "2")...)
	if got := drawn(t, g, 40); strings.Count(got, "CPU") != 1 {
		t.Errorf("got\n%s", got)
	}
	if got, want := drawn(t, g, 22), "  CPU\n        first result\n  otel  1\n\n  CPU\n        second result\n  otel  2\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
