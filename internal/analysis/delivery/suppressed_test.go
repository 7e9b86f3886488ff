package delivery

import (
	"math"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
)

// What a tracer suppresses by a limit of its own is no loss, but makes it the faster
// unthrottled.
func TestAbsentShare(t *testing.T) {
	for name, test := range map[string]struct {
		lost            float64
		came, held, old int64
		want            float64
	}{
		"nothing":    {0, 1000, 0, 0, 0},
		"lost":       {0.2, 800, 0, 0, 0.2},
		"suppressed": {0, 600, 400, 0, 0.4},
		"both":       {0.5, 250, 500, 0, 0.75},
		"merged":     {0, 500, 200, 300, 0.2},
		"none came":  {1, 0, 500, 0, 1},
	} {
		l := finding.Ledger{LostShare: test.lost, Entries: []finding.Entry{
			{Name: ledger.Suppressed.String(), Spans: test.held}, {Name: ledger.Merged.String(), Spans: test.old}, {Name: ledger.Delivered.String(), Spans: test.came},
		}}
		if got := absentShare(&l); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", name, got, test.want)
		}
	}
}

// What was lost besides is no part of what was to be sent and was not.
func TestSuppressedAndLost(t *testing.T) {
	l := &finding.Ledger{LostShare: 0.5, Entries: []finding.Entry{{Name: "delivered", Spans: 50}, {Name: ledger.Suppressed.String(), Spans: 100}}}
	if got := suppressedShare(l); math.Abs(got-0.5) > 1e-9 {
		t.Errorf("100 of 200 were not sent, 50 of the others lost: %g", got)
	}
	l = &finding.Ledger{LostShare: 1, Entries: []finding.Entry{{Name: ledger.Dropped.String(), Spans: 70}, {Name: ledger.Suppressed.String(), Spans: 30}}}
	if got := suppressedShare(l); math.Abs(got-0.3) > 1e-9 {
		t.Errorf("30 of 100 were not sent, all others lost: %g", got)
	}
}
