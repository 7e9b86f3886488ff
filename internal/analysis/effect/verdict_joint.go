// This file gives verdicts to claims that are too many for their blocks: intervals
// corrected for all of them do not exist, but the signs of all their differences
// together may be clear.
package effect

import (
	"math"

	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/stats"
)

// jointly judges anew the families none of whose claims has blocks enough for a
// corrected interval. Whether that is so depends on the numbers of blocks and claims
// alone, never on what was measured, so that choosing the method costs no confidence.
// Claims that are held against a budget need an interval, and where the number of
// blocks was not fixed there is none to count on: both stay as they are.
func (s *Maker) jointly(claims []*claim, families map[string]int) {
	if s.Stops() {
		return
	}
	members := map[string][]*claim{}
	enough := map[string]bool{}
	for _, c := range claims {
		family := c.family()
		if c.short {
			members[family] = append(members[family], c)
		}
		if c.Blocks >= needed(families[family], s.Confidence) {
			enough[family] = true
		}
	}
	for family, together := range members {
		if together[0].budget == nil && !enough[family] {
			judgeJointly(together)
		}
	}
}

// judgeJointly gives those of the claims a verdict that stand out from all of them
// by the signs of their differences.
func judgeJointly(claims []*claim) {
	column := map[int]int{}
	for _, c := range claims {
		for _, sample := range c.Samples {
			if _, known := column[sample.Block]; !known {
				column[sample.Block] = len(column)
			}
		}
	}
	rows := make([][]float64, len(claims))
	for j, c := range claims {
		rows[j] = make([]float64, len(column))
		for i := range rows[j] {
			rows[j][i] = math.NaN()
		}
		if c.scaleApart() != nil || len(c.scale()) != len(c.Samples) {
			continue // known to a bracket only: which sign it has may be open
		}
		for i, d := range c.scale() {
			rows[j][column[c.Samples[i].Block]] = d
		}
	}
	for j, p := range stats.JointSigns(rows) {
		c, own := claims[j], stats.SignedRank(claims[j].scale(), estimate.Confidence)
		if p <= 1-estimate.Confidence && c.excludesZero() && (!c.doubts.modes || c.beyondModes(own)) {
			c.Verdict.MoreBlocks, c.Verdict.Joint, c.Verdict.Confidence = 0, true, estimate.Confidence
			c.alone(own)
		}
	}
}
