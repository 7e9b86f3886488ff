// This file says how sure a headline is, and how large.

package words

import (
	"cmp"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
)

// standing is what may be said of a headline.
type standing int

const (
	seen    standing = iota // the interval excludes zero
	hidden                  // it holds zero
	unsure                  // it excludes zero by itself, not among the claims made with it
	figures                 // there is no interval
	untold                  // there is a reason against the figure itself
)

func standingOf(f finding.Finding) standing {
	v := f.Verdict
	own := f.Shown()
	switch {
	case own == nil:
		return untold
	case own.Low == nil && v.Kind == finding.CannotTell && v.Claims > 0 && v.MoreBlocks == 0:
		return untold // a search that knows one end only, for one
	case own.Low == nil || own.High == nil:
		return figures
	case v.Kind == finding.CannotTell && v.Low == nil && v.MoreBlocks == 0:
		return untold
	case *own.Low <= 0 && *own.High >= 0:
		return hidden
	case v.Low == nil && v.Kind == finding.CannotTell:
		return unsure
	case v.Low != nil && v.High != nil && *v.Low <= 0 && *v.High >= 0:
		return unsure
	}
	return seen
}

func figureOnly(f finding.Finding) bool { return standingOf(f) == figures }

// ends are those of the verdict's interval, or of the finding's own where the
// verdict has none.
func verdictEnds(f finding.Finding) (low, high float64) {
	if f.Verdict.Low != nil && f.Verdict.High != nil {
		return *f.Verdict.Low, *f.Verdict.High
	}
	i := f.Shown()
	return *i.Low, *i.High
}

// bound is the largest difference that could have hidden.
func bound(f finding.Finding) float64 {
	low, high := verdictEnds(f)
	return math.Max(math.Abs(low), math.Abs(high))
}

// useful reports whether a bound may be told, and is worth telling.
func useful(f finding.Finding) bool {
	return f.Verdict.Kind != finding.CannotTell && (!f.ByRatio() || bound(f) <= finding.WideBound)
}

// rangeText is "−3.0 % to +77 %", rounded outwards.
func rangeText(f finding.Finding) string {
	low, high := verdictEnds(f)
	return endText(f, low, low < 0) + " to " + endText(f, high, high >= 0)
}

// endText is an end of an interval with its sign; out says that it is away from zero that it must be rounded.
func endText(f finding.Finding, v float64, out bool) string {
	sign := "+"
	if v < 0 {
		sign = "−"
	}
	if out {
		return sign + finding.FormatBound(v, f.Unit, f.ByRatio())
	}
	return sign + finding.FormatFloor(v, f.Unit, f.ByRatio())
}

// size orders headlines: by the ratio where that answers.
func size(f finding.Finding) float64 {
	if i := f.Shown(); i != nil {
		return i.Estimate
	}
	return 0
}

func largestBound(heads []finding.Finding) string {
	return boundText(slices.MaxFunc(heads, func(a, b finding.Finding) int { return cmp.Compare(bound(a), bound(b)) }))
}

func boundText(f finding.Finding) string {
	return finding.FormatBound(bound(f), f.Unit, f.ByRatio())
}

// share is a headline's size without its sign: of the ratio where that answers.
func share(f finding.Finding) string {
	if f.ByRatio() { // as precisely as its interval allows, and as the tables have it
		text, _ := finding.FormatApart(estimate.Magnitude(*f.Relative), f.Unit, true)
		return text
	}
	return amount(f)
}

// signedShare is a headline's size with its sign, as the tables have it.
func signedShare(f finding.Finding) string {
	if i := f.Shown(); i != nil {
		return finding.FormatEstimate(*i, f.Unit, f.ByRatio())
	}
	return finding.Missing
}

// amount is a headline's difference without its sign, as precisely as its interval allows.
func amount(f finding.Finding) string {
	size, _ := finding.FormatApart(estimate.Magnitude(*f.Absolute), f.Unit, false)
	return size
}
