// This file compares a study's claims with our intervals.

package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/wording"
)

// judged returns the verdicts on all claims.
func (s *replication) judged() []ClaimResult {
	var out []ClaimResult
	for _, c := range s.claims {
		one := judge(c, s.restsOn(c))
		one.Needs = slices.DeleteFunc(slices.Clone(c.Workloads), func(name string) bool { return s.resultOf(name) != nil })
		out = append(out, one)
	}
	return out
}

// restsOn returns the figures behind a claim, each with its own verdict.
func (s *replication) restsOn(c finding.Claim) []ClaimFigure {
	if c.Metric == metric.LostShare {
		return s.counted(c)
	}
	return drawn(c, s.evidence(c))
}

// judge returns the verdict on one claim.
//
// A claim about k figures holds only if it holds for each. It is confirmed if each uncorrected
// interval lies in the range: if the claim is false for one figure, that figure's test errs in
// at most 5 %, however many others there are (intersection–union test: Berger, Technometrics 24,
// 1982, pp. 295–300). One figure beyond the range refutes it. Each of k may get there by chance,
// and its interval is corrected for k (Bonferroni).
//
// Claims are separate questions: they are not corrected for each other.
func judge(c finding.Claim, all []ClaimFigure) ClaimResult {
	out := ClaimResult{Claim: c, Kind: Open, Figures: all}
	n := count{of: len(all), needed: stats.MinBlocks(stats.Bonferroni(claim.Confidence, len(all)))}
	for _, f := range all {
		n.add(c, f)
	}
	switch {
	case c.Above == nil && c.Below == nil:
		out.Said = "the claim gives no range"
		return out
	case len(all) == 0:
		out.Said = "nothing that it is about was measured"
		return out
	case n.in == n.of:
		out.Kind = Confirmed
	case n.surelyOut:
		out.Kind = Refuted
	}
	out.Said = n.text(c, out.Kind)
	return out
}

// count counts a claim's figures in and beyond its range.
type count struct {
	of        int
	in, out   int  // uncorrected
	surelyOut bool // one is, corrected for all
	open      []string
	first     string // that is surely out
	needed    int    // blocks, for a corrected interval
	blocks    int    // the fewest that a figure has
}

func (n *count) add(c finding.Claim, f ClaimFigure) {
	if f.Blocks > 0 && (n.blocks == 0 || f.Blocks < n.blocks) {
		n.blocks = f.Blocks
	}
	switch f.Holds {
	case Confirmed:
		n.in++
	case Refuted:
		n.out++
	default:
		name := figureName(f)
		if f.Reason != nil {
			name += " (" + wording.Reason(*f.Reason) + ")"
		}
		n.open = append(n.open, name)
	}
	if !n.surelyOut && sideOf(c, f.Wide) == Refuted {
		n.surelyOut, n.first = true, figureName(f)+" "+finding.FormatInterval(*f.Wide, "1", true)
	}
}

// text returns the grounds of the verdict.
func (n *count) text(c finding.Claim, kind ClaimKind) string {
	corrected := ""
	if n.of > 1 {
		corrected = fmt.Sprintf(", corrected for %d figures", n.of)
	}
	switch {
	case kind == Confirmed && n.of == 1:
		return "the interval lies " + rangeText(c)
	case kind == Confirmed:
		return fmt.Sprintf("all %d intervals lie %s", n.of, rangeText(c))
	case n.first != "":
		return n.first + corrected
	}
	text := fmt.Sprintf("of %d intervals %d lie %s by themselves, %d beyond", n.of, n.in, rangeText(c), n.out)
	if n.of == 1 && len(n.open) > 0 {
		return "it is open whether the interval lies " + rangeText(c) + ": " + n.open[0]
	}
	if len(n.open) > 0 {
		text += "; open: " + fewNames(n.open)
	}
	if n.out > 0 {
		text += "; that is not significant after correction for " + counted(n.of, "comparison")
		if n.blocks < n.needed {
			text += fmt.Sprintf(": an interval corrected for so many needs %d blocks, there are %d", n.needed, n.blocks)
		}
	}
	return text
}

// rangeText returns "below 0 %", "above 5 %" or "between 5 % and 20 %".
func rangeText(c finding.Claim) string {
	percent := func(v *float64) string { return strings.Replace(fmt.Sprintf("%.4g %%", 100**v), "-", "−", 1) }
	switch {
	case c.Above != nil && c.Below != nil:
		return "between " + percent(c.Above) + " and " + percent(c.Below)
	case c.Above != nil:
		return "above " + percent(c.Above)
	case c.Below != nil:
		return "below " + percent(c.Below)
	}
	return "anywhere"
}

// fewNames lists the first names and counts the others. Names may contain commas.
func fewNames(names []string) string { return fewWith(names, "; ") }

func fewWith(names []string, between string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, between)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], between), len(names)-most)
}

// This file compares claims about lost spans with the ledgers.

// counted returns the shares of spans that a claim's variants lost, from the certain loss to the possible one.
// They are sums over all runs and need no correction.
func (s *replication) counted(c finding.Claim) []ClaimFigure {
	out := []ClaimFigure{}
	s.selected(c, func(r *result, operation string) {
		for _, name := range variantsOf(c, r) {
			out = append(out, lostBy(c, r, operation, name))
		}
	}, func(name string) {
		out = append(out, ClaimFigure{Workload: name, Holds: Open, Reason: &finding.Reason{Code: finding.WhyNoResult}})
	})
	return out
}

// lostBy returns the share of an operation's spans that a variant lost. If the possible loss is unknown, only the certain loss
// can settle a claim.
func lostBy(c finding.Claim, r *result, operation, variant string) ClaimFigure {
	for _, l := range r.Ledgers {
		if l.Operation != operation || l.Variant != variant {
			continue
		}
		f := ClaimFigure{Workload: r.workload, Operation: operation, Variant: variant, Blocks: r.Runs.Blocks}
		most, unknown := l.LostMost, lossUnknown(r, l)
		if unknown != nil {
			most = 1
		}
		f.Interval = &finding.Interval{Estimate: l.LostShare, Low: &l.LostShare, High: &most}
		f.Wide = f.Interval
		if onPurpose(r, operation, variant) {
			f.Holds, f.Wide, f.Reason = Open, nil, &finding.Reason{Code: finding.WhyLossAim}
			return f
		}
		if f.Holds = sideOf(c, f.Interval); f.Holds == Open {
			f.Reason = unknown
		}
		return f
	}
	f := missing(r, c.Metric, operation, variant)
	f.at.Holds, f.at.Reason = Open, f.reason
	return f.at
}

// onPurpose reports whether a search for the rate without loss made a variant lose spans.
func onPurpose(r *result, operation, variant string) bool {
	return slices.ContainsFunc(r.Searches, func(s finding.Search) bool {
		return s.Operation == operation && s.Variant == variant && s.Kind == finding.KindLossless
	})
}

// lossUnknown returns the reason for which a ledger's possible loss is unknown; nil if it is known.
func lossUnknown(r *result, l finding.Ledger) *finding.Reason {
	switch {
	case ledger.Spans(l, ledger.Expected) <= 0, r.UnknownLoss(l.Operation, nil, l.Variant) != nil:
		return &finding.Reason{Code: finding.WhyLossUnknown}
	case l.Unchecked > 0:
		return &finding.Reason{Code: finding.WhyNoIDs}
	}
	return nil
}
