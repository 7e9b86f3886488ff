// Blocks of self-driving programs.

package run_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// A self-driving program has its operations in turn too. What is in use after the window it is asked once, after the last
// part of it: a full collection in the middle would be a part of what is measured.
func TestBlockOfDrivenPrograms(t *testing.T) {
	conductor, a := drivenRequest(t, record.Measured, "tells")
	_, b := drivenRequest(t, record.Measured, "tells")
	a.Name, a.Plan.Variant = strings.Replace(a.Name, "otel", "none", 1), "none"
	for i, turns := range [][]int{{0, 3, 4, 7}, {1, 2, 5, 6}} {
		q := []*run.Request{&a, &b}[i]
		q.Order = config.Windows
		for p := range q.Phases {
			q.Phases[p].Turns, q.Phases[p].Window = turns, q.Phases[p].Load.Duration
		}
	}
	records := blockOf(t, conductor, a, b)
	for i, r := range records {
		for j, depth := range []uint64{2, 5} {
			p := r.Phases[j]
			latency, err := p.Load.Latency.Decode()
			if err != nil || p.Load.Started != 500 || p.Sink.Spans != 500*depth || len(p.Windows) != 4 || latency.TotalCount() != 500 || p.Load.Driven.HeapLive == nil {
				t.Errorf("%s, depth %d: %d operations in %d windows, %d spans, %v", r.Variant, depth, p.Load.Started, len(p.Windows), p.Sink.Spans, err)
			}
		}
		text, err := os.ReadFile(filepath.Join(conductor.Logs, []run.Request{a, b}[i].Name, "app.log"))
		if n := strings.Count(string(text), "ordered: live"); err != nil || n != 2 {
			t.Errorf("%s was asked %d times what is in use after a window, want 2 (%v)", r.Variant, n, err)
		}
	}
}

// At a rate self-driving programs are paired as others are: in turn for the times of calls, then at once, each at moments of its own.
func TestBlockOfPairedPrograms(t *testing.T) {
	conductor, a := drivenRequest(t, record.Measured, "tells")
	_, b := drivenRequest(t, record.Measured, "tells")
	a.Name, a.Plan.Variant = strings.Replace(a.Name, "otel", "none", 1), "none"
	for i, q := range []*run.Request{&a, &b} {
		q.Order, q.Phases = config.Paired, q.Phases[:1]
		p := &q.Phases[0]
		p.AtOnce, p.Turns, p.Window = run.Always, [][]int{{0, 3}, {1, 2}}[i], time.Second/4
		p.Load.Rate, p.Load.Calls, p.Load.Duration, p.Together = 500, 0, time.Second/2, time.Second/2
	}
	records := blockOf(t, conductor, a, b)
	moments := regexp.MustCompile(` moments=\d+`)
	var all []string
	for i, r := range records {
		p := r.Phases[0]
		if p.Timed == nil || len(p.Timed.Windows) != 2 || len(p.Windows) != 0 || p.SliceSeconds != 0 {
			t.Fatalf("%s: timed %+v, %d windows of what all had at once", r.Variant, p.Timed, len(p.Windows))
		}
		if p.Load.Started != 250 || p.Timed.Load.Started != 250 || p.Sink.Spans != 500 || p.WarmupSink.Spans != 2*(p.Warmup.Started+250) || p.Timed.Load.Driven.CallSeconds <= 0 {
			t.Errorf("%s: %d operations at once, %d timed, %d spans, %d spans before: %+v", r.Variant, p.Load.Started, p.Timed.Load.Started, p.Sink.Spans, p.WarmupSink.Spans, p.Timed.Load.Driven)
		}
		text, err := os.ReadFile(filepath.Join(conductor.Logs, []run.Request{a, b}[i].Name, "app.log"))
		own := moments.FindAllString(string(text), -1)
		if err != nil || len(own) < 4 { // the warm-up, two windows, all at once
			t.Errorf("%s: moments %q, %v", r.Variant, own, err)
		}
		all = append(all, own...)
	}
	slices.Sort(all)
	if n := len(slices.Compact(slices.Clone(all))); n != len(all) {
		t.Errorf("of %d seeds of moments %d differ", len(all), n)
	}
}

// As fast as it goes, a program's pieces may be shorter than its tracer holds spans. What the tracer does for them while the other
// run has the load is charged to its own run, all of it, and is seen in the other's pieces. No span is missing.
func TestBlockOfUnthrottledPrograms(t *testing.T) {
	const calls, deferred = 400, 1e-3 // s of each call
	conductor, a := drivenRequest(t, record.Measured, "")
	_, b := drivenRequest(t, record.Measured, "")
	a.Name, a.Plan.Variant = strings.Replace(a.Name, "otel", "none", 1), "none"
	a.Plan.Processes[0].Env = map[string]string{"SLEEPS": "6ms"} // so that a piece lasts for longer than b's tracer waits
	b.Plan.Processes[0].Env = map[string]string{"BURNS": "400", "DEFERS": "1000", "DEFERS_FOR": "1s"}
	for i, q := range []*run.Request{&a, &b} {
		q.Order, q.Plan.Delay, q.Load.Rate = config.Windows, 5*time.Second, 0 // patience, where the machine is busy
		q.Spans = map[string]program.Number{"call, depth 1": {Low: 1, High: 1}}
		q.Phases = q.Phases[:1]
		p := &q.Phases[0]
		p.Load.Rate, p.Load.Calls, p.Load.Depth, p.Parameter = 0, calls, 1, map[string]string{"depth": "1"}
		p.Turns, p.Window = [][]int{{1, 2}, {0, 3}}[i], p.Load.Duration
	}
	records := blockOf(t, conductor, a, b)
	for i, r := range records {
		p, beside := r.Phases[0], 0.0
		if p.Load.Started != calls || p.Sink.Spans != calls || len(p.Windows) != 2 || !p.Quiet {
			t.Errorf("%s: %d operations in %d windows, %d spans, quiet %t", r.Variant, p.Load.Started, len(p.Windows), p.Sink.Spans, p.Quiet)
		}
		for _, w := range p.Windows {
			beside += w.Beside
		}
		late, due := calls/2*deferred, calls*[]float64{0, 400e-6 + deferred}[i]
		t.Logf("%s: %.3f s are charged, and due %.3f s; %.3f s were used while the other had the load, and the other used %.3f s in its pieces", r.Variant, used(p.Usage), due, p.Away.CPUSeconds, beside)
		if charged := used(p.Usage); charged < 0.95*due || charged > due+0.8*late {
			t.Errorf("%s: %.3f s are charged, want %.3f s and what the SDK takes", r.Variant, charged, due)
		}
		if i == 1 && p.Away.CPUSeconds < 0.9*late || i == 0 && beside < 0.9*late {
			t.Errorf("%s: %.3f s were used while the other had the load, and by the other in its pieces %.3f s; want %.3f s", r.Variant, p.Away.CPUSeconds, beside, late)
		}
	}
}

// A disturbed window of unthrottled operations is left out of their times alone: what was used then may be for earlier ones. A
// program makes room for as many operations as it is likely to make in a window, and not for all that it can keep.
func TestUnthrottledProgramsWithADisturbedWindow(t *testing.T) {
	conductor, a := drivenRequest(t, record.Measured, "tells")
	_, b := drivenRequest(t, record.Measured, "tells")
	a.Name, a.Plan.Variant = strings.Replace(a.Name, "otel", "none", 1), "none"
	for i, q := range []*run.Request{&a, &b} {
		q.Order, q.Phases = config.Windows, q.Phases[:1]
		p := &q.Phases[0]
		p.Turns, p.Window = [][]int{{0, 3, 4, 7, 8}, {1, 2, 5, 6, 9}}[i], 20*time.Millisecond
		p.Load.Rate, p.Load.Calls, p.Load.Duration = 0, 0, 100*time.Millisecond
		q.Plan.Processes[0].Env = map[string]string{"SLEEPS": "100us"} // few enough for the tracer's queue
	}
	conductor.Disturb(9)
	records := blockOf(t, conductor, a, b)
	for i, r := range records {
		p := r.Phases[0]
		u := p.Undisturbed
		if u == nil || u.Usage != nil || u.Load.Completed != p.Load.Completed-p.Windows[4].Operations || p.Windows[4].Operations == 0 || p.Sink.Spans != 2*p.Load.Started {
			t.Errorf("%s: %d operations and %d spans in all, %d of them in the disturbed window; left: %+v", r.Variant, p.Load.Completed, p.Sink.Spans, p.Windows[4].Operations, u)
		}
		text, err := os.ReadFile(filepath.Join(conductor.Logs, []run.Request{a, b}[i].Name, "app.log"))
		if n := strings.Count(string(text), "prepare calls=0 "); err != nil || n != 1 { // of the warm-up
			t.Errorf("%s: %d orders say not how many calls they may be (%v):\n%s", r.Variant, n, err, text)
		}
		if n := strings.Count(string(text), " samples="); n != 7 { // the first operation, the end of the warm-up, five windows
			t.Errorf("%s: %d orders keep durations, want 7:\n%s", r.Variant, n, text)
		}
	}
}
