package compare

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
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

// How many blocks the claims on variants take: the figures of docs/compare.md.
func TestBlocksThatClaimsTake(t *testing.T) {
	for _, c := range []struct {
		claims int
		part   float64
		want   int
	}{{3, 1, 7}, {3, decisivePart, 8}, {15, 1 - decisivePart, 12}} {
		if got := stats.MinBlocks(stats.Bonferroni(estimate.Confidence, weighted(c.claims, c.part))); got != c.want {
			t.Errorf("%d claims with %g of the 5 %%: %d blocks, want %d", c.claims, c.part, got, c.want)
		}
	}
}
