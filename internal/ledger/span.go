// This file is the small arithmetic of what is known only between two ends, of
// sharing out a total, and of rounding to whole spans.

package ledger

import "math"

// between is a number of spans that lies between two ends, which are equal where
// it is known.
type between struct{ low, high float64 }

func exactly(v float64) between { return between{v, v} }

func (b between) plus(c between) between { return between{b.low + c.low, b.high + c.high} }

func (b between) less(v float64) between { return between{b.low - v, b.high - v} }

// nearest returns the number between the ends that is nearest to v: what is
// unsure is not held against anybody.
func (b between) nearest(v float64) float64 { return math.Max(b.low, math.Min(b.high, v)) }

// share hands total out over places in proportion to their room, never more than
// a place has room for, in whole spans. It returns what each place got and what
// no place had room for.
func share(total float64, room []float64) (got []float64, left float64) {
	got = make([]float64, len(room))
	var sum float64
	for _, r := range room {
		sum += math.Max(0, r)
	}
	if sum <= 0 || total <= 0 {
		return got, math.Max(0, total)
	}
	part := math.Min(1, total/sum)
	for i, r := range room {
		got[i] = math.Floor(math.Max(0, r) * part)
	}
	left = total
	for _, g := range got {
		left -= g
	}
	for i, r := range room { // the remainder of the rounding, from the first place on
		more := math.Min(left, math.Max(0, r)-got[i])
		if more > 1 {
			more = 1
		}
		got[i] += more
		left -= more
	}
	return got, left
}

func whole(v float64) int64 { return int64(math.Round(v)) }
