// This file lists the variants that hold spans back by a limit of their own: they lose
// nothing by it, and do less than a variant that sends them all.
package delivery

import (
	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
)

// Unsent lists them, by cell. Of operations back to back such spans count as lost, and are
// told there.
func (b *Book) Unsent() []finding.Unsent {
	var out []finding.Unsent
	for _, at := range b.Cells() {
		if b.RegimeOf(at) == metric.Unthrottled {
			continue
		}
		for _, v := range b.Variants {
			l := b.LedgerOf(v.Name, at)
			if l == nil {
				continue
			}
			if share := forgoneShare(l); finding.Matters(share) {
				out = append(out, finding.Unsent{
					Operation: at.Operation, Parameter: at.Level.Map(), Variant: v.Name, Share: share, Spans: ledger.Spans(*l, ledger.Forgone),
				})
			}
		}
	}
	return out
}

// forgoneShare is what was held back, over all that was made and was to be sent.
func forgoneShare(l *finding.Ledger) float64 {
	forgone, due := forgoneAndDue(l)
	share, _ := dataset.Over(forgone, forgone+due)
	return share
}

// forgoneAndDue are the spans that were held back by a limit of the tracer's own, and all
// others that were to come.
func forgoneAndDue(l *finding.Ledger) (forgone, due float64) {
	due = float64(ledger.Spans(*l, ledger.Delivered) + ledger.Spans(*l, ledger.Merged))
	if l.LostShare < 1 {
		due /= 1 - l.LostShare
	} else { // nothing came
		due = float64(ledger.Spans(*l, ledger.Dropped) + ledger.Spans(*l, ledger.FailedSend) + max(0, ledger.Spans(*l, ledger.Unaccounted)))
	}
	return float64(ledger.Spans(*l, ledger.Forgone)), due
}
