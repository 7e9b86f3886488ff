// This file counts the spans of a program's other work.

package ledger

func (p *page) addBackground(of map[string]int64) {
	for root, spans := range of {
		if p.background == nil {
			p.background = map[string]int64{}
		}
		p.background[root] += spans
	}
}

// otherWork is how many spans are of other work.
func (l *line) otherWork() float64 {
	sum := 0.0
	for _, spans := range l.background {
		sum += float64(spans)
	}
	return sum
}
