package compare

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
)

func TestSideNames(t *testing.T) {
	for _, c := range []struct{ paths, want string }{
		{"r/main r/branch", "main branch"}, {"main/hello branch/hello", "main/hello branch/hello"},
		{"./same ./same", "same (1) same (2)"}, {"/a/b/c /a/d/c/ /x/c", "b/c d/c x/c"},
	} {
		var docs []*finding.Document
		for _, p := range strings.Fields(c.paths) {
			docs = append(docs, &finding.Document{Results: p})
		}
		if got := strings.Join(sideNames(docs), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.paths, got, c.want)
		}
	}
}

// Ratios that fall into modes in one of the results are of that one, and are none where a single ratio may be off by as much.
func TestModesBetweenResults(t *testing.T) {
	var even, odd claim.Figures
	for block := range 20 {
		x := 0.001 * float64(block%5)
		y := x + 0.5*float64(block%2)
		even, odd = append(even, claim.Figure{Block: block, Low: x, Mid: x, High: x}), append(odd, claim.Figure{Block: block, Low: y, Mid: y, High: y})
	}
	for want, ratios := range map[string]*claim.Evidence{
		"b": claim.Apart(even, odd, true, claim.Given), "a": claim.Apart(odd, even, true, claim.Given),
	} {
		if r := modesBetween("a", "b", ratios, 0); r == nil || r.Result != want || len(r.Figures) != 4 {
			t.Errorf("%+v, want modes of %s", r, want)
		}
		if r := modesBetween("a", "b", ratios, 1); r != nil {
			t.Errorf("%+v", r)
		}
	}
}
