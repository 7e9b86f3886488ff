// This file asks for the verdicts of a comparison. All of them together, those on a
// budget included, are wrong in at most 5 of 100 comparisons: their intervals hold
// at once with 95 %.

package compare

import (
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/judge"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/words"
)

// The families of changes, with the part of the 5 % that each has where there are both: people should not have to wait,
// for what they decide by, for the many others.
const (
	decisive = "decisive"
	other    = "other"
)

var parts = map[string]float64{decisive: 0.8, other: 0.2}

// judge gives every change its verdict.
func (c *comparison) judge() {
	c.limit()
	var asked []*change
	var questions []judge.Question
	for _, one := range c.changes {
		if one.judged() {
			asked, questions = append(asked, one), append(questions, one.question())
		}
	}
	for i, v := range judge.All(questions, judge.Rules{Parts: parts}) {
		one := asked[i]
		if judge.TakeBack(&v, one.looksCheaper, one.looksDearer) {
			v.Estimate, v.Low, v.High, v.Bound = nil, nil, nil, nil
		}
		one.Verdict = v
		words.FillChange(&one.Change, one.paired)
	}
}

// judged reports whether the change gets a verdict.
func (c *change) judged() bool { return !c.figure && !c.unjudged }

// family is decisive for what people decide by: the headline metric, and what is held against a budget, which decides
// how the command ends.
func (c *change) family() string {
	if c.budget != nil || c.Headline && c.Role == "" {
		return decisive
	}
	return other
}

// question is what is asked of a change.
func (c *change) question() judge.Question {
	q := judge.Question{
		Family: c.family(), Evidence: shiftOf{c}, Ratio: c.ratio, Higher: c.Better == metric.Higher, Wanted: true,
		Blocks:     min(len(c.before), len(c.after)),
		Least:      stats.MinBlocks(c.ask(estimate.Confidence)), // for both, so that a result has intervals of its own
		Overloaded: c.overloaded,
	}
	if c.doubt != nil {
		q.First = []finding.Reason{*c.doubt}
	}
	if c.budget != nil {
		q.Limit = &c.budget.Value
		if !c.ratio && c.budget.Metric != metric.LostShare {
			q.Then = append(q.Then, judge.Doubt{Reason: finding.Reason{Code: finding.WhyNoRatio}})
		}
	}
	for _, e := range []*estimate.Extent{c.apartBefore, c.apartAfter} {
		q.Then = append(q.Then, judge.Open(e)...)
	}
	return q
}

// shiftOf is a change as evidence.
type shiftOf struct{ *change }

// Estimate is the shift on the scale that is compared.
func (s shiftOf) Estimate(confidence float64) stats.Estimate { return s.estimate(confidence) }

// Needs is how many blocks an interval of the confidence needs.
func (s shiftOf) Needs(confidence float64) int {
	if s.paired {
		return stats.MinBlocks(s.ask(confidence))
	}
	return stats.MinEach(s.ask(confidence))
}

// Settles says how many blocks a result would have to have in all until the
// interval excludes the limit; never is true where no number is enough.
func (s shiftOf) Settles(limit, confidence float64) (blocks int, never bool) {
	return s.toExclude(limit, s.ask(confidence))
}
