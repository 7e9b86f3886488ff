// This file turns intervals into verdicts, corrected for the number of claims
// that are made together.
package effect

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
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
	families, duet := s.families(claims), s.Duet()
	for _, c := range claims {
		if duet && c.metric.Timed() {
			c.shareCPU()
			continue
		}
		if c.metric.NoVerdict {
			continue
		}
		c.doubts = s.doubtsOf(c)
		c.judge(families[c.family()], s.Confidence, s.Quick())
		s.noteDoubts(c)
	}
	s.jointly(claims, families)
}

// families counts the claims of each family, and finds the budgets that they are held against.
func (s *Maker) families(claims []*claim) map[string]int {
	families := map[string]int{}
	for _, c := range claims {
		c.budget = s.budgetFor(c)
		if s.counts(c) {
			families[c.family()]++
		}
	}
	return families
}

// counts reports whether the claim gets a verdict that others are corrected for.
func (s *Maker) counts(c *claim) bool {
	return !c.metric.NoVerdict && !(s.Duet() && c.metric.Timed())
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

// judge gives the verdict among so many claims; ask is the confidence to ask of an
// interval that is to have a given one.
func (c *claim) judge(claims int, ask func(float64) float64, quick bool) {
	v := &c.Verdict
	if c.budget != nil {
		v.Budget = &c.budget.Value
	}
	if c.doubts.overloaded != "" && c.metric.Nature == metric.Latency {
		v.Kind, v.Text = finding.Overloaded, c.doubts.overloaded
		c.Absolute, c.Relative = nil, nil
		return
	}
	least := stats.MinBlocks(ask(estimate.Confidence))
	if quick || c.Blocks < least {
		c.figuresOnly(quick, least)
		return
	}
	v.Claims, v.Confidence = claims, stats.Bonferroni(estimate.Confidence, claims)
	c.asked = ask(v.Confidence)
	e := c.scaleApart().SignedRank(c.scale(), c.asked)
	switch {
	case c.budget != nil && c.logs == nil:
		c.cannotTell("there is no ratio to a baseline of zero", 0)
	case c.doubts.reason != "" && !c.beyondModes(e):
		c.short = c.doubts.modes && !e.Bounded // the signs of all claims together may tell
		c.cannotTell(c.doubts.reason, 0)
	case words.OpenBrackets(c.scaleApart()) != "":
		c.cannotTell(words.OpenBrackets(c.scaleApart()), 0)
	case !e.Bounded:
		c.short = true
		more := needed(claims, ask) - c.Blocks
		c.cannotTell(fmt.Sprintf("%s more needed for %d claims at once", words.Blocks(more), claims), more)
	case c.budget != nil:
		c.against(e)
	default:
		c.alone(e)
	}
}

// figuresOnly is the verdict on too few blocks. A budget is never met by silence.
func (c *claim) figuresOnly(quick bool, least int) {
	text := words.Blocks(c.Blocks) + ": figures only"
	if quick {
		text = "quick: figures only"
	}
	c.Verdict.Text = text
	if c.budget != nil {
		c.cannotTell(text, max(0, least-c.Blocks))
	}
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

func (c *claim) cannotTell(reason string, more int) {
	c.Verdict.Kind, c.Verdict.Text, c.Verdict.MoreBlocks = finding.CannotTell, "cannot tell: "+reason, more
}

// keep puts the corrected interval into the verdict.
func (c *claim) keep(e stats.Estimate) finding.Interval {
	c.Verdict.Low, c.Verdict.High = &e.Low, &e.High
	return finding.Interval{Estimate: e.Center, Low: &e.Low, High: &e.High}
}

// alone is the verdict where there is no budget.
func (c *claim) alone(e stats.Estimate) {
	at := e.Against(0)
	e = c.onScale(e)
	i := c.keep(e)
	relative := c.logs != nil
	size := finding.FormatSize(estimate.Magnitude(i), c.Unit, relative)
	v := &c.Verdict
	switch {
	case at == stats.Straddles && c.excludesZero():
		c.notSure(finding.FormatInterval(i, c.Unit, relative))
	case at == stats.Straddles:
		bound := e.Hidden()
		v.Kind, v.Bound = finding.NoDifference, &bound
		v.Text = "no difference larger than " + finding.FormatBound(bound, c.Unit, relative)
	case (at == stats.Above) == (c.Better != metric.Higher):
		v.Kind, v.Text = finding.Costs, "costs "+size
	default:
		v.Kind, v.Text = finding.Saves, "saves "+size
	}
	if c.Better == metric.Higher && (v.Kind == finding.Costs || v.Kind == finding.Saves) {
		v.Text = map[finding.Kind]string{finding.Costs: "lower by ", finding.Saves: "higher by "}[v.Kind] + size
	}
	if c.doubts.modes {
		v.Text += ", in modes"
	}
}

// excludesZero reports whether the finding's own interval, which is not
// corrected, lies on one side of zero.
func (c *claim) excludesZero() bool {
	i := c.Shown()
	return i != nil && i.Low != nil && i.High != nil && (*i.Low > 0 || *i.High < 0)
}

// notSure is the verdict where only the correction makes the interval hold zero:
// neither a difference nor the want of one may be claimed.
func (c *claim) notSure(size string) {
	reason := fmt.Sprintf("not sure among %d claims: %s", c.Verdict.Claims, size)
	all, bracket := c.scaleApart().BlocksToExclude(c.scale(), 0, c.asked)
	if bracket {
		reason += "; " + c.finer()
	}
	if all > c.Blocks {
		c.cannotTell(fmt.Sprintf("%s; about %s more would settle it", reason, words.Blocks(all-c.Blocks)), all-c.Blocks)
		return
	}
	c.cannotTell(reason, 0)
}
