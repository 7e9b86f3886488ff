// This file holds claims about lost spans, which are counted, against the ledgers.

package replicate

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
)

// counted are the shares of spans that the variants of a claim lost, from what was lost for sure to what may have been.
// They are sums over all runs, so that there is nothing to be corrected for.
func (s *replication) counted(c finding.Claim) []finding.ClaimFigure {
	out := []finding.ClaimFigure{}
	s.selected(c, func(r *result, operation string) {
		for _, name := range variantsOf(c, r) {
			out = append(out, lostBy(c, r, operation, name))
		}
	}, func(name string) {
		out = append(out, finding.ClaimFigure{Workload: name, Holds: finding.Open, Reason: &finding.Reason{Code: finding.WhyNoResult}})
	})
	return out
}

// lostBy is the share that one variant lost of an operation's spans. Where nobody knows the most that it may have lost, only
// what it lost for sure can settle a claim.
func lostBy(c finding.Claim, r *result, operation, variant string) finding.ClaimFigure {
	for _, l := range r.Ledgers {
		if l.Operation != operation || l.Variant != variant {
			continue
		}
		f := finding.ClaimFigure{Workload: r.workload, Operation: operation, Variant: variant, Blocks: r.Runs.Blocks}
		most, unknown := l.LostMost, lossUnknown(r, l)
		if unknown != nil {
			most = 1
		}
		f.Interval = &finding.Interval{Estimate: l.LostShare, Low: &l.LostShare, High: &most}
		f.Wide = f.Interval
		if onPurpose(r, operation, variant) {
			f.Holds, f.Wide, f.Reason = finding.Open, nil, &finding.Reason{Code: finding.WhyLossAim}
			return f
		}
		if f.Holds = sideOf(c, f.Interval); f.Holds == finding.Open {
			f.Reason = unknown
		}
		return f
	}
	f := missing(r, operation, variant)
	f.at.Holds, f.at.Reason = finding.Open, f.reason
	return f.at
}

// onPurpose reports whether a search for the rate without loss made a variant lose spans.
func onPurpose(r *result, operation, variant string) bool {
	return slices.ContainsFunc(r.Searches, func(s finding.Search) bool {
		return s.Operation == operation && s.Variant == variant && s.Kind == finding.KindLossless
	})
}

// lossUnknown says why nobody knows how much of a ledger's spans was lost at most; nil where that is known.
func lossUnknown(r *result, l finding.Ledger) *finding.Reason {
	switch {
	case ledger.Spans(l, ledger.Expected) <= 0, r.UnknownLoss(l.Operation, nil, l.Variant) != nil:
		return &finding.Reason{Code: finding.WhyLossUnknown}
	case l.Unchecked > 0:
		return &finding.Reason{Code: finding.WhyNoIDs}
	}
	return nil
}
