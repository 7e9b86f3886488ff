// This file puts spans where they belong that a tracer has kept back until a buffer was
// full: they came while a later operation was made.
package ledger

import "math"

// moveHeld gives what came of one stretch beyond what was expected to the stretches before
// it that miss spans, at most holds for each stretch. The last line is the start, which was
// first. Nothing is moved that may as well be a number which varies.
func moveHeld(lines []line, holds float64) {
	inTime := make([]*line, 0, len(lines))
	inTime = append(inTime, &lines[len(lines)-1])
	for i := range lines[:len(lines)-1] {
		inTime = append(inTime, &lines[i])
	}
	for i, l := range inTime {
		left := math.Min(holds, -l.missing.high)
		for _, before := range inTime[:i] {
			spans := math.Min(left, before.missing.low)
			if spans <= 0 || !l.known || !before.known {
				continue
			}
			before.arrived(spans)
			l.arrived(-spans)
			left -= spans
		}
	}
}

// arrived adds spans that came at another time than the others.
func (l *line) arrived(spans float64) {
	l.delivered += spans
	l.late += math.Max(0, spans)
	l.missing = l.missing.less(spans)
	l.exact = false
}
