package dataset

import (
	"math"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// served is a window at a constant rate; latency gives that of the i-th operation
// of n, in seconds.
func served(t *testing.T, seconds, rate float64, latency func(i, n int) float64) *Phase {
	t.Helper()
	n := int(seconds * rate)
	h := record.NewHistogram()
	wall := 0.0
	for i := range n {
		l := latency(i, n)
		if err := h.RecordValue(int64(l * 1e9)); err != nil {
			t.Fatal(err)
		}
		wall = math.Max(wall, float64(i)/rate+l)
	}
	encoded, err := record.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	d, err := distributionOf(encoded, 0)
	if err != nil {
		t.Fatal(err)
	}
	return &Phase{Latency: d, Phase: &record.Phase{OfferedRate: rate, Load: record.Load{
		WallSeconds: wall, Intended: uint64(n), Started: uint64(n), Completed: uint64(n), Latency: encoded,
	}}}
}

// A phase is judged as package pace judges its offer: a backlog counts, a service
// that is slow from the start does not, nor does a closed loop or a search.
func TestOverloadIsABacklog(t *testing.T) {
	s := &Set{Experiment: &config.Experiment{}}
	slow := served(t, 5, 20, func(int, int) float64 { return 0.6 })
	backlog := served(t, 5, 200, func(i, _ int) float64 { return 0.001 + float64(i)*0.005 })
	for p, want := range map[*Phase]bool{slow: true, backlog: false} {
		if held, asked := s.Held(p); !asked || held != want {
			t.Errorf("held: %v, wall %.3f s; want held %v", held, p.Load.WallSeconds, want)
		}
	}
	backlog.Capacity = &record.Search{}
	if _, asked := s.Held(backlog); asked {
		t.Error("a search chooses its rates itself")
	}
	backlog.Capacity, backlog.OfferedRate = nil, 0
	if _, asked := s.Held(backlog); asked {
		t.Error("a closed loop is offered no rate")
	}
}

// In each of many windows the last operations of a slow service end after it, which is no backlog.
func TestSlowInWindows(t *testing.T) {
	s := &Set{Experiment: &config.Experiment{}}
	const windows, piece, rate, slow = 50, 0.1, 200, 0.15
	p := served(t, windows*piece, rate, func(int, int) float64 { return slow })
	p.Windows = make([]record.Window, windows)
	p.Load.WallSeconds = windows * (piece - 1.0/rate + slow)
	if offer := s.Offers(p)[0]; !offer.Held() {
		t.Errorf("%.3f of the rate is said to be held, %.3f s late", offer.Share(), offer.Lateness())
	}
}

// Windows that are left out were not asked for: the time for them is none that others may take.
func TestOverloadBesideWindowsThatAreLeftOut(t *testing.T) {
	const windows, piece, rate = 10, 0.5, 200.0
	late := func(kept int) record.Load { // each takes a tenth longer
		h := record.NewHistogram()
		for i := range 100 * kept {
			_ = h.RecordValue(int64(1e6 + float64(i%100)*0.5e6)) // it fits
		}
		encoded, err := record.EncodeHistogram(h)
		if err != nil {
			t.Fatal(err)
		}
		n := uint64(kept) * uint64(rate*piece)
		l := record.Load{WallSeconds: float64(kept) * piece * 1.1, Intended: n, Started: n, Completed: n, Latency: encoded}
		for i := range uint64(10) {
			l.Backlog = append(l.Backlog, uint64(kept)*(i+1))
		}
		return l
	}
	parts := make([]record.Window, windows)
	parts[2].Disturbed, parts[7].Disturbed = true, true
	whole, rest := late(windows), late(windows-2)
	for name, p := range map[string]*record.Phase{
		"of what is measured": {OfferedRate: rate, Load: whole, Windows: parts, Undisturbed: &record.Undisturbed{Load: rest, Usage: make([]record.Usage, 1)}},
		"of what is timed":    {OfferedRate: rate, Load: whole, Timed: &record.Timed{Load: whole, Windows: parts, Undisturbed: &rest}},
	} {
		s := &Set{Experiment: &config.Experiment{Load: config.Load{Duration: windows * piece * time.Second}}}
		r := newRun(&record.Record{Phases: []record.Phase{*p}})
		if err := r.readHistograms(); err != nil {
			t.Fatal(err)
		}
		for _, one := range r.ByCell {
			offers := s.Offers(one)
			offer := offers[len(offers)-1]
			if offer.Windows != windows-2 || math.Abs(offer.Seconds-8*piece) > 1e-9 || math.Abs(offer.Share()-1/1.1) > 0.02 {
				t.Errorf("%s: %d windows of %.3g s in all, a share of %.3f; want 8 of 4 s, 0.909", name, offer.Windows, offer.Seconds, offer.Share())
			}
		}
	}
}

// What is timed apart has to hold the rate as well as what all had at once.
func TestBothPartsHoldTheRate(t *testing.T) {
	s := &Set{Experiment: &config.Experiment{}}
	good := func(int, int) float64 { return 0.001 }
	bad := func(i, _ int) float64 { return 0.001 + float64(i)*0.005 }
	for _, c := range []struct {
		atOnce, timed func(int, int) float64
		want          bool
	}{{good, good, true}, {bad, good, false}, {good, bad, false}} {
		p, timed := served(t, 5, 200, c.atOnce), served(t, 5, 200, c.timed)
		p.queued, p.Latency = p.Latency, timed.Latency
		p.Timed = &record.Timed{Load: timed.Load}
		if held, asked := s.Held(p); !asked || held != c.want {
			t.Errorf("held: %t, want %t", held, c.want)
		}
	}
}

func TestTimeOutsAreOverload(t *testing.T) {
	s := &Set{Experiment: &config.Experiment{}}
	p := served(t, 10, 100, func(int, int) float64 { return 0.001 })
	for timedOut, want := range map[uint64]bool{0: true, 10: true, 11: false} {
		p.Load.TimedOut, p.Load.Completed = timedOut, p.Load.Intended-timedOut
		if held, _ := s.Held(p); held != want {
			t.Errorf("%d of %d timed out: holds %v", timedOut, p.Load.Intended, !want)
		}
	}
}
