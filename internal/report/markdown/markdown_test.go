package markdown

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/report/model"
)

// What belongs to the column before goes into its cell; a verdict is told at its longest; a caption heads the names.
func TestTable(t *testing.T) {
	g := model.Grid{Caption: "CPU", Columns: []model.Column{{}, {Head: "cost", Right: true}, {Head: "(95 %)", Close: true}, {Head: "verdict", Badge: true}}}
	g.Add(model.Cell{Text: "a|b"}, model.Cell{Text: "+1 %"}, model.Cell{Text: "(0 to 2)"}, model.Cell{Mark: "?", Text: "cannot tell", Long: "2 blocks more"})
	g.Add(model.Cell{Text: "c"}, model.Cell{Text: "–"}, model.Cell{}, model.Cell{})
	var b strings.Builder
	if err := Write(&b, &model.Page{Summary: "x", Sections: []model.Section{{Grids: []model.Grid{g}}}}); err != nil {
		t.Fatal(err)
	}
	want := "**x**\n\n| CPU | cost (95 %) | verdict |\n| :-- | --: | :-- |\n| a\\|b | +1 % (0 to 2) | ? 2 blocks more |\n| c | – |  |\n\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
