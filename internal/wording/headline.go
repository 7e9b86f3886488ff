// This file says how sure a headline is, and how large, and of what there is none: an answer over some operations must not read
// like one over all.

package wording

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// standing is the part of a headline that may be shown.
type standing int

const (
	seen     standing = iota // the interval excludes zero
	hidden                   // it holds zero
	unsure                   // it excludes zero by itself, not among the claims made with it
	figures                  // there is no interval
	withheld                 // there is a reason against the figure itself
)

func standingOf(f finding.Finding) standing {
	v := f.Verdict
	own := f.Shown()
	switch {
	case own == nil:
		return withheld
	case own.Low == nil && v.Kind == finding.CannotTell && v.Claims > 0 && v.MoreBlocks == 0:
		return withheld // a search that knows one end only, for one
	case own.Low == nil || own.High == nil:
		return figures
	case v.Kind == finding.CannotTell && v.Low == nil && v.MoreBlocks == 0:
		return withheld
	case *own.Low <= 0 && *own.High >= 0:
		return hidden
	case v.Low == nil && v.Kind == finding.CannotTell:
		return unsure
	case v.Low != nil && v.High != nil && *v.Low <= 0 && *v.High >= 0:
		return unsure
	}
	return seen
}

// Withheld reports whether there is a reason against the figure itself: the sentence on top calls it unknown.
func Withheld(f *finding.Finding) bool { return standingOf(*f) == withheld }

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

// bound is the largest difference, in either direction, that the interval leaves room for.
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

func boundText(f finding.Finding) string {
	return finding.FormatBound(bound(f), f.Unit, f.ByRatio())
}

// share is a headline's size without its sign: of the ratio where that answers.
func share(f finding.Finding) string {
	if f.ByRatio() { // as precisely as its interval allows, and as the tables have it
		text, _ := finding.FormatParts(claim.Magnitude(*f.Relative), f.Unit, true)
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
	size, _ := finding.FormatParts(claim.Magnitude(*f.Absolute), f.Unit, false)
	return size
}

// amountBeside is a headline's difference in time beside its ratio: the amount carries over to other arrivals and rates,
// the ratio does not.
func amountBeside(f finding.Finding) string {
	if !f.ByRatio() || f.Unit != "s" || f.Absolute == nil || f.Absolute.Low == nil || f.Absolute.High == nil {
		return ""
	}
	return ", " + finding.FormatSize(claim.Magnitude(*f.Absolute), f.Unit, false)
}

// mostGaps bounds the gaps that the sentence names one by one.
const mostGaps = 4

// gapsClause names the operations that no headline is of, and the variants that lack one on
// an operation where others have it; nothing where there is no gap.
func gapsClause(doc *finding.Document, heads []finding.Finding) []string {
	var without, clauses []string
	for _, name := range doc.Experiment.Operations {
		if !slices.ContainsFunc(heads, func(f finding.Finding) bool { return f.Operation == name }) {
			without = append(without, name)
		}
	}
	if len(without) > 0 {
		all := Counted(len(doc.Experiment.Operations), "operation")
		have := "have"
		if len(without) == 1 {
			have = "has"
		}
		clauses = append(clauses, fmt.Sprintf("%d of %s %s no comparison: %s%s", len(without), all, have, listed(without), rateless(doc, without)))
	}
	if partly := lacking(doc, heads); len(partly) > 0 {
		clauses = append(clauses, "there is no comparison of "+listed(partly))
	}
	return clauses
}

// lacking are the variants without a headline where others have one: everywhere, or on some
// operation at some level.
func lacking(doc *finding.Document, heads []finding.Finding) []string {
	var out []string
	for _, v := range doc.Experiment.Variants[1:] {
		var at []string
		has := false
		for _, f := range heads {
			here := func(o finding.Finding) bool { return o.Variant == v.Name && where(o) == where(f) }
			switch {
			case slices.ContainsFunc(heads, here):
				has = true
			case !slices.Contains(at, where(f)):
				at = append(at, where(f))
			}
		}
		switch {
		case !has && heads[0].Metric == metric.Slope:
			out = append(out, v.Name+" over all levels")
		case !has:
			out = append(out, v.Name)
		case len(at) > 0:
			out = append(out, v.Name+" on "+listed(at))
		}
	}
	return out
}

// rateless names the variants whose searches on some operations found no rate.
func rateless(doc *finding.Document, operations []string) string {
	var names []string
	for _, l := range doc.Searches {
		if l.Rate == nil && slices.Contains(operations, l.Operation) && !slices.Contains(names, l.Variant) {
			names = append(names, l.Variant)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (not every search with " + listed(names) + " found a rate)"
}

// listed are some names, all of them where they are not many.
func listed(names []string) string {
	if len(names) > mostGaps {
		return FewNames(names)
	}
	return strings.Join(names, ", ")
}
