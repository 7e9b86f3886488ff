// This file gives the verdicts of a comparison. All of them together, those on a
// budget included, are wrong in at most 5 of 100 comparisons: their intervals hold
// at once with 95 %.
package compare

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/words"
)

// decisivePart is the part of the 5 % that the claims have together which people
// decide by, where there are others: those should not have to wait for the many.
const decisivePart = 0.8

// noRatio is the reason for which a finding has no verdict on a budget, though what
// it adds can be compared.
const noRatio = "there is no ratio to a baseline of zero"

// judge gives every change its verdict.
func (c *comparison) judge() {
	c.limit()
	decisive, other := 0, 0
	for _, one := range c.changes {
		switch {
		case one.judged() && one.decisive():
			decisive++
		case one.judged():
			other++
		}
	}
	if decisive > 0 && other > 0 {
		decisive, other = weighted(decisive, decisivePart), weighted(other, 1-decisivePart)
	}
	for _, one := range c.changes {
		switch {
		case one.judged() && one.decisive():
			one.judge(decisive)
		case one.judged():
			one.judge(other)
		}
	}
}

// weighted is by how many claims to correct so that a part of the 5 % is enough.
func weighted(claims int, part float64) int {
	return int(math.Ceil(float64(claims)/part - 1e-9)) // 4 claims with 0.8 are 5, whatever a float makes of it
}

// decisive reports whether the change is one that people decide by: on the headline
// metric, or held against a budget, which decides how the command ends.
func (c *change) decisive() bool { return c.budget != nil || c.Headline && c.Role == "" }

// judged reports whether the change gets a verdict.
func (c *change) judged() bool { return !c.figure && !c.unjudged }

// judge gives the verdict among so many claims.
func (c *change) judge(claims int) {
	v := &c.Verdict
	if c.budget != nil {
		v.Budget = &c.budget.Value
	}
	v.Claims, v.Confidence = claims, stats.Bonferroni(estimate.Confidence, claims)
	least := stats.MinBlocks(c.ask(estimate.Confidence)) // for both, so that a result has intervals of its own
	fewest := min(len(c.before), len(c.after))
	e := c.estimate(v.Confidence)
	switch {
	case c.overloaded != "":
		v.Kind, v.Text = finding.Overloaded, c.overloaded
	case c.doubt != "":
		c.cannotTell(c.doubt, 0)
	case fewest < least:
		c.figuresOnly(fewest, least)
	case c.budget != nil && !c.ratio && c.budget.Metric != metric.LostShare:
		c.cannotTell(noRatio, 0)
	case c.openBrackets() != "":
		c.cannotTell(c.openBrackets(), 0)
	case !e.Bounded:
		more := c.fewest(v.Confidence) - fewest
		c.cannotTell(fmt.Sprintf("%s more needed%s for all claims that are made at once", words.Blocks(more), c.where()), more)
	case c.budget != nil:
		c.against(e)
	default:
		c.alone(e)
	}
	c.holdBack()
}

// holdBack takes back a verdict that a variant costs no more than before where it looks cheaper
// than it is, and that it costs more where it looks dearer.
func (c *change) holdBack() {
	v := &c.Verdict
	reason := ""
	switch v.Kind {
	case finding.Within, finding.Saves:
		reason = c.looksCheaper
	case finding.Over, finding.Costs:
		reason = c.looksDearer
	case finding.NoDifference:
		reason = cmp.Or(c.looksCheaper, c.looksDearer)
	}
	if reason != "" {
		v.Low, v.High, v.Bound = nil, nil, nil
		c.cannotTell(reason, 0)
	}
}

// fewest is how many blocks an interval of the confidence needs.
func (c *change) fewest(confidence float64) int {
	if c.paired {
		return stats.MinBlocks(c.ask(confidence))
	}
	return stats.MinEach(c.ask(confidence))
}

// where is where more blocks would have to be.
func (c *change) where() string {
	if c.paired {
		return ""
	}
	return " in each result"
}

// than is what the change is from.
func (c *change) than() string {
	if c.paired {
		return " than " + c.Against
	}
	return " than before"
}

func (c *change) cannotTell(reason string, more int) {
	c.Verdict.Kind, c.Verdict.Text, c.Verdict.MoreBlocks = finding.CannotTell, "cannot tell: "+reason, more
}

// figuresOnly is the verdict on too few blocks.
func (c *change) figuresOnly(have, least int) {
	c.Verdict.Claims, c.Verdict.Confidence = 0, 0
	text := fmt.Sprintf("%s: figures only, an interval needs %d%s", words.Blocks(have), least, c.where())
	c.cannotTell(text, least-have)
}

// keep puts the corrected interval into the verdict, in the words of the change:
// relative where there is a ratio.
func (c *change) keep(e stats.Estimate) finding.Interval {
	if c.ratio {
		e = stats.Ratio(e)
	}
	c.Verdict.Low, c.Verdict.High = &e.Low, &e.High
	return finding.Interval{Estimate: e.Center, Low: &e.Low, High: &e.High}
}

// stillOpen says how many more blocks would settle it.
func (c *change) stillOpen(reason string, limit float64) {
	fewest := min(len(c.before), len(c.after))
	asked := c.ask(c.Verdict.Confidence)
	all, bracket := c.toExclude(limit, asked)
	if bracket {
		c.cannotTell(reason+"; "+words.FinerSearch, 0)
		return
	}
	if all <= fewest {
		c.cannotTell(reason+"; it is too close to be settled by more blocks", 0)
		return
	}
	c.cannotTell(fmt.Sprintf("%s; about %s more%s would settle it", reason, words.Blocks(all-fewest), c.where()), all-fewest)
}

// alone is the verdict where there is no budget.
func (c *change) alone(e stats.Estimate) {
	at := e.Against(0)
	i := c.keep(e)
	v := &c.Verdict
	switch {
	case at == stats.Straddles && c.seenAlone():
		c.stillOpen(fmt.Sprintf("not sure among all claims made: %s", finding.FormatInterval(i, c.Unit, c.ratio)), 0)
	case at == stats.Straddles:
		bound := math.Max(math.Abs(*i.Low), math.Abs(*i.High))
		v.Kind, v.Bound = finding.NoDifference, &bound
		v.Text = "no change larger than " + finding.FormatBound(bound, c.Unit, c.ratio)
	case (at == stats.Above) == (c.Better != metric.Higher):
		v.Kind, v.Text = finding.Costs, thanBefore("costs ", "more", i, c)
	default:
		v.Kind, v.Text = finding.Saves, thanBefore("costs ", "less", i, c)
	}
	if c.Better == metric.Higher && v.Kind == finding.Costs {
		v.Text = thanBefore("", "lower", i, c)
	}
	if c.Better == metric.Higher && v.Kind == finding.Saves {
		v.Text = thanBefore("", "higher", i, c)
	}
}

// seenAlone reports whether the interval that is not corrected excludes zero.
func (c *change) seenAlone() bool {
	at := c.estimate(estimate.Confidence).Against(0)
	return at == stats.Above || at == stats.Below
}

// thanBefore is "costs 3.1 % more than before (2.0 to 4.2)".
func thanBefore(verb, word string, i finding.Interval, c *change) string {
	size, ends, bounded := strings.Cut(finding.FormatSize(estimate.Magnitude(i), c.Unit, c.ratio), " (")
	text := verb + size + " " + word + c.than()
	if bounded {
		text += " (" + ends
	}
	return text
}
