// Variants of one result compared with each other: the runs of a block are close
// in time, so they are paired.

package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// Variants returns the changes from the first variant of one result to each of the
// others. It fails if the result has no such variant, or nothing is left to compare.
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
	var blocks []finding.Sample
	for _, s := range g.Samples {
		if v, both := before[s.Block]; both {
			blocks = append(blocks, finding.Sample{
				Block: s.Block, Baseline: v.Value, BaselineWithin: v.ValueWithin, Value: s.Value, ValueWithin: s.ValueWithin,
			})
		}
	}
	x, y := claim.Sides(blocks)
	c.Before, c.After = finding.Cost{Value: f.Value, Blocks: len(x)}, finding.Cost{Value: g.Value, Blocks: len(y)}
	c.valuesBefore, c.valuesAfter = x, y
	amounts := claim.Paired(y.Minus(x), false, c.ask)
	c.evidence, c.Absolute = amounts, amounts.Interval(claim.Confidence)
	c.byAmount = func() { c.evidence, c.Relative = amounts, nil }
	if logs, ok := claim.Ratios(x, y); ok && len(logs) > 0 {
		c.evidence = claim.Paired(logs, true, c.ask)
		c.Relative = c.evidence.Interval(claim.Confidence)
		return
	}
	c.noRatio = claim.NoRatio(blocks, c.Against, c.Variant)
}

// onlyBaseline is the baseline's side of samples, as values.
func onlyBaseline(samples []finding.Sample) []finding.Sample {
	var out []finding.Sample
	for _, s := range samples {
		out = append(out, finding.Sample{
			Block: s.Block, Baseline: s.Baseline, BaselineWithin: s.BaselineWithin, Value: s.Baseline, ValueWithin: s.BaselineWithin,
		})
	}
	return out
}
