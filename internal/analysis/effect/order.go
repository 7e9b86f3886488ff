// This file asks whether a difference depends on the order of the runs: on which of the two ran
// first, or on what ran before them.

package effect

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// When an order is said to matter.
const (
	orderAlarm  = 0.01 // the share of experiments in which it is said without cause
	orderEffect = 0.01 // the least difference that it makes: of the baseline, or of an amount
)

// ordering is one question of order about one claim.
type ordering struct {
	claim *claim
	split stats.Split
	most  finding.Code // what the blocks of the highest score are
	least finding.Code // and, where that is "elsewhere", those of the lowest; "" where both are the same question
}

// orderings are the questions of order about all headlines, over the same list of blocks.
func (s *Maker) orderings() []ordering {
	at := map[*record.Record]int{}
	for i := range s.Records {
		at[&s.Records[i]] = i
	}
	// before is the variant whose run was made right before; "" where it is not known.
	before := func(r *dataset.Run) string {
		if i := at[r.Record]; i > 0 && s.Records[i-1].Kind == record.Measured {
			return s.Records[i-1].Variant
		}
		return ""
	}
	column := map[int]int{}
	for _, block := range s.BlocksOf(s.Baseline, s.Baseline) {
		column[block] = len(column)
	}
	var out []ordering
	for _, c := range s.headlines {
		if c.logs == nil && !c.Amount || len(c.scale()) != len(c.Samples) {
			continue
		}
		values, earlier, next := make([]float64, len(column)), make([]float64, len(column)), make([]float64, len(column))
		for i := range values {
			values[i] = math.NaN()
		}
		for i, sample := range c.Samples {
			base, value := s.Both(c.pair, sample.Block)
			j, known := column[sample.Block]
			if base == nil || value == nil || !known {
				continue
			}
			values[j] = c.scale()[i]
			earlier[j] = one(at[value.Record] < at[base.Record])
			next[j] = one(before(base) == c.Variant) - one(before(value) == c.Variant)
		}
		out = append(out,
			ordering{c, stats.Split{Values: values, Scores: earlier}, finding.DoubtRanFirst, ""},
			ordering{c, stats.Split{Values: values, Scores: next}, finding.DoubtRightNext, finding.DoubtRightPrev})
	}
	return out
}

// reason is what the blocks of the highest score and the others come to, and whether they are so far
// apart that it matters.
func (o ordering) reason() (reason finding.Reason, large bool) {
	var scores []float64
	for i, v := range o.split.Values {
		if !math.IsNaN(v) {
			scores = append(scores, o.split.Scores[i])
		}
	}
	if len(scores) == 0 {
		return finding.Reason{}, false
	}
	code, asked := o.most, slices.Max(scores)
	if o.least != "" && asked <= 0 { // no block is of the first kind: those of the second stand against the rest
		code, asked = o.least, slices.Min(scores)
	}
	var first, rest []float64
	for i, v := range o.split.Values {
		switch {
		case math.IsNaN(v):
		case o.split.Scores[i] == asked:
			first = append(first, v)
		default:
			rest = append(rest, v)
		}
	}
	if len(first) == 0 || len(rest) == 0 {
		return finding.Reason{}, false
	}
	least, unit := orderEffect, "1"
	if o.claim.logs == nil {
		least, unit = least*math.Abs(o.claim.Absolute.Estimate), o.claim.Unit
	}
	apart := math.Abs(stats.NewShifts(first, rest).At(estimate.Confidence).Center)
	told := func(name string, values []float64) finding.Figure {
		return finding.Figure{Name: name, Value: o.claim.onScale(stats.Estimate{Center: stats.Center(values)}).Center, Unit: unit}
	}
	return finding.Reason{Code: code, Metric: o.claim.Metric, Variant: o.claim.Variant, Against: o.claim.Against,
		Figures: []finding.Figure{told("there", first), told("elsewhere", rest)}}, apart >= least
}

// one is 1 for yes, 0 for no.
func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// CarryOver looks at the headlines, which all come from the same runs: whichever order of
// these makes a difference to one of them makes it to those beside it. Of runs that are made together there is no
// order.
func (s *Maker) CarryOver() []Doubt {
	if s.Experiment.Design.Order.Together() {
		return nil
	}
	asked := s.orderings()
	var splits []stats.Split
	for _, o := range asked {
		splits = append(splits, o.split)
	}
	var out []Doubt
	for i, p := range stats.Splits(splits) {
		if reason, large := asked[i].reason(); p <= orderAlarm && large {
			out = append(out, asked[i].claim.doubt(reason))
		}
	}
	return out
}
