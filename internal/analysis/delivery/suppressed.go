// This file lists the variants that suppress spans by a limit of their own: they lose
// nothing by it, and do less than a variant that sends them all.

package delivery

import (
	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
)

// Suppressed lists them, by cell. Of unthrottled operations such spans count as lost, and are
// told there.
func (b *Book) Suppressed() []finding.Suppressed {
	var out []finding.Suppressed
	for _, at := range b.Cells() {
		if b.RegimeOf(at) == metric.Unthrottled {
			continue
		}
		for _, v := range b.Variants {
			l := b.LedgerOf(v.Name, at)
			if l == nil {
				continue
			}
			if share := suppressedShare(l); finding.Matters(share) {
				out = append(out, finding.Suppressed{
					Operation: at.Operation, Parameter: at.Level.Map(), Variant: v.Name, Share: share, Spans: ledger.Spans(*l, ledger.Suppressed),
				})
			}
		}
	}
	return out
}

// suppressedShare is what was suppressed, over all that was made and was to be sent.
func suppressedShare(l *finding.Ledger) float64 {
	suppressed, due := suppressedAndDue(l)
	share, _ := dataset.Over(suppressed, suppressed+due)
	return share
}

// suppressedAndDue are the spans that were suppressed by a limit of the tracer's own, and all
// others that were to come.
func suppressedAndDue(l *finding.Ledger) (suppressed, due float64) {
	due = float64(ledger.Spans(*l, ledger.Delivered) + ledger.Spans(*l, ledger.Merged))
	if l.LostShare < 1 {
		due /= 1 - l.LostShare
	} else { // nothing came
		due = float64(ledger.Admitted(*l) + max(0, ledger.Spans(*l, ledger.Unaccounted)))
	}
	return float64(ledger.Spans(*l, ledger.Suppressed)), due
}
