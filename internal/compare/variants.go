// This file compares variants of one result with each other: the runs of a block
// are close in time, so they are paired.

package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
)

// Variants says what changes from the first of the variants of one result
// to each of the others. It fails where the result has no such variant, or where
// nothing is left to compare.
func Variants(in Input, variants []string) (*finding.Comparison, error) {
	if in.Base == nil || len(variants) < 2 {
		return nil, errors.New("comparing variants: give one to compare with, and at least one more")
	}
	for i, name := range variants {
		if slices.Contains(variants[:i], name) {
			return nil, fmt.Errorf("comparing variants: %s is named twice", name)
		}
		if !slices.ContainsFunc(in.Base.Experiment.Variants, func(v finding.Variant) bool { return v.Name == name }) {
			return nil, fmt.Errorf("comparing variants: %s has no variant %q; it has %s", in.Base.Results, name, variantNames(in.Base))
		}
	}
	in.News = nil
	for range variants[1:] {
		in.News = append(in.News, in.Base)
	}
	c := &comparison{in: in, mode: finding.ByVariants, names: variants}
	for i, name := range variants[1:] {
		c.changes = append(c.changes, c.between(i, variants[0], name)...)
	}
	if len(c.changes) == 0 {
		return nil, c.nothing()
	}
	c.judge()
	doc := c.document()
	for i := range doc.News {
		doc.News[i].Changed = nil
	}
	return doc, nil
}

func variantNames(doc *finding.Document) string {
	var names []string
	for _, v := range doc.Experiment.Variants {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}

// between compares variant b with variant a, block by block.
func (c *comparison) between(index int, a, b string) []*change {
	ask := c.asked(c.in.Base)
	first := map[key]*finding.Finding{}
	for _, f := range c.against(a) {
		first[keyOf(f)] = f
	}
	var made []*change
	for _, g := range c.against(b) {
		k := keyOf(g)
		k.variant = a
		f := first[k]
		if f == nil || !c.in.Filter.matches(g) {
			continue
		}
		if len(f.Samples) == 0 || len(g.Samples) == 0 {
			made = append(made, c.untold(index, f, g)...)
			continue
		}
		one := &change{Change: finding.Change{
			Of: finding.OfCost, New: index, Operation: g.Operation, Variant: b, Against: a, Parameter: g.Parameter,
			Metric: g.Metric, Role: g.Role, Service: g.Service, Unit: g.Unit, Better: g.Better, Headline: g.Headline,
		}, ask: ask, paired: true}
		one.within(f, g)
		one.figure = one.figure || silent(f) || silent(g)
		one.unjudged = !c.claims(g)
		if pointOnly(f) || pointOnly(g) {
			one.bare()
		}
		one.doubts(c, index, f, g)
		one.looksCheaper, one.looksDearer = c.flattered(index, f, g)
		one.unseen = func(allowed float64) *finding.Reason { return unseenLoss(c.in.Base, f, c.in.News[index], g, allowed) }
		made = append(made, one)
	}
	return append(made, means(index, made)...)
}

// against are the findings of a variant; of the baseline, its side of those of the
// others.
func (c *comparison) against(variant string) []*finding.Finding {
	var out []*finding.Finding
	seen := map[key]bool{}
	for _, f := range overBaseline(c.in.Base) {
		if f.Variant == variant {
			out = append(out, f)
			continue
		}
		if f.Against != variant || f.Metric == metric.DeliveredShare && f.Absolute == nil { // it makes no spans that it could lose
			continue
		}
		mine := *f
		mine.Variant, mine.Value = variant, f.Baseline
		mine.Verdict = finding.Verdict{Kind: finding.Within} // as what is compared with itself
		mine.Samples = onlyBaseline(f.Samples)
		if k := keyOf(&mine); !seen[k] {
			seen[k] = true
			out = append(out, &mine)
		}
	}
	return out
}

// within fills in the figures from the blocks that both have.
func (c *change) within(f, g *finding.Finding) {
	before := map[int]finding.Sample{}
	for _, s := range f.Samples {
		before[s.Block] = s
	}
	var x, y []float64
	var blocks []finding.Sample
	for _, s := range g.Samples {
		if v, both := before[s.Block]; both {
			x, y, c.in = append(x, v.Value), append(y, s.Value), append(c.in, s.Block)
			blocks = append(blocks, finding.Sample{Block: s.Block, Baseline: v.Value, BaselineWithin: v.ValueWithin, Value: s.Value, ValueWithin: s.ValueWithin})
		}
	}
	c.Before, c.After = finding.Cost{Value: f.Value, Blocks: len(x)}, finding.Cost{Value: g.Value, Blocks: len(y)}
	c.valuesBefore, c.valuesAfter = x, y
	c.before, c.after = make([]float64, len(x)), claim.Minus(y, x)
	c.endsAfter = claim.ExtentOf(blocks, claim.Difference)
	c.Absolute = shift(c.estimate(claim.Confidence))
	differences, ends := c.after, c.endsAfter
	c.byAmount = func() { c.after, c.endsAfter, c.ratio, c.Relative = differences, ends, false, nil }
	if logs, err := stats.LogRatios(x, y); err == nil && len(logs) > 0 && claim.Sane(math.Exp(claim.Largest(logs))) {
		c.after, c.endsAfter, c.ratio = logs, claim.ExtentOf(blocks, claim.LogRatio), true
		c.logsBefore, c.logsAfter = byBlock(blocks, c.before, nil), byBlock(blocks, logs, c.endsAfter)
		c.Relative = shift(stats.Ratio(c.estimate(claim.Confidence)))
		return
	}
	c.noRatio = claim.NoRatio(blocks, c.Against, c.Variant)
}
