package run_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// pair are two runs of the service, without tracing and with it, that are to be made together: four windows each.
func pair(t *testing.T, pathA, pathB string) (*run.Conductor, run.Request, run.Request) {
	t.Helper()
	conductor, a := request(t, record.Measured, pathA)
	_, b := request(t, record.Measured, pathB)
	a.Name, a.Plan.Variant = strings.Replace(a.Name, "otel", "none", 1), "none"
	for i, turns := range [][]int{{0, 3, 4, 7}, {1, 2, 5, 6}} {
		q := []*run.Request{&a, &b}[i]
		q.Order = config.Windows
		q.Phases = slices.Clone(q.Phases)
		for p := range q.Phases {
			q.Phases[p].Turns, q.Phases[p].Window = turns, q.Phases[p].Load.Duration/4
		}
	}
	return conductor, a, b
}

// blockOf makes runs together, none of which may fail.
func blockOf(t *testing.T, conductor *run.Conductor, requests ...run.Request) []record.Record {
	t.Helper()
	records, err := conductor.Block(t.Context(), requests)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.Failed() {
			t.Fatalf("%s failed at %s: %s %q", r.Variant, r.Failure.Stage, r.Failure.Message, r.Failure.Log)
		}
	}
	return records
}

func TestBlockInWindows(t *testing.T) {
	conductor, a, b := pair(t, "/work", "/work")
	records := blockOf(t, conductor, a, b)
	began := map[int]float64{}
	for i, r := range records {
		if want := []string{"none", "otel"}[i]; r.Variant != want || r.Harness.Order != "windows" {
			t.Errorf("run %d is of %s in the order %q, want %s in windows", i, r.Variant, r.Harness.Order, want)
		}
		phase := r.Phases[0]
		if phase.Load.Completed != 100 || phase.Sink.Spans != 200 || r.Life.Spans != 282 {
			t.Errorf("%s: %d operations, %d spans in the window, %d in all; want 100, 200, 282", r.Variant, phase.Load.Completed, phase.Sink.Spans, r.Life.Spans)
		}
		var operations uint64
		var cpu float64
		for _, w := range phase.Windows {
			operations, cpu, began[w.Place] = operations+w.Operations, cpu+w.CPUSeconds, w.StartSeconds
		}
		if len(phase.Windows) != 4 || operations != 100 || cpu <= 0 {
			t.Errorf("%s: %d windows of %d operations and %g s of CPU in all, want 4 of 100: %+v", r.Variant, len(phase.Windows), operations, cpu, phase.Windows)
		}
		if len(phase.Load.Backlog) == 0 {
			t.Errorf("%s: nothing is told of its backlog", r.Variant)
		}
		if phase.PausedSeconds <= 0 || phase.DrainSeconds <= 0 {
			t.Errorf("%s: paused for %g s, drained for %g s; want both", r.Variant, phase.PausedSeconds, phase.DrainSeconds)
		}
		for _, u := range phase.Usage {
			if u.Role != "load" && u.Role != "sink" && u.CPUSeconds < cpu {
				t.Errorf("%s: %s used %g s of CPU in all, and %g s in its windows", r.Variant, u.Process, u.CPUSeconds, cpu)
			}
		}
	}
	for place := 1; place < 8; place++ {
		if began[place] <= began[place-1] {
			t.Errorf("window %d began %g s after the first, the one before %g s; want one after the other", place, began[place], began[place-1])
		}
	}
}

// Woven runs have their load at the same time, in one window each.
func TestBlockWoven(t *testing.T) {
	conductor, a, b := pair(t, "/work", "/work")
	for _, q := range []*run.Request{&a, &b} {
		q.Order, q.Phases[0].Turns = config.Woven, nil
	}
	records := blockOf(t, conductor, a, b)
	for _, r := range records {
		if phase := r.Phases[0]; phase.Load.Completed != 100 || phase.Sink.Spans != 200 || r.Life.Spans != 282 || len(phase.Windows) != 0 {
			t.Errorf("%s: %d operations, %d spans in the window, %d in all, %d windows; want 100, 200, 282, 0",
				r.Variant, phase.Load.Completed, phase.Sink.Spans, r.Life.Spans, len(phase.Windows))
		} else if phase.SliceSeconds <= 0 {
			t.Errorf("%s: operations came between another program's, want slices", r.Variant)
		}
	}
}

// Paired runs have windows for latency, then their load at the same time: both are accounted for, apart from each other. Without
// room on the CPUs all of it is measured in windows.
func TestBlockPaired(t *testing.T) {
	for name, test := range map[string]struct {
		atOnce run.AtOnce
		path   string
		room   bool
		timed  bool
	}{
		"there is room":         {run.IfRoom, "/work", true, true},
		"it is known":           {run.Always, "/work", true, true},
		"there is no room":      {run.IfRoom, "/burn/3500", false, true},
		"it is known that none": {run.InTurn, "/work", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, a, b := pair(t, test.path, test.path)
			for _, q := range []*run.Request{&a, &b} {
				q.Order, q.Phases[0].AtOnce, q.Phases[0].Together = config.Paired, test.atOnce, 2*q.Phases[0].Load.Duration
				q.Phases[0].Load.Warmup = 100 * time.Millisecond
			}
			records := blockOf(t, conductor, a, b)
			for _, r := range records {
				phase := r.Phases[0]
				if (len(phase.Windows) == 0) != test.room || (phase.Timed != nil) != test.timed {
					t.Fatalf("%s: %d windows of what is measured, timed apart: %t; want room %t, timed %t", r.Variant, len(phase.Windows), phase.Timed != nil, test.room, test.timed)
				}
				if sliced := phase.SliceSeconds > 0; sliced != test.room {
					t.Errorf("%s: the load at once was in slices: %t, want %t", r.Variant, sliced, test.room)
				}
				want := 100
				if test.room {
					want = 200 // at once it is twice as long
				}
				if phase.Load.Completed != uint64(want) {
					t.Errorf("%s: %d operations in the window, want %d", r.Variant, phase.Load.Completed, want)
				}
				if spans := test.path == "/work"; spans && test.timed {
					latency, err := phase.Timed.Load.Latency.Decode()
					if err != nil || phase.Timed.Load.Completed != 100 || latency.TotalCount() != 100 || len(phase.Timed.Windows) != 4 {
						t.Errorf("%s: %d operations are timed in %d windows (%v), want 100 in 4", r.Variant, phase.Timed.Load.Completed, len(phase.Timed.Windows), err)
					}
					if want := 2 * (phase.Warmup.Started + 100); phase.WarmupSink.Spans != want || phase.Sink.Spans != 2*phase.Load.Completed {
						t.Errorf("%s: %d spans came of the warm-up and of what was timed, want %d; %d of the window, want twice its operations", r.Variant, phase.WarmupSink.Spans, want, phase.Sink.Spans)
					}
				}
				if sum := r.Start.Sink.Plus(phase.Came()).Plus(r.Stop.Sink); sum.Spans != r.Life.Spans {
					t.Errorf("%s: %d spans are in the phases, %d came", r.Variant, sum.Spans, r.Life.Spans)
				}
			}
		})
	}
}

// Where each of paired runs has one window, the operations of it are made in slices, at the rate of the window in each.
func TestBlockPairedInSlices(t *testing.T) {
	t.Parallel()
	conductor, a, b := pair(t, "/work", "/work")
	for i, q := range []*run.Request{&a, &b} {
		p := &q.Phases[0]
		q.Order, p.AtOnce, p.Together, p.Turns, p.Window = config.Paired, run.Always, p.Load.Duration, []int{i}, p.Load.Duration
		p.Load.Warmup = 100 * time.Millisecond
	}
	seconds := 2 * a.Phases[0].Load.Duration.Seconds()
	for _, r := range blockOf(t, conductor, a, b) {
		p := r.Phases[0]
		if p.Timed == nil || p.Timed.Seconds != seconds || p.Timed.SliceSeconds <= 0 || len(p.Timed.Windows) != 0 {
			t.Fatalf("%s: timed %+v, want in slices over %g s", r.Variant, p.Timed, seconds)
		}
		latency, err := p.Timed.Load.Latency.Decode()
		if err != nil || p.Timed.Load.Completed != 100 || latency.TotalCount() != 100 || p.Timed.Load.WallSeconds < seconds/2 {
			t.Errorf("%s: %d operations in %g s, %v", r.Variant, p.Timed.Load.Completed, p.Timed.Load.WallSeconds, err)
		}
		if want := 2 * (p.Warmup.Started + 100); p.WarmupSink.Spans != want || p.Sink.Spans != 2*p.Load.Completed {
			t.Errorf("%s: %d spans came of the warm-up and of what was timed, want %d; %d of the window", r.Variant, p.WarmupSink.Spans, want, p.Sink.Spans)
		}
	}
}

// listened is a search that says when it goes on.
type listened struct {
	given
	say func(what string)
}

func (l listened) Next(probes []record.Probe) (record.Probe, bool) {
	l.say("next")
	return l.given.Next(probes)
}

func (l listened) Held(p record.Probe) bool {
	l.say("probed")
	return l.given.Held(p)
}

// Searches take turns by the probe, and none begins before all have been drained after their warm-up: late exports of one
// would be in the first probe of another. Nor does a warm-up before it was read of all what they use idle.
func TestSearchesInTurn(t *testing.T) {
	t.Parallel()
	conductor, a, b := pair(t, "/work", "/work")
	a.Plan.Processes[0].Run[len(a.Plan.Processes[0].Run)-1] = "" // it makes no spans: its drains are short
	b.Plan.Processes[0].Env, b.Plan.Delay = map[string]string{"DELAY": "400ms"}, 400*time.Millisecond
	var mu sync.Mutex
	var order []string
	a.Load.WarmupAll, b.Load.WarmupAll, b.Load.Idle = 100*time.Millisecond, 100*time.Millisecond, 1500*time.Millisecond
	for _, q := range []*run.Request{&a, &b} {
		l := work
		l.Rate, l.Duration = 0, 300*time.Millisecond
		q.Phases = []run.PhaseRequest{{Operation: q.First, Load: l, Search: listened{
			given{goal(config.RateSearch{Goal: config.GoalLossless}), []float64{50, 100}},
			func(what string) {
				mu.Lock()
				defer mu.Unlock()
				order = append(order, q.Plan.Variant+" "+what)
			},
		}}}
	}
	records := blockOf(t, conductor, a, b)
	for _, r := range records {
		if c := r.Phases[0].Capacity; len(c.Probes) != 2 || c.Probes[1].Load.Started != 30 {
			t.Errorf("%s: probes %+v", r.Variant, c.Probes)
		}
		addsUp(t, r)
	}
	mu.Lock()
	defer mu.Unlock()
	var probed []string
	begun := 0
	for _, one := range order {
		switch what := strings.Fields(one); {
		case what[1] == "probed":
			probed = append(probed, what[0])
		case what[0] == "otel":
			begun++
		}
		if len(probed) > 0 && begun < 4 { // it asks three times for its warm-up, and once for its first probe
			t.Errorf("%s had a probe before otel was drained: %q", probed[0], order)
			break
		}
	}
	if len(order) < 3 || slices.Index(order, "otel next") > 1 {
		t.Errorf("none was warmed up before it was read what otel uses idle: %q", order)
	}
	if !slices.Equal(probed, []string{"none", "otel", "none", "otel"}) {
		t.Errorf("probes were made in the order %q", probed)
	}
}

// Where one run fails the others do too, and say because of whom.
func TestBlockWhereOneDies(t *testing.T) {
	t.Parallel()
	conductor, a, b := pair(t, "/work", "/die")
	a.Plan.Secrets = nil // those of the other's are no others' either
	records, err := conductor.Block(t.Context(), []run.Request{a, b})
	if err != nil {
		t.Fatal(err)
	}
	ra, rb := records[0], records[1]
	if !rb.Failed() || rb.Failure.Process != "app" || !strings.Contains(rb.Failure.Message, "9") {
		t.Errorf("the one that died: %+v", rb.Failure)
	}
	if !ra.Failed() || ra.Failure.Stage != record.StageBlock || ra.Failure.Process != "" || !strings.Contains(ra.Failure.Message, "otel") {
		t.Errorf("the other one: %+v", ra.Failure)
	}
	if rb.Failed() && strings.Contains(strings.Join(rb.Failure.Log, " "), "s3cret") || strings.Contains(ra.Failure.Message, "s3cret") {
		t.Error("a secret is in a record")
	}
}

// The other run ends before the processes of the one that failed are gone: it would fail of not finding them.
func TestBlockWhereOneIsGone(t *testing.T) {
	t.Parallel()
	conductor, a, b := pair(t, "/work", "/work")
	b.Plan.Processes[0].Name = "lost"
	conductor.Lose("lost")
	records, err := conductor.Block(t.Context(), []run.Request{a, b})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{record.StageBlock, "window"} {
		if f := records[i].Failure; f == nil || f.Stage != want {
			t.Errorf("run %d: %+v, want a failure of the stage %s", i, f, want)
		}
	}
}

func TestBlockThatDoesNotFit(t *testing.T) {
	t.Parallel()
	conductor, a, b := pair(t, "/work", "/work")
	b.Phases = append(b.Phases, b.Phases[0])
	if _, err := conductor.Block(t.Context(), []run.Request{a, b}); err == nil {
		t.Error("runs of one and of two phases were made together")
	}
	conductor, a, b = pair(t, "/work", "/work")
	b.Phases[0].Turns = []int{1, 2}
	if _, err := conductor.Block(t.Context(), []run.Request{a, b}); err == nil {
		t.Error("runs of four and of two windows were made together")
	}
}

func TestBlockInterrupted(t *testing.T) {
	t.Parallel()
	conductor, a, b := pair(t, "/work", "/work")
	ctx, cancel := context.WithCancelCause(t.Context())
	because := errors.New("enough")
	timer := time.AfterFunc(700*time.Millisecond, func() { cancel(because) })
	defer timer.Stop()
	if records, err := conductor.Block(ctx, []run.Request{a, b}); !errors.Is(err, because) || records != nil {
		t.Errorf("an interrupted block gave %v, %d records", err, len(records))
	}
}

// A disturbed window is left out with that of the other run in its round; spans are counted in all.
func TestBlockWithDisturbedWindows(t *testing.T) {
	t.Parallel()
	conductor, a, b := pair(t, "/work", "/work")
	for i, turns := range [][]int{{0, 3, 4, 7, 8}, {1, 2, 5, 6, 9}} {
		p := &[]*run.Request{&a, &b}[i].Phases[0]
		p.Turns, p.Window = turns, p.Load.Duration/5
	}
	conductor.Disturb(9)
	for _, r := range blockOf(t, conductor, a, b) {
		phase, u := r.Phases[0], r.Phases[0].Undisturbed
		if phase.Load.Completed != 100 || phase.Sink.Spans != 200 || r.Life.Spans != 282 {
			t.Errorf("%s: %d operations, %d spans in the window, %d in all; want 100, 200, 282", r.Variant, phase.Load.Completed, phase.Sink.Spans, r.Life.Spans)
		}
		if u == nil {
			t.Fatalf("%s: none is left out of %+v", r.Variant, phase.Windows)
		}
		if latencies, err := u.Load.Latency.Decode(); err != nil || latencies.TotalCount() != 80 || u.Load.Completed != 80 || u.Sink.Spans != 160 {
			t.Errorf("%s: %d operations are left, %d spans; want 80, 160 (%v)", r.Variant, u.Load.Completed, u.Sink.Spans, err)
		}
		off := func(paused, drain, loaded float64) float64 { return paused + drain + loaded }
		if all, rest := off(phase.PausedSeconds, phase.DrainSeconds, phase.Load.WallSeconds), off(u.PausedSeconds, u.DrainSeconds, u.Load.WallSeconds); math.Abs(rest-u.Usage[0].Seconds) > math.Abs(all-phase.Usage[0].Seconds)+0.2 {
			t.Errorf("%s: %g s of %g s of reading are left out of account, and %g s of %g s of the whole", r.Variant, u.Usage[0].Seconds-rest, u.Usage[0].Seconds, phase.Usage[0].Seconds-all, phase.Usage[0].Seconds)
		}
	}
}

// used is the CPU seconds of all but the harness.
func used(all []record.Usage) float64 {
	sum := 0.0
	for _, u := range all {
		if !u.Role.Harness() {
			sum += u.CPUSeconds
		}
	}
	return sum
}

// A start waits until those of its block before it are calm, which would make it longer; where they never are, it says so.
func TestStartsAreNotBesideStarts(t *testing.T) {
	for name, c := range map[string]struct {
		works string // beside the first program, from its start
		waits time.Duration
		calm  bool
	}{
		"it becomes calm": {`i=0; while [ $i -lt 500000 ]; do i=$((i+1)); done; touch "$1"`, 30 * time.Second, true},
		"it never does":   {`while :; do :; done`, 300 * time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			defer run.SetBesideStart(c.waits)()
			defer run.SetCalmPatience(time.Second, 500*time.Millisecond, 200*time.Millisecond)()
			calm, seen := filepath.Join(t.TempDir(), "calm"), filepath.Join(t.TempDir(), "seen")
			conductor, a, b := pair(t, "/work", "/work")
			first, second := &a.Plan.Processes[0], &b.Plan.Processes[0]
			first.Run = slices.Concat([]string{"sh", "-c", `sh -c '` + c.works + `' x "$0" & exec "$@"`, calm}, first.Run)
			second.Run = slices.Concat([]string{"sh", "-c", `if [ -e "$0" ]; then touch "$1"; fi; shift; exec "$@"`, calm, seen}, second.Run)
			records, err := conductor.Block(t.Context(), []run.Request{a, b})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				if r.Failed() {
					t.Fatalf("%s: %+v", r.Variant, r.Failure)
				}
			}
			if _, err := os.Stat(seen); (err == nil) != c.calm {
				t.Errorf("the second began when the first was calm: %t, want %t", err == nil, c.calm)
			}
			if got := records[1].Start.Beside; slices.Equal(got, []string{"none"}) == c.calm || len(records[0].Start.Beside) > 0 {
				t.Errorf("beside %q", got)
			}
		})
	}
}
