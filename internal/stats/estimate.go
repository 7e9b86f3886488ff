// What an estimate is, and how to read it against a limit.

package stats

import "math"

// Estimate is a centre with a two-sided interval, in the unit of the values
// that it was made from.
type Estimate struct {
	Center     float64 // NaN where there is nothing to estimate from
	Low, High  float64 // the interval, ends included; 0 unless Bounded
	Confidence float64 // exact confidence of [Low, High], at least what was asked for; 0 unless Bounded
	N          int     // values (blocks) that it rests on
	Bounded    bool    // false: N is too small for the confidence asked for
}

// Position is where an interval stands in respect to a limit.
type Position int

// The positions. Unknown is the zero value: there is no interval.
const (
	Unknown   Position = iota
	Below              // the whole interval is below the limit
	Straddles          // the limit is inside the interval, or is one of its ends
	Above              // the whole interval is above the limit
)

// Against says where e's interval stands in respect to limit. A NaN limit is
// straddled: nothing can be said against it.
func (e Estimate) Against(limit float64) Position {
	switch {
	case !e.Bounded:
		return Unknown
	case e.High < limit:
		return Below
	case e.Low > limit:
		return Above
	}
	return Straddles
}

// Hidden is how large an effect in either direction the interval leaves room
// for: the larger of |Low| and |High|. It is +Inf where there is no interval.
func (e Estimate) Hidden() float64 {
	if !e.Bounded {
		return math.Inf(1)
	}
	return math.Max(math.Abs(e.Low), math.Abs(e.High))
}
