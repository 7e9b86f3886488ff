// This file lists the spans of a program's other work.
package ledger

import (
	"cmp"
	"maps"
	"slices"
	"strings"
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

// others says how many spans are of other work, and of which.
func (p *page) others() string {
	roots := slices.SortedFunc(maps.Keys(p.background), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.background[b], p.background[a]), cmp.Compare(a, b))
	})
	more := ""
	if len(roots) > fewRoots {
		roots, more = roots[:fewRoots], ", …"
	}
	return spans(p.otherWork()) + " of the program's other work (" + strings.Join(roots, ", ") + more + "), in no account"
}
