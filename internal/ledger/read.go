// This file reads what a page says.

package ledger

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// Spans is the number of spans of one entry, 0 where there is none.
func Spans(l finding.Ledger, name string) int64 {
	for _, e := range l.Entries {
		if e.Name == name {
			return e.Spans
		}
	}
	return 0
}

// LostOnWay is what the hops say that they lost.
func LostOnWay(l finding.Ledger) int64 {
	return Spans(l, DroppedOnWay) + Spans(l, EarlyOnWay) + Spans(l, TornOnWay) + Spans(l, FailedOnWay)
}

// Admitted is what the tracer and the hops say that they lost.
func Admitted(l finding.Ledger) int64 {
	return Spans(l, Dropped) + Spans(l, FailedSend) + Spans(l, LostAtStop) + LostOnWay(l)
}

// AdmittedShare is what they say that they lost, of that and what came.
func AdmittedShare(l finding.Ledger) float64 {
	lost := float64(Admitted(l))
	if lost <= 0 {
		return 0
	}
	return lost / (lost + float64(Spans(l, Delivered)+Spans(l, Merged)))
}

// Surplus is how many more spans came than were expected, in the runs in which that is so: the expected number is wrong then,
// or what should not be there makes up for what was lost.
func Surplus(l finding.Ledger) int64 {
	for _, r := range l.Outcome {
		if r.Code == finding.PageSurplus || r.Code == finding.PageCameUnexpected {
			return int64(r.Figure("spans"))
		}
	}
	return 0
}

// Expects reports whether a ledger says how many spans were to come, and not only how many came.
func Expects(l finding.Ledger) bool {
	return slices.ContainsFunc(l.Entries, func(e finding.Entry) bool { return e.Name == Expected })
}

// LossEnds returns the least and the most that may have been lost, as shares.
func LossEnds(l finding.Ledger) (least, most float64, known bool) {
	var delivered, lost, more float64 // delivered: by themselves, or merged into others
	for _, e := range l.Entries {
		switch e.Name {
		case Expected:
			known = true
		case Delivered, Merged:
			delivered += float64(e.Spans)
		case Unaccounted:
			more = max(0, float64(e.High-max(0, e.Spans)))
		}
	}
	lost = l.LostShare * delivered / max(1-l.LostShare, 1e-12)
	if l.LostShare >= 1 {
		return 1, 1, known
	}
	if delivered+lost+more <= 0 {
		return 0, 0, known
	}
	return l.LostShare, (lost + more) / (delivered + lost + more), known
}

// BesideOperations is the page of a variant's whole run less what the pages of operations account for: what its tracer
// admits to have lost, and came, of operations of which nobody knows how many spans they make. It is nil where nothing
// was lost so.
func BesideOperations(ledgers []finding.Ledger, variant string) *finding.Ledger {
	var whole *finding.Ledger
	placed := map[string]int64{}
	for i := range ledgers {
		switch l := &ledgers[i]; {
		case l.Variant != variant:
		case l.Operation == All:
			whole = l
		case Expects(*l):
			for _, e := range l.Entries {
				placed[e.Name] += e.Spans
			}
		}
	}
	if whole == nil || Expects(*whole) {
		return nil
	}
	rest := *whole
	rest.Entries = slices.Clone(whole.Entries)
	for i, e := range rest.Entries {
		rest.Entries[i].Spans = max(0, e.Spans-placed[e.Name])
	}
	if rest.LostShare = AdmittedShare(rest); rest.LostShare <= 0 {
		return nil
	}
	return &rest
}
