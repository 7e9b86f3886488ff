// Verdicts, corrected for the claims that are made together.

package claim

import (
	"math"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
)

// Question is one thing that a verdict is asked on.
type Question struct {
	*Evidence
	Family string // what is corrected together
	Wanted bool   // of too few blocks, "cannot tell", and not figures alone; a question with a Limit is wanted
	Higher bool   // more is better

	Limit      *config.Limit   // what may be added, or, where more is better, lost; nil: no budget
	NoRatio    *finding.Reason // why the evidence is no ratio, which a limit without a unit asks for; nil: this limit does not
	Broken     *finding.Reason // why a limit is broken whatever the interval says
	Overloaded *finding.Reason // why the two sides did not do the same work
	First      *finding.Reason // against any answer, asked before the blocks are counted
	Then       []Doubt         // asked after that
}

// The families of questions: all answers of one family together are wrong in 5 % of experiments, not each of them.
const (
	Budget   = "budget"
	Headline = "headline" // what people decide by: it does not wait for the many others
	Cause    = "cause"    // why it costs that
	Other    = "other"
	Missing  = "lost or missing" // budgets on what is counted, or was not measured
)

// Family returns the family of a claim on a metric, over all operations and pairs.
func Family(limit *config.Limit, headline bool, name string) string {
	row, _ := metric.Of(name)
	switch {
	case limit != nil && limit.Metric == metric.LostShare:
		return Missing
	case limit != nil:
		return Budget
	case headline:
		return Headline
	case row.IsCause():
		return Cause
	}
	return Other
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
		q.Then = q.doubts()
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

// doubts are those of the question, and what its evidence leaves open.
func (q *Question) doubts() []Doubt {
	var out []Doubt
	if q.Limit != nil && q.Limit.Unit == "" && !q.Ratio && q.NoRatio != nil {
		out = append(out, Doubt{Reason: *q.NoRatio})
	}
	out = append(out, q.Then...)
	for _, side := range []Figures{q.Base, q.Value} {
		if n := side.open(); n > 0 {
			why := finding.Reason{Code: finding.WhyOpenBracket, Figures: []finding.Figure{{Name: "blocks", Value: float64(n), Unit: "count"}}}
			out = append(out, Doubt{Reason: why})
		}
	}
	return out
}

// answer is the verdict among so many claims; few reports whether more blocks might have given one, and the signs of
// all claims together may.
func (q *Question) answer(claims int) (v finding.Verdict, few bool) {
	if q.Limit != nil {
		v.Budget, v.BudgetUnit = &q.Limit.Value, q.Limit.Unit
	}
	if q.Broken != nil && q.Limit != nil && q.Blocks() >= q.LeastBlocks() {
		v.Kind, v.Reasons = finding.Over, []finding.Reason{*q.Broken}
		return v, false
	}
	if q.Overloaded != nil {
		v.Kind, v.Reasons = finding.Overloaded, []finding.Reason{*q.Overloaded}
		return v, false
	}
	if q.First == nil && q.Blocks() < q.LeastBlocks() {
		q.figuresOnly(&v)
		return v, false
	}
	v.Claims, v.Confidence = claims, stats.Bonferroni(Confidence, claims)
	if q.First != nil {
		cannotTell(&v, 0, *q.First)
		return v, false
	}
	e := q.At(v.Confidence)
	for _, d := range q.Then {
		if !q.passes(d, e) {
			cannotTell(&v, 0, d.Reason)
			return v, d.Gap > 0 && !e.Bounded
		}
	}
	if !e.Bounded {
		more := q.needs(v.Confidence) - q.Blocks()
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
		{Name: "blocks", Value: float64(q.Blocks()), Unit: "count"}, {Name: "least", Value: float64(q.LeastBlocks()), Unit: "count"},
	}}
	v.Reasons = []finding.Reason{reason}
	if q.Wanted || q.Limit != nil {
		cannotTell(v, q.LeastBlocks()-q.Blocks(), reason)
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
	at, bad = q.Limit.Value, stats.Above
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
	at := q.At(Confidence).Against(0)
	return at == stats.Above || at == stats.Below
}

// keep puts the corrected interval into the verdict, as a ratio less 1 where there is one.
func (q *Question) keep(v *finding.Verdict, e stats.Estimate) stats.Estimate {
	e = q.Shown(e)
	v.Estimate, v.Low, v.High = &e.Center, &e.Low, &e.High
	return e
}

// open sets the number of further blocks that would settle it.
func (q *Question) open(v *finding.Verdict, limit float64, reason finding.Reason) {
	all, never := q.toExclude(limit, v.Confidence)
	switch {
	case never:
		cannotTell(v, 0, reason, finding.Reason{Code: finding.WhyBetweenEnds})
	case all <= q.Blocks():
		cannotTell(v, 0, reason, finding.Reason{Code: finding.WhyTooClose})
	default:
		more := all - q.Blocks()
		cannotTell(v, more, reason, finding.Reason{Code: finding.WhyMoreBlocks, Figures: []finding.Figure{{Name: "blocks", Value: float64(more), Unit: "count"}}})
	}
}

func cannotTell(v *finding.Verdict, more int, reasons ...finding.Reason) {
	v.Kind, v.Reasons, v.MoreBlocks = finding.CannotTell, reasons, more
}

// jointly answers again the families none of whose questions has blocks enough for a
// corrected interval: one does not exist, but the signs of all their differences together
// may be clear. Whether that is so depends on the numbers of blocks and claims
// alone, never on what was measured, so choosing the method costs no confidence.
// Questions with a limit need an interval: they stay as they are.
func jointly(questions []Question, verdicts []finding.Verdict, short map[string][]int, claims map[string]int) {
	enough := map[string]bool{}
	for _, q := range questions {
		if q.Blocks() >= q.needs(stats.Bonferroni(Confidence, claims[q.Family])) {
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
		for _, x := range questions[i].signs() {
			if _, known := column[x.Block]; !known {
				column[x.Block] = len(column)
			}
		}
	}
	rows := make([][]float64, len(together))
	for j, i := range together {
		rows[j] = make([]float64, len(column))
		for k := range rows[j] {
			rows[j][k] = math.NaN()
		}
		for _, x := range questions[i].signs() {
			rows[j][column[x.Block]] = x.Mid
		}
	}
	for j, p := range stats.JointSigns(rows) {
		q, v := &questions[together[j]], &verdicts[together[j]]
		own := q.At(Confidence)
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
