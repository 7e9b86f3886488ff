// This file lists the spans of a program's other work.
package ledger

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

func (p *page) addBackground(of map[string]int64) {
	for root, spans := range of {
		if p.background == nil {
			p.background = map[string]int64{}
		}
		p.background[root] += spans
	}
}

// otherWork is how many spans are of other work.
func (p *page) otherWork() float64 {
	sum := 0.0
	for _, spans := range p.background {
		sum += float64(spans)
	}
	return sum
}

// fewRoots is how many names of roots are given.
const fewRoots = 3

// others is how many spans are of other work, and of the most frequent of its roots.
func (p *page) others() []finding.Figure {
	roots := slices.SortedFunc(maps.Keys(p.background), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.background[b], p.background[a]), cmp.Compare(a, b))
	})
	out := []finding.Figure{spans(p.otherWork())}
	for _, root := range roots[:min(len(roots), fewRoots)] {
		out = append(out, count(root, float64(p.background[root])))
	}
	return out
}
