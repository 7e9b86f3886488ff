package run

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/hop"
)

// TestBackendSnapshot: what a backend has stored is its page's word, since it last changed; a page that cannot be read, or that
// does not say it, is a failure and never none.
func TestBackendSnapshot(t *testing.T) {
	page := "stored 7\nthrown 2\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) }))
	defer server.Close()
	says := []program.Saying{{What: program.SaysReceived, Metrics: "stored"}, {What: program.SaysDropped, Metrics: "thrown", Absent: program.AbsentNone}}
	long := time.Now().Add(-time.Hour)
	b := &backend{counter: hop.Of("zipkin", says, server.URL, nil), changed: long}
	seen, err := b.snapshot(t.Context())
	if err != nil || seen.Counts.Spans != 5 || seen.Since > time.Minute {
		t.Errorf("%+v, %v, want 5 spans, just now", seen, err)
	}
	b.changed = long
	if seen, err = b.snapshot(t.Context()); err != nil || seen.Counts.Spans != 5 || seen.Since < time.Minute {
		t.Errorf("%+v, %v, want 5 spans as long ago", seen, err)
	}
	for _, one := range []struct {
		page string
		want uint64
	}{{"stored 7\nthrown 4\n", 5}, {"stored 9\nthrown 4\n", 5}, {"stored 10\nthrown 4\n", 6}} {
		page = one.page
		if seen, err = b.snapshot(t.Context()); err != nil || seen.Counts.Spans != one.want {
			t.Errorf("%q after 5: %+v, %v, want %d", page, seen, err, one.want)
		}
	}
	page = "other 7\n"
	if _, err = b.snapshot(t.Context()); err == nil || !strings.Contains(err.Error(), "none of the counters") {
		t.Errorf("of a page without the counter: %v", err)
	}
	server.Close()
	if _, err = b.snapshot(t.Context()); err == nil || !strings.Contains(err.Error(), "backend zipkin") || !errors.As(err, &unseen{}) {
		t.Errorf("of no page: %v", err)
	}
}

// TestLastSightOfABackend: what it still holds back when all others have ended is waited for, however little comes meanwhile.
func TestLastSightOfABackend(t *testing.T) {
	begun, held := time.Now(), 500*time.Millisecond
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := 5
		if time.Since(begun) > held {
			n = 7
		}
		fmt.Fprintf(w, "stored %d\n", n)
	}))
	defer server.Close()
	says := []program.Saying{{What: program.SaysReceived, Metrics: "stored"}}
	plan := &config.Plan{To: "store", Processes: []program.Process{{Name: "store", Service: &program.Service{Delay: held}}}}
	s := &stage{request: Request{Plan: plan}, record: &record.Record{}, exporting: true, receiver: &backend{counter: hop.Of("store", says, server.URL, nil), changed: begun}}
	if seen, err := s.last(t.Context()); err != nil || seen.Counts.Spans != 7 || s.record.Stop.Unquiet {
		t.Errorf("%+v, %v, unquiet %t; want 7 spans", seen, err, s.record.Stop.Unquiet)
	}
}

// Between windows a backend is not asked what it has stored: each look would be charged to it.
func TestNoBackendIsAskedBetweenWindows(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprint(w, "stored 7\n")
	}))
	defer server.Close()
	says := []program.Saying{{What: program.SaysReceived, Metrics: "stored"}}
	s := &stage{
		request: Request{Plan: &config.Plan{To: "store", Delay: time.Millisecond, Sampling: 1}}, exporting: true, turn: turn{newTurns(2), 0},
		receiver: &backend{counter: hop.Of("store", says, server.URL, nil)},
	}
	if err := (&window{stage: s}).awaitSpans(t.Context()); err != nil || asked != 0 {
		t.Errorf("asked %d times, %v", asked, err)
	}
}
