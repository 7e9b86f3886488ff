package judge

import (
	"math"

	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// jointly answers again the families none of whose questions has blocks enough for a
// corrected interval: one does not exist, but the signs of all their differences together
// may be clear. Whether that is so depends on the numbers of blocks and claims
// alone, never on what was measured, so that choosing the method costs no confidence.
// Questions with a limit need an interval: they stay as they are.
func jointly(questions []Question, verdicts []finding.Verdict, short map[string][]int, claims map[string]int) {
	enough := map[string]bool{}
	for _, q := range questions {
		if q.Blocks >= q.Needs(stats.Bonferroni(estimate.Confidence, claims[q.Family])) {
			enough[q.Family] = true
		}
	}
	for family, together := range short {
		if !enough[family] {
			bySigns(questions, verdicts, together)
		}
	}
}

// bySigns answers those of the questions that stand out from all of them by the signs of their differences.
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
		own := stats.SignedRank(q.Differences, estimate.Confidence)
		if p > 1-estimate.Confidence || !q.seenAlone() || !q.passesAll(own) {
			continue
		}
		v.MoreBlocks, v.Joint, v.Confidence, v.Reasons = 0, true, estimate.Confidence, nil
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
