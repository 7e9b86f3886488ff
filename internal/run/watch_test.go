package run_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// A warm-up that is watched is made slice by slice, and every operation and span of it is
// in the account of the phase.
func TestWatchedWarmup(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Pilot, "/work")
	q.Phases[0].Watched = 1500 * time.Millisecond
	r := made(t, conductor, q)
	p := r.Phases[0]
	if len(p.Progress) != 3 || p.Warmup.Completed != 300 || p.WarmupSink.Spans != 600 || p.Load.Started != 0 || !p.Quiet || p.OfferedRate != 200 {
		t.Fatalf("%d slices, %d operations, %d spans, %+v", len(p.Progress), p.Warmup.Completed, p.WarmupSink.Spans, p)
	}
	for _, s := range p.Progress {
		if s.AskedSeconds != 0.5 || s.Operations != 100 || s.CPUSeconds <= 0 || s.TimeSeconds != 0 || s.WallSeconds <= 0 {
			t.Errorf("%+v", s)
		}
	}
	if r.Life.Spans != 602 || len(r.Start.Idle) != 0 {
		t.Errorf("%d spans in all, idle %v", r.Life.Spans, r.Start.Idle)
	}
}

// In a closed loop the slices differ in how many operations they hold, which tells how
// long one takes.
func TestWatchedClosedLoop(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Pilot, "/work")
	q.Phases[0].Load.Rate, q.Phases[0].Load.Connections, q.Phases[0].Watched = 0, 2, time.Second
	p := made(t, conductor, q).Phases[0]
	var operations uint64
	for _, s := range p.Progress {
		operations += s.Operations
		if s.TimeSeconds != 2*s.WallSeconds {
			t.Errorf("%+v", s)
		}
	}
	if len(p.Progress) != 2 || operations == 0 || operations != p.Warmup.Completed || p.Connections != 2 || p.OfferedRate != 0 {
		t.Errorf("%d slices, %d operations, %d in all, %d connections", len(p.Progress), operations, p.Warmup.Completed, p.Connections)
	}
}

// A self-driving workload is given an order a slice, and its number of calls,
// which is the window's, does not end it.
func TestWatchedDriven(t *testing.T) {
	t.Parallel()
	conductor, q := drivenRequest(t, record.Pilot, "")
	q.Phases = q.Phases[:1]
	q.Phases[0].Watched = time.Second
	p := made(t, conductor, q).Phases[0]
	if len(p.Progress) != 2 || p.Warmup.Completed != 2000 || p.WarmupSink.Spans != 4000 || p.Parameter["depth"] != "2" {
		t.Fatalf("%d slices, %d operations, %d spans, %v", len(p.Progress), p.Warmup.Completed, p.WarmupSink.Spans, p.Parameter)
	}
	for _, s := range p.Progress {
		if s.Operations != 1000 || s.TimeSeconds <= 0 || s.CPUSeconds <= 0 {
			t.Errorf("%+v", s)
		}
	}
}

func TestWatchedWarmupFails(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Pilot, "/nothing-there")
	q.First.URL = "/work"
	q.Phases[0].Watched = time.Second
	r, err := conductor.Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Failed() || r.Failure.Stage != "warm-up" || !strings.Contains(r.Failure.Message, "status 404") {
		t.Errorf("failure %+v", r.Failure)
	}
}
