package view

import (
	"fmt"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/words"
)

// ledgerOf is a ledger of spans that came over a collector, some of them dropped there.
func ledgerOf(dropped int64) finding.Ledger {
	l := finding.Ledger{
		Operation: "json", Variant: "otel", Hop: "app → sink", Operations: 1000, Exact: true, Outcome: []finding.Reason{{Code: finding.PageNothingLost}},
		Entries: []finding.Entry{ledger.Entry(ledger.Expected, 1000, "inferred"), ledger.Entry(ledger.DroppedOnWay, dropped, "counted"), ledger.Entry(ledger.Delivered, 1000-dropped, "counted")},
		Pages:   []finding.Page{{From: finding.PageApp, To: "collector", Received: 1000, Outcome: finding.HopWhole}, {From: "collector", To: finding.PageSink, Received: 1000 - dropped, Outcome: finding.HopWhole}},
	}
	if dropped > 0 {
		l.LostShare = float64(dropped) / 1000
		l.Outcome = []finding.Reason{{Code: finding.PageLost, Figures: []finding.Figure{{Name: "share", Value: l.LostShare, Unit: "1"}, {Name: "dropped-on-way", Value: float64(dropped), Unit: "count"}}}}
		l.Pages[1].Outcome = finding.HopLost
	}
	all := []finding.Ledger{l}
	words.FillLedgers(all)
	return all[0]
}

// wholeRuns adds to ledgers those of the whole runs, one a variant, which hold them.
func wholeRuns(parts ...finding.Ledger) []finding.Ledger {
	all := parts
	for i, l := range parts {
		all[i].Variant = fmt.Sprintf("otel-%d", i)
		l.Variant, l.Operation = all[i].Variant, ledger.All
		all = append(all, l)
	}
	return all
}

// A ledger without loss is one line, whatever hops its spans passed; one with loss has a line for each.
func TestLedgerWithoutLossIsOneLine(t *testing.T) {
	for name, c := range map[string]struct {
		ledgers []finding.Ledger
		rows    int
		lead    string
		bars    []int
	}{
		"nothing lost": {[]finding.Ledger{ledgerOf(0), ledgerOf(0)}, 2, "Nothing was lost: all 2,000 spans came.", []int{}},
		"some lost":    {[]finding.Ledger{ledgerOf(0), ledgerOf(7)}, 4, "In 1 of 2 ledgers all spans came, for sure. A bar shows one with spans that were sampled out, dropped or lost.", []int{1}},
		"whole runs":   {wholeRuns(ledgerOf(0), ledgerOf(0)), 4, "Nothing was lost: all 2,000 spans came.", []int{}},
		"lost in all":  {[]finding.Ledger{ledgerOf(7)}, 3, "", []int{0}},
		"none":         {nil, 0, "", []int{}},
	} {
		doc := &finding.Document{Ledgers: c.ledgers}
		s := ledgersSection(doc)
		rows, lead := 0, ""
		if len(s.Grids) > 0 {
			rows = len(s.Grids[0].Rows)
		}
		if len(s.Lead) > 0 {
			lead = s.Lead[0].Text
		}
		if rows != c.rows || lead != c.lead {
			t.Errorf("%s: %d rows below %q, want %d below %q", name, rows, lead, c.rows, c.lead)
		}
		var all []*finding.Ledger
		for i := range doc.Ledgers {
			all = append(all, &doc.Ledgers[i])
		}
		if got := len(ledgerLines(doc, all).Rows); got != c.rows {
			t.Errorf("%s, in a terminal: %d lines, want %d", name, got, c.rows)
		}
		bars := chartsOf(doc).Bars
		if len(bars) != len(c.bars) || len(bars) > 0 && bars[0] != c.bars[0] {
			t.Errorf("%s: bars of %v, want %v", name, bars, c.bars)
		}
	}
}
