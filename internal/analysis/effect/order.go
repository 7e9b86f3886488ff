// This file asks whether a difference depends on the order of the runs: on which of the two ran
// first, or on what ran before them.
package effect

import (
	"fmt"
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
	claim      *claim
	split      stats.Split
	most, rest string // what the blocks of the highest score are, and the others
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
		values, earlier, bent := make([]float64, len(column)), make([]float64, len(column)), make([]float64, len(column))
		for i := range values {
			values[i] = math.NaN()
		}
		for i, sample := range c.Samples {
			base, value := s.Runs[c.Against][sample.Block], s.Runs[c.Variant][sample.Block]
			j, known := column[sample.Block]
			if base == nil || value == nil || !known {
				continue
			}
			values[j] = c.scale()[i]
			earlier[j] = one(at[value.Record] < at[base.Record])
			bent[j] = one(before(base) == c.Variant) - one(before(value) == c.Variant)
		}
		out = append(out,
			ordering{c, stats.Split{Values: values, Scores: earlier}, "where it ran before " + c.Against, "where it ran after it"},
			ordering{c, stats.Split{Values: values, Scores: bent}, "where " + c.Against + " ran right after it", "elsewhere"})
	}
	return out
}

// text is what the blocks of the highest score and the others come to, and whether they are so far
// apart that it matters.
func (o ordering) text() (text string, large bool) {
	var first, rest []float64
	if len(o.split.Scores) == 0 {
		return "", false
	}
	highest := slices.Max(o.split.Scores)
	for i, v := range o.split.Values {
		switch {
		case math.IsNaN(v):
		case o.split.Scores[i] == highest:
			first = append(first, v)
		default:
			rest = append(rest, v)
		}
	}
	if len(first) == 0 || len(rest) == 0 {
		return "", false
	}
	least := orderEffect
	if o.claim.logs == nil {
		least *= math.Abs(o.claim.Absolute.Estimate)
	}
	apart := math.Abs(stats.NewShifts(first, rest).At(estimate.Confidence).Center)
	told := func(values []float64) string {
		e := o.claim.onScale(stats.Estimate{Center: stats.Center(values)})
		return finding.FormatInterval(finding.Interval{Estimate: e.Center}, o.claim.Unit, o.claim.logs != nil)
	}
	return fmt.Sprintf("the order of the runs makes a difference: %s, %s %s, %s %s", metricWord(o.claim), told(first), o.most, told(rest), o.rest), apart >= least
}

// one is 1 for yes, 0 for no.
func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// CarryOver looks at the headlines, which all come from the same runs: whichever order of
// these makes a difference to one of them makes it to those beside it. In a duet there is no
// order.
func (s *Maker) CarryOver() []Doubt {
	if s.Experiment.Design.Duet || s.Quick() {
		return nil
	}
	asked := s.orderings()
	var splits []stats.Split
	for _, o := range asked {
		splits = append(splits, o.split)
	}
	var out []Doubt
	for i, p := range stats.Splits(splits) {
		if text, large := asked[i].text(); p <= orderAlarm && large {
			out = append(out, asked[i].claim.doubt(text))
		}
	}
	return out
}
