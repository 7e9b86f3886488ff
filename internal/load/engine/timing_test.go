package engine

import (
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tracetax/tracetax/internal/load"
)

func TestTimings(t *testing.T) {
	for header, want := range map[string]map[string]float64{
		"":                            {},
		"db;dur=1.5":                  {"db": 1.5},
		"db;dur=1.5, app;dur=3":       {"db": 1.5, "app": 3},
		" a ; desc=x ; dur = 2 ,b":    {"a": 2},
		`a;desc="x, y;dur=9";dur=4`:   {"a": 4},
		`a;desc="\",b;dur=9";dur="5"`: {"a": 5},
		"a;DUR=1;dur=2":               {"a": 1},
		"a;dur=-1, b;dur=NaN, c;dur=1e3, d;dur=, e;dur=1..2, f;dur=99999999": {},
		"a b;dur=1, ;dur=2, " + strings.Repeat("x", 41) + ";dur=3":           {},
	} {
		got := timings{}
		got.tell([]byte(header))
		if len(got) != len(want) {
			t.Errorf("%q tells of %d entries, want %v", header, len(got), want)
		}
		for name, ms := range want {
			if h := got[name]; h == nil || h.TotalCount() != 1 || math.Abs(h.Mean()-ms*1e6) > ms*1e3 {
				t.Errorf("%q tells of %s not %v ms", header, name, ms)
			}
		}
	}
}

func FuzzTimings(f *testing.F) {
	f.Add([]byte("db;dur=1.5, app;dur=3;desc=\"a, b\""))
	f.Add([]byte(`a;desc="\",;dur=1`))
	f.Fuzz(func(t *testing.T, header []byte) {
		got := timings{}
		got.tell(header)
		if len(got) > mostTimings {
			t.Errorf("%q has made %d histograms", header, len(got))
		}
		if _, err := got.kept(); err != nil {
			t.Error(err)
		}
	})
}

// What a server tells comes to the record: of right answers alone, over all threads.
func TestTimingsOfAServer(t *testing.T) {
	eachEngine(t, func(t *testing.T, g *Generator) {
		var asked atomic.Int64
		addr := httpServer(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Server-Timing", "work;dur=2.5")
			w.Header().Add("Server-Timing", `turn;desc="a, b";dur=7`)
			if asked.Add(1)%4 == 0 {
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
		got := do(t, g, load.Task{Operations: []load.Request{{Address: addr}}, Connections: 4, Threads: 2, Count: 40})
		if got.Completed != 30 || got.Failed != 10 {
			t.Fatalf("%d were right and %d wrong", got.Completed, got.Failed)
		}
		for name, want := range map[string]float64{"work": 2.5, "turn": 7} {
			h, err := got.Timings[name].Decode()
			if err != nil {
				t.Fatal(err)
			}
			if mean := h.Mean() / 1e6; uint64(h.TotalCount()) != got.Completed || math.Abs(mean-want) > 0.01 {
				t.Errorf("of %s there are %d durations of %v ms, want %d of %v", name, h.TotalCount(), mean, got.Completed, want)
			}
		}
	})
}
