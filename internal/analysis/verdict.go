// This file turns intervals into verdicts, corrected for the number of claims
// that are made together.
package analysis

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/stats"
)

// patience is the most blocks that "about n more" is said for.
const patience = 1000

// judge gives every claim its verdict. A family is what is corrected together:
// all claims that are held against a budget; otherwise those of one metric and
// role, over all operations and pairs.
func (s *study) judge(claims []*claim) {
	families := map[string]int{}
	for _, c := range claims {
		c.budget = s.budgetFor(c)
		if !c.metric.noVerdict {
			families[c.family()]++
		}
	}
	for _, c := range claims {
		if c.metric.noVerdict {
			continue
		}
		c.doubts = s.doubtsOf(c)
		c.judge(families[c.family()], s.confidence, s.quick())
		s.noteDoubts(c)
	}
}

func (c *claim) family() string {
	if c.budget != nil {
		return "budget"
	}
	return c.Metric + " " + c.Role
}

// budgetFor returns the limit that the claim is held against, if there is one:
// what the user is willing to pay is meant over the baseline and over all roles.
func (s *study) budgetFor(c *claim) *spec.Limit {
	if c.pair.extra || c.Role != "" || c.metric.noVerdict {
		return nil
	}
	for i := range s.in.Experiment.Budget {
		if limit := &s.in.Experiment.Budget[i]; limit.Metric == c.Metric {
			return limit
		}
	}
	return nil
}

// judge gives the verdict among so many claims; ask is the confidence to ask of an
// interval that is to have a given one.
func (c *claim) judge(claims int, ask func(float64) float64, quick bool) {
	v := &c.Verdict
	if c.budget != nil {
		v.Budget = &c.budget.Value
	}
	if c.doubts.overloaded != "" && c.metric.latency {
		v.Kind, v.Text = finding.Overloaded, c.doubts.overloaded
		c.Absolute, c.Relative = nil, nil
		return
	}
	least := stats.MinBlocks(ask(confidence))
	if quick || c.Blocks < least {
		c.figuresOnly(quick, least)
		return
	}
	v.Claims, v.Confidence = claims, stats.Bonferroni(confidence, claims)
	c.asked = ask(v.Confidence)
	e := stats.SignedRank(c.scale(), c.asked)
	switch {
	case c.budget != nil && c.logs == nil:
		c.cannotTell("there is no ratio to a baseline of zero", 0)
	case c.doubts.reason != "":
		c.cannotTell(c.doubts.reason, 0)
	case !e.Bounded:
		more := stats.MinBlocks(c.asked) - c.Blocks
		c.cannotTell(fmt.Sprintf("%s more needed for %d claims at once", blocks(more), claims), more)
	case c.budget != nil:
		c.against(e)
	default:
		c.alone(e)
	}
}

// figuresOnly is the verdict on too few blocks. A budget is never met by silence.
func (c *claim) figuresOnly(quick bool, least int) {
	text := blocks(c.Blocks) + ": figures only"
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

// against holds the claim against its budget: what a metric may rise by, or, where
// more is better, what it may fall by.
func (c *claim) against(e stats.Estimate) {
	limit, bad := stats.LogLimit(c.budget.Value), stats.Above
	if c.Better == higher {
		limit, bad = stats.LogLimit(-c.budget.Value), stats.Below
	}
	size := finding.FormatInterval(c.keep(c.onScale(e)), c.Unit, true)
	v := &c.Verdict
	allowed := finding.FormatBound(c.budget.Value, c.Unit, true)
	switch e.Against(limit) {
	case stats.Straddles:
		c.stillOpen(e, limit, size, allowed)
	case bad:
		v.Kind, v.Text = finding.Over, fmt.Sprintf("over the budget of %s: %s", allowed, size)
	default:
		v.Kind, v.Text = finding.Within, fmt.Sprintf("within the budget of %s: %s", allowed, size)
	}
}

// stillOpen says how many more blocks would settle it.
func (c *claim) stillOpen(e stats.Estimate, limit float64, size, allowed string) {
	reason := fmt.Sprintf("%s straddles the budget of %s", size, allowed)
	all := stats.BlocksToExclude(c.logs, limit, c.asked, patience)
	if all <= e.N {
		c.cannotTell(reason+"; it is too close to be settled by more blocks", 0)
		return
	}
	c.cannotTell(fmt.Sprintf("%s; about %s more would settle it", reason, blocks(all-e.N)), all-e.N)
}

// alone is the verdict where there is no budget.
func (c *claim) alone(e stats.Estimate) {
	at := e.Against(0)
	e = c.onScale(e)
	i := c.keep(e)
	relative := c.logs != nil
	size := finding.FormatSize(magnitude(i), c.Unit, relative)
	v := &c.Verdict
	switch {
	case at == stats.Straddles && c.excludesZero():
		c.notSure(finding.FormatInterval(i, c.Unit, relative))
	case at == stats.Straddles:
		bound := e.Hidden()
		v.Kind, v.Bound = finding.NoDifference, &bound
		v.Text = "no difference larger than " + finding.FormatBound(bound, c.Unit, relative)
	case (at == stats.Above) == (c.Better != higher):
		v.Kind, v.Text = finding.Costs, "costs "+size
	default:
		v.Kind, v.Text = finding.Saves, "saves "+size
	}
	if c.Better == higher && (v.Kind == finding.Costs || v.Kind == finding.Saves) {
		v.Text = map[finding.Kind]string{finding.Costs: "lower by ", finding.Saves: "higher by "}[v.Kind] + size
	}
}

// excludesZero reports whether the finding's own interval, which is not
// corrected, lies on one side of zero.
func (c *claim) excludesZero() bool {
	i := shownInterval(c.Finding)
	return i != nil && i.Low != nil && i.High != nil && (*i.Low > 0 || *i.High < 0)
}

// notSure is the verdict where only the correction makes the interval hold zero:
// neither a difference nor the want of one may be claimed.
func (c *claim) notSure(size string) {
	reason := fmt.Sprintf("not sure among %d claims: %s", c.Verdict.Claims, size)
	if all := stats.BlocksToExclude(c.scale(), 0, c.asked, patience); all > c.Blocks {
		c.cannotTell(fmt.Sprintf("%s; about %s more would settle it", reason, blocks(all-c.Blocks)), all-c.Blocks)
		return
	}
	c.cannotTell(reason, 0)
}

// magnitude is an interval that excludes zero, as a size.
func magnitude(i finding.Interval) finding.Interval {
	if i.Estimate >= 0 {
		return i
	}
	low, high := -*i.High, -*i.Low
	return finding.Interval{Estimate: -i.Estimate, Low: &low, High: &high}
}

func blocks(n int) string {
	if n == 1 {
		return "1 block"
	}
	return fmt.Sprintf("%d blocks", n)
}
