// This file asks for verdicts on the claims, corrected for the number of those that
// are made together.

package effect

import (
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/judge"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/words"
)

// The families of claims: what is corrected together, over all operations and pairs.
const (
	familyBudget   = "budget"
	familyHeadline = "headline" // what people decide by: it does not wait for the many others
	familyOther    = "other"    // one for all other metrics and roles: whoever reads them all is told something wrong in 5 % of experiments, not in 5 % a metric
)

// judge gives every claim its verdict.
func (s *Maker) judge(claims []*claim) {
	s.limit(claims)
	woven := s.Woven()
	var asked []*claim
	var questions []judge.Question
	for _, c := range claims {
		switch {
		case woven && c.metric.Timed():
			c.shareCPU()
		case !c.metric.NoVerdict:
			c.doubts = s.doubtsOf(c)
			asked, questions = append(asked, c), append(questions, c.question(s.Confidence))
		}
	}
	for i, v := range judge.All(questions, judge.Rules{Fixed: !s.Stops()}) {
		c := asked[i]
		if c.Verdict = v; v.Kind == finding.Overloaded {
			c.Absolute, c.Relative = nil, nil
		}
		words.FillVerdict(&c.Finding)
		s.noteDoubts(c)
	}
}

// limit finds the budgets that the claims are held against.
func (s *Maker) limit(claims []*claim) {
	for _, c := range claims {
		c.budget = s.budgetFor(c)
	}
}

// families counts the claims of each family.
func (s *Maker) families(claims []*claim) map[string]int {
	s.limit(claims)
	families := map[string]int{}
	for _, c := range claims {
		if s.counts(c) {
			families[c.family()]++
		}
	}
	return families
}

// counts reports whether the claim gets a verdict that others are corrected for.
func (s *Maker) counts(c *claim) bool {
	return !c.metric.NoVerdict && !(s.Woven() && c.metric.Timed())
}

func (c *claim) family() string {
	switch {
	case c.budget != nil:
		return familyBudget
	case c.metric.Leads && c.Role == "":
		return familyHeadline
	}
	return familyOther
}

// question is what is asked of the claim; ask is the confidence to ask of an interval that is to have a given one.
func (c *claim) question(ask func(float64) float64) judge.Question {
	q := judge.Question{
		Family: c.family(), Evidence: evidence{c, ask}, Ratio: c.logs != nil, Higher: c.Better == metric.Higher,
		Blocks: c.Blocks, Least: stats.MinBlocks(ask(estimate.Confidence)),
	}
	switch over := c.doubts.overloaded; {
	case c.metric.Nature == metric.Latency:
		q.Overloaded = over
	case over != nil && ofCPU(c.Metric): // of another amount of work, at which each operation takes another time
		q.First = append(q.First, *over)
	}
	if c.budget != nil {
		q.Limit = &c.budget.Value
		if c.logs == nil {
			q.Then = append(q.Then, judge.Doubt{Reason: finding.Reason{Code: finding.WhyNoRatio}})
		}
	}
	if c.doubts.reason != nil {
		q.Then = append(q.Then, judge.Doubt{Reason: *c.doubts.reason, Gap: c.doubts.gap})
	}
	q.Then = append(q.Then, judge.Open(c.scaleApart())...)
	for _, sample := range c.Samples {
		q.In = append(q.In, sample.Block)
	}
	if c.scaleApart() == nil && len(c.scale()) == len(c.Samples) { // otherwise which sign it has may be open
		q.Differences = c.scale()
	}
	return q
}

// ofCPU reports whether a metric is the CPU that a piece of work takes.
func ofCPU(name string) bool {
	return name == metric.CPUPerOperation || name == metric.CPUPerSpan
}

// evidence is what a claim's question is answered by.
type evidence struct {
	*claim
	ask func(float64) float64
}

// Estimate is that of the differences, on the scale that the verdict is made on.
func (e evidence) Estimate(confidence float64) stats.Estimate {
	return e.scaleApart().SignedRank(e.scale(), e.ask(confidence))
}

// Needs is how many blocks an interval takes.
func (e evidence) Needs(confidence float64) int { return stats.MinBlocks(e.ask(confidence)) }

// Settles is how many blocks there would have to be in all until the interval excludes the limit; never is true where
// no number is enough.
func (e evidence) Settles(limit, confidence float64) (blocks int, never bool) {
	return e.scaleApart().BlocksToExclude(e.scale(), limit, e.ask(confidence))
}

// scale is the differences on the scale that the verdict is made on.
func (c *claim) scale() []float64 {
	if c.logs != nil {
		return c.logs
	}
	return c.differences
}

// scaleApart is the ends of scale, nil where it is exact.
func (c *claim) scaleApart() *estimate.Extent {
	if c.logs != nil {
		return c.logsApart
	}
	return c.apart
}

// onScale is an estimate in the words of the finding: relative where it can be.
func (c *claim) onScale(e stats.Estimate) stats.Estimate {
	if c.logs != nil {
		return stats.Ratio(e)
	}
	return e
}
