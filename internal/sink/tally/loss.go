// This file decides which spans a sink throws away that was told to lose some.

package tally

import "math"

// whole is one, as a share in whole numbers.
const whole = 1_000_000_000

// loss throws away an exact share of spans, evenly spread: of the first n, the whole
// part of n × share. There is no chance in it. The zero value takes nothing.
type loss struct {
	share uint64 // of whole
	owed  uint64 // of whole: what has come together since the last span was taken
}

func newLoss(share float64) loss { return loss{share: uint64(math.Round(share * whole))} }

// takes reports whether the next span is thrown away.
func (l *loss) takes() bool {
	l.owed += l.share
	if l.owed < whole {
		return false
	}
	l.owed -= whole
	return true
}

// Losable reports whether a share can be lost exactly: from 0 to 1, with nine
// decimals at most.
func Losable(share float64) bool {
	if !(share >= 0 && share <= 1) {
		return false
	}
	return math.Round(share*whole)/whole == share
}
