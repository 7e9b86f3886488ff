package words

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

func TestMissing(t *testing.T) {
	l := finding.Ledger{Services: []finding.ServiceSpans{{Service: "app", Expected: 20, Delivered: 20}, {Service: "backend", Expected: 1010, Delivered: 7}}}
	if got := Missing(l); got != "not come, by service: 1,003 of backend" {
		t.Error(got)
	}
	if got := Missing(finding.Ledger{}); got != "" {
		t.Errorf("%q of what nobody knows", got)
	}
}

func TestPage(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for want, p := range map[string]finding.Page{
		"app → collector: 48,000 of 48,000 came":                     {From: "app", To: "collector", Expected: n(48000), Received: 48000, Dropped: n(0)},
		"collector → sink: 38,400 of 48,000 came, 9,600 sampled out": {From: "collector", To: "sink", Expected: n(48000), Received: 38400, Sampled: n(9600)},
		"app → collector: 90 of 100 came, 4 dropped by the tracer, 2 in failed exports by the tracer, 7 refused by collector, 4 lost between app and collector": {
			From: "app", To: "collector", Expected: n(100), Received: 90, Dropped: n(4), Failed: n(2), Refused: n(7), Between: 4, Outcome: finding.HopLost},
		"app → collector: 90 of 100 came, 6 lost at the stop by the tracer, 4 lost between app and collector": {
			From: "app", To: "collector", Expected: n(100), Received: 90, Inside: 6, Between: 4, Outcome: finding.HopLost},
		"edge → tail: 90 of 100 came, 4 dropped by edge, 1 lost inside edge, 5 lost between edge and tail": {
			From: "edge", To: "tail", Expected: n(100), Received: 90, Dropped: n(4), Inside: 1, Between: 5, Outcome: finding.HopLost},
		"collector → sink: 102 of 100 came, 2 more than collector tells of": {From: "collector", To: "sink", Expected: n(100), Received: 102, More: 2},
		"app → (collector) → sink: 90 of 100 came, 10 did not, and whether they were left out on purpose is not known (collector does not say: its page is gone)": {
			From: "app", To: "sink", Past: []string{"collector"}, Expected: n(100), Received: 90, Between: 10, Outcome: finding.HopUnsure, Untold: "its page is gone"},
		"collector → sink: 185 of 3,870 came in 37 traces, all whole, 2,000 sampled out, 1,685 dropped too early by collector in 337 traces": {
			From: "collector", To: "sink", Expected: n(3870), Received: 185, Sampled: n(2000), Early: 1685, EarlyTraces: n(337), Traces: n(37), Partial: n(0)},
		"collector → sink: 13 of 20 came in 3 traces, 1 of them not whole, 5 sampled out, 2 left out of kept traces by collector, 1 trace dropped too early by collector, of spans that are not known": {
			From: "collector", To: "sink", Expected: n(20), Received: 13, Sampled: n(5), Torn: 2, EarlyTraces: n(1), Traces: n(3), Partial: n(1)},
		"app → collector: 7 came; how many were to come is not known": {From: "app", To: "collector", Received: 7, Outcome: finding.HopUnknown},
	} {
		if got := Way(p) + ": " + Hop(p); got != want {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
}
