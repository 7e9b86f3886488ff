// This file withholds verdicts on what variants cannot show that have their load at the same time: what takes
// time, by the clock on the wall.

package effect

import "github.com/tracetax/tracetax/internal/finding"

// shareCPU takes the verdict from a claim that woven variants cannot answer: the figures stay, but
// their intervals would say how sure a wrong figure is.
func (c *claim) shareCPU() {
	c.Absolute, c.Relative = bare(c.Absolute), bare(c.Relative)
	c.remark(because(finding.NoteSharedCPU))
	if c.metric.NoVerdict {
		return
	}
	if c.budget != nil {
		c.Verdict.Budget = &c.budget.Value
	}
	c.cannotTell(because(finding.WhySharedCPU))
}

// bare is an interval without its ends.
func bare(i *finding.Interval) *finding.Interval {
	if i == nil {
		return nil
	}
	return &finding.Interval{Estimate: i.Estimate}
}
