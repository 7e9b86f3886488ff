// This file gives verdicts, corrected for the claims that are made together.

package claim

import (
	"math"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// Evidence is what a question is answered by: differences by block, on a scale on which zero is no difference.
type Evidence interface {
	Estimate(confidence float64) stats.Estimate                        // of the difference
	Needs(confidence float64) int                                      // blocks, for an interval of that confidence
	BlocksToDecide(limit, confidence float64) (blocks int, never bool) // blocks in all until the interval excludes the limit; never: no number does
}

// Question is one thing that a verdict is asked on.
type Question struct {
	Family string // what is corrected together
	Evidence
	Blocks int  // that the evidence rests on
	Least  int  // that any interval takes
	Wanted bool // of too few blocks, "cannot tell", and not figures alone; a question with a Limit is wanted
	Ratio  bool // the differences are logarithms of ratios
	Higher bool // more is better

	Limit      *float64         // what may be added, or, where more is better, lost; nil: no budget
	LimitUnit  string           // of a limit of the amount that is added; "": of the ratio
	Broken     *finding.Reason  // why a limit is broken whatever the interval says
	Overloaded *finding.Reason  // why the two sides did not do the same work
	First      []finding.Reason // against any answer, asked before the blocks are counted
	Then       []Doubt          // asked after that

	In          []int     // the blocks, one a difference
	Differences []float64 // one a block, for their signs; nil where a sign may be open
}

// Doubt is a reason against an answer.
type Doubt struct {
	finding.Reason
	Gap float64 // on the scale: an interval that is farther from the limit than this answers in spite of the reason; 0: none does
}

// Rules are the same for all questions that are asked together.
type Rules struct {
	Fixed bool // the number of blocks was chosen before: the signs of all differences together may answer too
}

// Answer gives each question its verdict.
func Answer(questions []Question, rules Rules) []finding.Verdict {
	claims := map[string]int{} // by which each family is corrected
	for _, q := range questions {
		claims[q.Family]++
	}
	verdicts := make([]finding.Verdict, len(questions))
	short := map[string][]int{} // questions of a family that have too few blocks for so many claims
	for i := range questions {
		q := &questions[i]
		var few bool
		verdicts[i], few = q.answer(claims[q.Family])
		if few && q.Limit == nil {
			short[q.Family] = append(short[q.Family], i)
		}
	}
	if rules.Fixed {
		jointly(questions, verdicts, short, claims)
	}
	return verdicts
}

// answer is the verdict among so many claims; few reports whether more blocks might have given one, and the signs of
// all claims together may.
func (q *Question) answer(claims int) (v finding.Verdict, few bool) {
	v.Budget, v.BudgetUnit = q.Limit, q.LimitUnit
	if q.Broken != nil && q.Limit != nil && q.Blocks >= q.Least {
		v.Kind, v.Reasons = finding.Over, []finding.Reason{*q.Broken}
		return v, false
	}
	if q.Overloaded != nil {
		v.Kind, v.Reasons = finding.Overloaded, []finding.Reason{*q.Overloaded}
		return v, false
	}
	if len(q.First) == 0 && q.Blocks < q.Least {
		q.figuresOnly(&v)
		return v, false
	}
	v.Claims, v.Confidence = claims, stats.Bonferroni(Confidence, claims)
	if len(q.First) > 0 {
		cannotTell(&v, 0, q.First[0])
		return v, false
	}
	e := q.Estimate(v.Confidence)
	for _, d := range q.Then {
		if !q.passes(d, e) {
			cannotTell(&v, 0, d.Reason)
			return v, d.Gap > 0 && !e.Bounded
		}
	}
	if !e.Bounded {
		more := q.Needs(v.Confidence) - q.Blocks
		cannotTell(&v, more, finding.Reason{Code: finding.WhyCorrection, Figures: []finding.Figure{
			{Name: "more", Value: float64(more), Unit: "count"}, {Name: "claims", Value: float64(claims), Unit: "count"},
		}})
		return v, true
	}
	q.read(&v, e)
	return v, false
}

// figuresOnly is the verdict on too few blocks. A budget is never met by silence.
func (q *Question) figuresOnly(v *finding.Verdict) {
	reason := finding.Reason{Code: finding.WhyFewBlocks, Figures: []finding.Figure{
		{Name: "blocks", Value: float64(q.Blocks), Unit: "count"}, {Name: "least", Value: float64(q.Least), Unit: "count"},
	}}
	v.Reasons = []finding.Reason{reason}
	if q.Wanted || q.Limit != nil {
		cannotTell(v, q.Least-q.Blocks, reason)
	}
}

// passes reports whether the interval answers in spite of a doubt: it is farther from no difference, or from the
// limit, than what is in doubt is large.
func (q *Question) passes(d Doubt, e stats.Estimate) bool {
	from := 0.0
	if q.Limit != nil {
		from, _ = q.limit()
	}
	return d.Gap > 0 && e.Bounded && math.Max(e.Low-from, from-e.High) > d.Gap
}

// read takes the verdict off an interval.
func (q *Question) read(v *finding.Verdict, e stats.Estimate) {
	if q.Limit != nil {
		q.against(v, e)
	} else {
		q.alone(v, e)
	}
	for _, d := range q.Then {
		v.Reasons = append(v.Reasons, d.Reason)
	}
}

// limit is the budget on the scale of the evidence, and on which side of it the budget is broken: what may be added,
// or, where more is better, what may be taken away.
func (q *Question) limit() (at float64, bad stats.Position) {
	at, bad = *q.Limit, stats.Above
	if q.Higher {
		at, bad = -at, stats.Below
	}
	if q.Ratio {
		at = stats.LogLimit(at)
	}
	return at, bad
}

// against holds an interval against the budget. One that ends at the budget keeps it.
func (q *Question) against(v *finding.Verdict, e stats.Estimate) {
	limit, bad := q.limit()
	q.keep(v, e)
	at := e.Against(limit)
	ends := !q.Higher && e.High <= limit || q.Higher && e.Low >= limit
	switch {
	case at == bad:
		v.Kind = finding.Over
	case at != stats.Straddles || ends:
		v.Kind = finding.Within
	default:
		q.open(v, limit, finding.Reason{Code: finding.WhyStraddles})
	}
}

// alone is the verdict where there is no budget.
func (q *Question) alone(v *finding.Verdict, e stats.Estimate) {
	at := e.Against(0)
	e = q.keep(v, e)
	switch {
	case at == stats.Straddles && q.seenAlone():
		q.open(v, 0, finding.Reason{Code: finding.WhyNotSure, Figures: []finding.Figure{{Name: "claims", Value: float64(v.Claims), Unit: "count"}}})
	case at == stats.Straddles:
		bound := e.Hidden()
		v.Kind, v.Bound = finding.NoDifference, &bound
	case (at == stats.Above) != q.Higher:
		v.Kind = finding.Costs
	default:
		v.Kind = finding.Saves
	}
}

// seenAlone reports whether the interval that is not corrected excludes zero: only the correction keeps it from an
// answer, and neither a difference nor the want of one may be claimed.
func (q *Question) seenAlone() bool {
	at := q.Estimate(Confidence).Against(0)
	return at == stats.Above || at == stats.Below
}

// keep puts the corrected interval into the verdict, as a ratio less 1 where there is one.
func (q *Question) keep(v *finding.Verdict, e stats.Estimate) stats.Estimate {
	if q.Ratio {
		e = stats.Ratio(e)
	}
	v.Estimate, v.Low, v.High = &e.Center, &e.Low, &e.High
	return e
}

// open says how many more blocks would settle it.
func (q *Question) open(v *finding.Verdict, limit float64, reason finding.Reason) {
	all, never := q.BlocksToDecide(limit, v.Confidence)
	switch {
	case never:
		cannotTell(v, 0, reason, finding.Reason{Code: finding.WhyBetweenEnds})
	case all <= q.Blocks:
		cannotTell(v, 0, reason, finding.Reason{Code: finding.WhyTooClose})
	default:
		more := all - q.Blocks
		cannotTell(v, more, reason, finding.Reason{Code: finding.WhyMoreBlocks, Figures: []finding.Figure{{Name: "blocks", Value: float64(more), Unit: "count"}}})
	}
}

func cannotTell(v *finding.Verdict, more int, reasons ...finding.Reason) {
	v.Kind, v.Reasons, v.MoreBlocks = finding.CannotTell, reasons, more
}

// Open is the doubt of figures with an unknown end in any of the blocks.
func Open(e *Extent) []Doubt {
	if e == nil || e.Open() == 0 {
		return nil
	}
	return []Doubt{{Reason: finding.Reason{Code: finding.WhyOpenBracket, Figures: []finding.Figure{{Name: "blocks", Value: float64(e.Open()), Unit: "count"}}}}}
}

// jointly answers again the families none of whose questions has blocks enough for a
// corrected interval: one does not exist, but the signs of all their differences together
// may be clear. Whether that is so depends on the numbers of blocks and claims
// alone, never on what was measured, so choosing the method costs no confidence.
// Questions with a limit need an interval: they stay as they are.
func jointly(questions []Question, verdicts []finding.Verdict, short map[string][]int, claims map[string]int) {
	enough := map[string]bool{}
	for _, q := range questions {
		if q.Blocks >= q.Needs(stats.Bonferroni(Confidence, claims[q.Family])) {
			enough[q.Family] = true
		}
	}
	for family, together := range short {
		if !enough[family] {
			bySigns(questions, verdicts, together)
		}
	}
}

// bySigns answers those of the questions that stand out from all of them by the signs of their differences; any answer is
// wrong in at most 5 % of cases.
func bySigns(questions []Question, verdicts []finding.Verdict, together []int) {
	column := map[int]int{}
	for _, i := range together {
		for _, block := range questions[i].In {
			if _, known := column[block]; !known {
				column[block] = len(column)
			}
		}
	}
	rows := make([][]float64, len(together))
	for j, i := range together {
		rows[j] = make([]float64, len(column))
		for k := range rows[j] {
			rows[j][k] = math.NaN()
		}
		for k, d := range questions[i].Differences {
			rows[j][column[questions[i].In[k]]] = d
		}
	}
	for j, p := range stats.JointSigns(rows) {
		q, v := &questions[together[j]], &verdicts[together[j]]
		own := stats.SignedRank(q.Differences, Confidence)
		if p > 1-Confidence+1e-9 || !q.seenAlone() || !q.passesAll(own) {
			continue
		}
		v.MoreBlocks, v.Joint, v.Confidence, v.Reasons = 0, true, Confidence, nil
		q.read(v, own)
	}
}

// passesAll reports whether an interval answers in spite of all doubts.
func (q *Question) passesAll(e stats.Estimate) bool {
	for _, d := range q.Then {
		if !q.passes(d, e) {
			return false
		}
	}
	return true
}

// TakeBack takes an answer back that what is known beside the figures does not allow: that a thing costs no more, where
// it looks cheaper than it is, and that it costs more, where it looks dearer. It reports whether it did. The interval
// stays.
func TakeBack(v *finding.Verdict, cheaper, dearer *finding.Reason) bool {
	var reason *finding.Reason
	switch v.Kind {
	case finding.Within, finding.Saves:
		reason = cheaper
	case finding.Over, finding.Costs:
		reason = dearer
	case finding.NoDifference:
		if reason = cheaper; reason == nil {
			reason = dearer
		}
	}
	if reason != nil {
		cannotTell(v, 0, *reason)
	}
	return reason != nil
}
