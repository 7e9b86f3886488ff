// This file compares the answers of two variants: where they differ, so does the work, and a difference in cost is no longer
// that of tracing.

package effect

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// What differs by less moves no figure that anybody acts on.
const (
	leastAnswers = 0.001 // of the answers had another status
	leastBodies  = 0.01  // of the bytes of a body
)

// workplace is a pair on a cell.
type workplace struct {
	dataset.Pair
	at cell.At
}

// OtherWork says in what the answers that a pair's variants gave on a cell differ beyond chance; nil where they do not.
func (s *Maker) OtherWork(pair dataset.Pair, at cell.At) *finding.Reason {
	where := workplace{pair, at}
	reason, known := s.otherWork[where]
	if !known {
		if reason = s.otherAnswers(pair, at); reason == nil {
			reason = s.otherBodies(pair, at)
		}
		if s.otherWork == nil {
			s.otherWork = map[workplace]*finding.Reason{}
		}
		s.otherWork[where] = reason
	}
	return reason
}

// otherAnswers compares the shares of each status by an exact test, corrected for all that are compared in the experiment.
// Counts that scatter over the blocks more than chance has it count for as much less.
func (s *Maker) otherAnswers(pair dataset.Pair, at cell.At) *finding.Reason {
	value, base := s.PhasesOf(pair.Variant, at), s.PhasesOf(pair.Against, at)
	statuses := map[int]bool{}
	for _, p := range slices.Concat(value, base) {
		for status := range p.Load.Answers {
			statuses[status] = true
		}
	}
	chance := (1 - estimate.Confidence) / float64(max(1, len(statuses)*len(s.Pairs())*len(s.Cells())))
	var most *finding.Reason
	largest := leastAnswers
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		a, n, of := answered(value, status)
		b, m, others := answered(base, status)
		if n == 0 || m == 0 {
			continue
		}
		scatter := 1.0
		if freedom := of.freedom + others.freedom; freedom > 0 {
			scatter = math.Max(1, (of.square+others.square)/float64(freedom))
		}
		less := func(count uint64) uint64 { return uint64(math.Round(float64(count) / scatter)) }
		share, other := float64(a)/float64(n), float64(b)/float64(m)
		if math.Abs(share-other) < largest || stats.SameShare(less(a), less(n), less(b), less(m)) >= chance {
			continue
		}
		largest = math.Abs(share - other)
		most = &finding.Reason{Code: finding.WhyAnswers, Variant: pair.Variant, Against: pair.Against, Figures: []finding.Figure{
			{Name: "status", Value: float64(status), Unit: "count"}, {Name: "share", Value: share, Unit: "1"}, {Name: "other", Value: other, Unit: "1"},
		}}
	}
	return most
}

// scatter is how a share scatters over blocks.
type scatter struct {
	square  float64
	freedom int
}

// answered counts the answers of a status, and all of them.
func answered(phases []*dataset.Phase, status int) (of, all uint64, over scatter) {
	var counts, totals []uint64
	for _, p := range phases {
		total := uint64(0)
		for _, n := range p.Load.Answers {
			total += n
		}
		counts, totals = append(counts, p.Load.Answers[status]), append(totals, total)
		of, all = of+p.Load.Answers[status], all+total
	}
	over.square, over.freedom = stats.Scatter(counts, totals)
	return of, all, over
}

// otherBodies compares the mean size of the bodies block by block: by an interval, or, where there are too few blocks for
// one, by whether all of them agree.
func (s *Maker) otherBodies(pair dataset.Pair, at cell.At) *finding.Reason {
	var differences, value, base []float64
	for _, block := range s.BlocksOf(pair.Variant, pair.Against) {
		against, run := s.Both(pair, block)
		v, b := run.ByCell[at], against.ByCell[at]
		if v == nil || b == nil || v.Load.Completed == 0 || b.Load.Completed == 0 {
			continue
		}
		of, other := float64(v.Load.BodyBytes)/float64(v.Load.Completed), float64(b.Load.BodyBytes)/float64(b.Load.Completed)
		value, base = append(value, of), append(base, other)
		differences = append(differences, (of-other)/math.Max(1, (of+other)/2))
	}
	if len(differences) == 0 || math.Abs(stats.Center(differences)) < leastBodies || !sameSign(differences, s.Confidence(estimate.Confidence)) {
		return nil
	}
	return &finding.Reason{Code: finding.WhyBodies, Variant: pair.Variant, Against: pair.Against, Figures: []finding.Figure{
		{Name: "bytes", Value: stats.Center(value), Unit: "bytes"}, {Name: "other", Value: stats.Center(base), Unit: "bytes"},
	}}
}

// sameSign is whether differences are all above zero but for chance, or all below.
func sameSign(differences []float64, confidence float64) bool {
	if e := stats.SignedRank(differences, confidence); e.Bounded {
		return e.Low > 0 || e.High < 0
	}
	return slices.Min(differences) > 0 || slices.Max(differences) < 0
}
