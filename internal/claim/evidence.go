// Intervals of the difference between two sides.

package claim

import (
	"math"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// Confidence of every interval that is not corrected for the number of claims.
const Confidence = 0.95

// Patience bounds the blocks in "about n more": few blocks foresee no larger number.
const Patience = 100

// Evidence answers a question: two sides, on a scale on which zero is no difference. Both ends of its intervals rise with the
// side that is asked about and fall with the other one. The interval from the figures that differ least to those that differ
// most therefore holds the interval of the true figures.
type Evidence struct {
	Base, Value Figures // where both are of the same blocks, Value is the differences, and there is no Base
	Ratio       bool    // they are logarithms

	paired           bool
	ask              func(confidence float64) float64
	mid, least, most sides // least and most: where they differ least and most
}

// Ask is the confidence to ask of an interval that is to have a given one, in spite of stopping at a precision.
type Ask = func(confidence float64) float64

// Given asks for the confidence that is given.
func Given(confidence float64) float64 { return confidence }

// Paired is the evidence of differences within blocks.
func Paired(differences Figures, ratio bool, ask Ask) *Evidence {
	e := &Evidence{Value: differences, Ratio: ratio, paired: true, ask: ask}
	e.mid, e.least, e.most = sides{value: differences.Values()}, sides{value: differences.lows()}, sides{value: differences.highs()}
	return e
}

// Apart is the evidence of two sides that have blocks of their own: by how much the values are shifted.
func Apart(base, value Figures, ratio bool, ask Ask) *Evidence {
	e := &Evidence{Base: base, Value: value, Ratio: ratio, ask: ask}
	e.mid = sides{base.Values(), value.Values(), stats.NewShifts(base.Values(), value.Values())}
	if !e.exact() {
		e.least = sides{base.highs(), value.lows(), stats.NewShifts(base.highs(), value.lows())}
		e.most = sides{base.lows(), value.highs(), stats.NewShifts(base.lows(), value.highs())}
	}
	return e
}

// sides are values at one end of what they may be.
type sides struct {
	base, value []float64
	shifts      *stats.Shifts // nil: value is the differences
}

func (s sides) at(confidence float64) stats.Estimate {
	if s.shifts == nil {
		return stats.SignedRank(s.value, confidence)
	}
	return s.shifts.At(confidence)
}

func (s sides) toExclude(limit, confidence float64) int {
	if s.shifts == nil {
		return stats.BlocksToExclude(s.value, limit, confidence, Patience)
	}
	return stats.ValuesToExclude(s.base, s.value, limit, confidence, Patience)
}

func (e *Evidence) exact() bool { return e.Base.Exact() && e.Value.Exact() }

// Blocks returns the number of blocks; of two sides, the smaller one.
func (e *Evidence) Blocks() int {
	if e.paired {
		return len(e.Value)
	}
	return min(len(e.Base), len(e.Value))
}

// LeastBlocks returns the number of blocks that any interval needs: of each of two sides, as many as its own interval would.
func (e *Evidence) LeastBlocks() int { return stats.MinBlocks(e.ask(Confidence)) }

// needs returns the number of blocks that an interval of that confidence needs.
func (e *Evidence) needs(confidence float64) int {
	if e.paired {
		return stats.MinBlocks(e.ask(confidence))
	}
	return stats.MinEach(e.ask(confidence))
}

// At is the difference on the scale, with its interval. It has none where one of its ends is infinite.
func (e *Evidence) At(confidence float64) stats.Estimate {
	confidence = e.ask(confidence)
	out := e.mid.at(confidence)
	if e.exact() {
		return out
	}
	low, high := e.least.at(confidence), e.most.at(confidence)
	out.Low, out.High, out.Bounded = low.Low, high.High, low.Bounded && high.Bounded
	if !out.Bounded {
		out.Low, out.High, out.Confidence = 0, 0, 0
	}
	return out
}

// Interval is the difference as it is shown: of ratios, less one. It is nil where there is none.
func (e *Evidence) Interval(confidence float64) *finding.Interval {
	return Interval(e.Shown(e.At(confidence)))
}

// Shown is an estimate on the scale as it is shown.
func (e *Evidence) Shown(on stats.Estimate) stats.Estimate {
	if e.Ratio {
		return stats.Ratio(on)
	}
	return on
}

// toExclude returns the number of blocks in all until the interval excludes the limit; never: the limit lies between the
// least and the largest centre, and no number is enough.
func (e *Evidence) toExclude(limit, confidence float64) (all int, never bool) {
	confidence = e.ask(confidence)
	switch {
	case e.exact():
		return e.mid.toExclude(limit, confidence), false
	case e.least.at(confidence).Center > limit:
		return e.least.toExclude(limit, confidence), false
	case e.most.at(confidence).Center < limit:
		return e.most.toExclude(limit, confidence), false
	}
	return 0, true
}

// signs are the differences by block where no sign may be open.
func (e *Evidence) signs() Figures {
	if !e.paired || !e.exact() {
		return nil
	}
	return e.Value
}

// Interval is an estimate as a finding has it; nil where there is none.
func Interval(e stats.Estimate) *finding.Interval {
	if math.IsNaN(e.Center) || math.IsInf(e.Center, 0) {
		return nil
	}
	i := &finding.Interval{Estimate: e.Center}
	if e.Bounded {
		i.Low, i.High = &e.Low, &e.High
	}
	return i
}

// Bare is an interval without its ends.
func Bare(i *finding.Interval) *finding.Interval {
	if i == nil {
		return nil
	}
	return &finding.Interval{Estimate: i.Estimate}
}

// Magnitude is an interval that excludes zero, or an estimate without one, as a size.
func Magnitude(i finding.Interval) finding.Interval {
	if i.Estimate >= 0 {
		return i
	}
	if i.Low == nil || i.High == nil {
		return finding.Interval{Estimate: -i.Estimate}
	}
	low, high := -*i.High, -*i.Low
	return finding.Interval{Estimate: -i.Estimate, Low: &low, High: &high}
}
