// This file lists the variants that hold spans back by a limit of their own: they lose
// nothing by it, and do less than a variant that sends them all.
package analysis

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/words"
)

// unsent lists them, by cell. Of operations back to back such spans count as lost, and are
// told there.
func (s *study) unsent() []finding.Unsent {
	var out []finding.Unsent
	for _, at := range s.cells() {
		if s.regimeOf(at) == metric.Unthrottled {
			continue
		}
		for _, v := range s.variants {
			l := s.ledgerOf(v.Name, at)
			if l == nil {
				continue
			}
			if share := forgoneShare(l); share > 1-finding.Lossless {
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
	share, _ := over(forgone, forgone+due)
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

// unsentClause says who held back how many of its spans at most.
func unsentClause(doc *finding.Document) []string {
	most := map[string]float64{}
	cells := map[string]int{}
	var names []string
	for _, u := range doc.Unsent {
		if _, known := most[u.Variant]; !known {
			names = append(names, u.Variant)
		}
		most[u.Variant] = max(most[u.Variant], u.Share)
		cells[u.Variant]++
	}
	if len(names) == 0 {
		return nil
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(most[b], most[a]) })
	for i, name := range names {
		upTo := ""
		if cells[name] > 1 {
			upTo = "up to "
		}
		names[i] = fmt.Sprintf("%s%s of the spans with %s", upTo, finding.FormatValue(most[name], "1"), name)
	}
	return []string{"not sent, by a limit of the tracer's own, were " + words.FewNames(names)}
}
