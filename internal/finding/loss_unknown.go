// This file owns the list of losses that nobody knows: unknown is not none.

package finding

import "maps"

// Lossless is the delivered share below which a tracer is excluded from rankings and no cost per span is given: one that
// throws spans away is not cheap.
const Lossless = 0.99

// Matters reports whether a share of spans, lost for sure or not known of, is more than a cost may go without.
func Matters(share float64) bool { return share > 1-Lossless }

// LossUnknown is a variant which may have lost over 1 % of its spans on an operation beyond what
// it lost for sure, in what is measured: in its window, of a search at the rate that it found,
// and unthrottled, made by the workload itself, in all. Traces that random sampling may hide
// are not in it: see Ledger.LostMost.
type LossUnknown struct {
	Operation string            `json:"operation"`           // the operation; "" for the whole run
	Parameter map[string]string `json:"parameter,omitempty"` // the level of what was varied between phases, as {"connections": "4"}; levels are never mixed
	Variant   string            `json:"variant"`             // name of the variant
	LostShare float64           `json:"lost_share"`          // for sure, 0 to 1
	LostMost  float64           `json:"lost_most"`           // at most, 0 to 1; 1 where it is not known how many were to come
	Why       Code              `json:"why"`                 // why nobody knows it better: "number-unknown" (of spans to come), "number-varies", "operations-failed", "made-unknown", "more-than-expected" or "no-probe" (at the rate found)
	Text      string            `json:"text"`                // the same in words
}

// UnknownLoss is what nobody knows of what a variant lost on an operation at its level; without
// a level, as of a line over all of them, where most may have been lost. It is nil where it is
// known to 1 %.
func (d *Document) UnknownLoss(operation string, parameter map[string]string, variant string) *LossUnknown {
	var worst *LossUnknown
	for i := range d.LossUnknown {
		l := &d.LossUnknown[i]
		here := l.Variant == variant && l.Operation == operation && (len(parameter) == 0 || maps.Equal(l.Parameter, parameter))
		if here && (worst == nil || l.LostMost > worst.LostMost) {
			worst = l
		}
	}
	return worst
}
