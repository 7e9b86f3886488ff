package ledger

import (
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// stored are runs whose spans went to a backend by way of a hop: so many of 300 came.
func stored(came uint64) []Run {
	n := uint64(300)
	hops := []record.Hop{{Name: "collector", Received: &n, Sent: &n, Sampled: new(uint64), Dropped: new(uint64), Failed: new(uint64)}}
	return []Run{{
		Backend: "zipkin", Hops: hops,
		Phases: []Stretch{{Operation: "json", Started: 100, Completed: 100, Sink: record.Counts{Spans: came}, Hops: hops}},
	}}
}

// TestBackend: the way ends at the backend, and what does not come there was lost on the way to it.
func TestBackend(t *testing.T) {
	for _, came := range []uint64{300, 290} {
		runs := stored(came)
		if got := HopOf(runs); got != "app → zipkin" {
			t.Errorf("the hop is called %s", got)
		}
		l, _ := find(Account("otel", HopOf(runs), []string{"json"}, Confirm(three(1), runs), runs), "json")
		last := l.Pages[len(l.Pages)-1]
		if last.To != "zipkin" || last.From != "collector" || last.Received != int64(came) || last.Between != int64(300-came) || l.Exact || (l.LostShare > 0) != (came < 300) {
			t.Errorf("%d came: %+v", came, l)
		}
	}
	if got := HopOf([]Run{{}}); got != AppToSink {
		t.Errorf("without a backend the hop is called %s", got)
	}
}

// TestBackendAndChance: a backend knows no traces, so that nobody knows which of those that are missing were not sampled.
func TestBackendAndChance(t *testing.T) {
	runs := stored(30)
	l, _ := find(Account("otel", HopOf(runs), []string{"json"}, Confirm(three(0.1), runs), runs), "json")
	if l.LostShare != 0 || l.ByChance || l.Exact || !slices.ContainsFunc(l.Outcome, func(r finding.Reason) bool { return r.Code == finding.PageUnknown }) {
		t.Errorf("%+v", l)
	}
}
