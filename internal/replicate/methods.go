// This file says how the figures of a replication were made.

package replicate

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// methods says how the figures were made, as far as there are such figures.
func (s *replication) methods(out *finding.Replication) []string {
	var text []string
	amount := func(t finding.ReplicationTable) bool { return t.Amount }
	if slices.ContainsFunc(out.Tables, func(t finding.ReplicationTable) bool { return !t.Amount && !isCount(t.Metric) }) {
		text = append(text, "A cost is a relative change over the baseline of the same block: the Hodges–Lehmann centre of the log-ratios, with the exact signed-rank 95 % interval over the blocks.")
	}
	if slices.ContainsFunc(out.Tables, amount) {
		text = append(text, "Where the operation does nothing of itself, a cost is the time that is added to it, the Hodges–Lehmann centre of the differences within blocks, and not a share of next to nothing; a published one is the published value less the same study's baseline.")
	}
	if len(out.Series) > 0 {
		text = append(text, "A published cost is the published value over the same study's baseline; it lies within where our 95 % interval holds it. Published values are of other machines and versions: compare costs, not values.")
	}
	if len(out.Rankings) > 0 {
		if slices.ContainsFunc(s.figures, func(f *figure) bool { return !f.of.ordered(f.Variant) }) {
			text = append(text, "Variants that leave out steps of tracing, traces or spans on purpose are in no order: what they cost is the cost of a part.")
		}
		if slices.ContainsFunc(s.figures, func(f *figure) bool { return f.reason != nil && f.reason.Code == finding.WhyLossUnknown }) {
			text = append(text, "Variants of which it is not known how many spans were lost are in no order either.")
		}
		text = append(text, "Two variants share a letter where the 95 % interval of their ratio within blocks holds none; each pair is looked at by itself. Kendall's τ-b is over the variants that both orders have.")
	}
	if len(out.Means) > 0 {
		text = append(text, "A mean is over the operations that all variants have which have more than one; over several workloads a variant counts that all of them have. The arithmetic mean is of the relative changes: it depends on which side is the baseline. The ratio of means is the studies' own way: the mean of the values over all operations, over the baseline's, in each block; an operation weighs as much in it as its values are large. What was published as a mean over all operations is held against that alone, and only where none of ours is missing. The geometric mean is of the ratios, within blocks; over several workloads the first blocks of all are put together, then the second: blocks of different results are independent, so that any way of putting them together is as good.")
	}
	if len(out.Ratios) > 0 {
		text = append(text, "Ratios between tracers are taken within blocks (signed rank); ratios between workloads are of independent blocks (rank sum).")
	}
	if len(out.Claims) > 0 {
		text = append(text, "A claim about all of several figures is confirmed where each 95 % interval lies in its range (intersection–union test, Berger 1982: no correction is due), and refuted where one lies beyond with an interval corrected for their number (Bonferroni). Of a claim that some figure is in the range it is the other way round. Claims are not corrected for each other.")
	}
	if len(out.Lossy) > 0 {
		text = append(text, "Variants that lost over 1 % of their spans are excluded from the ranking, the means and the ratios.")
	}
	if len(out.Suppressed) > 0 {
		text = append(text, "Variants of which the tracer's own limit suppressed over 1 % of the spans are in order, means and ratios as they are, with a mark: that is what they do by these settings, and it is less than sending them all.")
	}
	return text
}
