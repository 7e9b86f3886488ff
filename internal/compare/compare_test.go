package compare

import (
	"strings"
	"testing"

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
