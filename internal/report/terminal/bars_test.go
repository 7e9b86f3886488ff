package terminal

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/report/model"
)

// Each interval stands on the axis where its values are, whatever side of zero that is.
func TestBars(t *testing.T) {
	for name, c := range map[string]struct {
		width int
		bars  model.Bars
		want  []string
	}{
		"costs": {11,
			model.Bars{From: 0, To: 10, First: "0", Last: "+10 %", Rows: []model.Bar{{Name: "otel", Low: 2, Estimate: 5, High: 9}, {Name: "least", Low: 4, Estimate: 5, High: 10, Least: true}}},
			[]string{"         0     +10 %", "  otel   │ ├──●───┤", "  least  │   ├●────►"},
		},
		"saves, and a point": {15,
			model.Bars{From: -10, To: 10, First: "−10 %", Last: "+10 %", Rows: []model.Bar{{Name: "a", Low: -10, Estimate: -6, High: 2}, {Name: "b", Low: 0, Estimate: 0, High: 0}}},
			[]string{"     −10 %  0  +10 %", "  a  ├──●────┤", "  b         ●"},
		},
	} {
		got := chart(&c.bars, c.width, painter{})
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n%s\nnot\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// Where there is no room for an axis there is no chart.
func TestBarsNeedRoom(t *testing.T) {
	b := &model.Bars{From: 0, To: 1, First: "0", Last: "+100 %", Rows: []model.Bar{{Name: "one", High: 1}, {Name: "two", High: 1}}}
	for width, lines := range map[int]int{0: 4, 80: 4, 31: 4, 30: 0} {
		w := &writer{opts: Options{Width: width}}
		w.bars(b)
		got := strings.Count(w.text.String(), "\n")
		if got != lines {
			t.Errorf("at %d columns there are %d lines", width, got)
		}
		for _, l := range strings.Split(w.text.String(), "\n") {
			if width > 0 && widthOf(l) > width {
				t.Errorf("at %d columns a line takes %d", width, widthOf(l))
			}
		}
	}
}
