package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

func TestStopsAtThePrecision(t *testing.T) {
	runner := blockScript()
	s := newLoop(runner, &kept{})
	kinds["precision"](s)
	asked := 0
	precise := s.Precise
	s.Precise = func(history []record.Record) (bool, error) { asked++; return precise(history) }
	var events []Event
	s.Observe = func(e Event) { events = append(events, e) }
	history, err := s.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(history) != 1+4*2 {
		t.Errorf("%d runs, want a calibration and 4 blocks", len(history))
	}
	if first := events[0]; !first.Open || first.Total != 1+6*2 {
		t.Errorf("first event: open %t, %d in all; want at most 13", first.Open, first.Total)
	}
	if last := events[len(events)-1]; last.Open || last.Done != 9 || last.Total != 9 || last.Left != 0 {
		t.Errorf("last event %+v", last)
	}
	if asked != 3 {
		t.Errorf("the precision was worked out %d times, want once after each of the blocks 2, 3 and 4", asked)
	}
}

// An error in working out the precision ends the experiment and is told.
func TestPrecisionFails(t *testing.T) {
	runner := blockScript()
	s := newLoop(runner, &kept{})
	kinds["precision"](s)
	broken := errors.New("a record cannot be read")
	s.Precise = func([]record.Record) (bool, error) { return true, broken }
	if history, err := s.Run(context.Background(), nil); !errors.Is(err, broken) || len(history) != 5 {
		t.Errorf("%v after %d runs, want the error after 5", err, len(history))
	}
}

// So does one in looking for blocks that were spoiled, which is done once all that were planned have been made.
func TestSpoiledFails(t *testing.T) {
	runner := blockScript()
	s := newLoop(runner, &kept{})
	broken := errors.New("a record cannot be read")
	s.Spoiled = func([]record.Record) (int, error) { return 0, broken }
	planned := 1 + 2*s.Experiment.Design.Blocks
	if history, err := s.Run(context.Background(), nil); !errors.Is(err, broken) || len(history) != planned {
		t.Errorf("%v after %d runs, want the error after %d", err, len(history), planned)
	}
}

func TestBlocksTogether(t *testing.T) {
	runner := blockScript()
	keeper := &kept{}
	s := newLoop(runner, keeper)
	s.Experiment.Design.Order = config.Windows
	begun, ended := 0, map[string]int{}
	var last Event
	s.Observe = func(e Event) {
		last = e
		if e.Begun {
			begun++
		} else {
			ended[e.Next.Variant+"="+e.Record.Variant]++
		}
	}
	if _, err := s.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if begun != 1+3 || ended["none=none"] != 3 || ended["otel=otel"] != 4 || len(ended) != 2 || last.Done != 7 || last.Total != 7 {
		t.Errorf("%d begun, ended %v, last %d of %d", begun, ended, last.Done, last.Total)
	}
	for i := 1; i < len(keeper.records); i += 2 {
		a, b := keeper.records[i], keeper.records[i+1]
		if a.Block != b.Block || a.Attempt != b.Attempt || !slices.Equal(a.Harness.With, []string{b.Variant}) || !slices.Equal(b.Harness.With, []string{a.Variant}) || a.Position != 0 || b.Position != 1 {
			t.Errorf("pair %+v\n%+v", a, b)
		}
	}
}

// The runs of a block take their time together: none of it is waited for twice.
func TestTimeLeftOfBlocks(t *testing.T) {
	for order, want := range map[config.Order]time.Duration{config.Windows: time.Minute, config.Apart: 2 * time.Minute} {
		runner := blockScript()
		runner.change = func(_ run.Request, r *record.Record) { r.Ended = r.Started.Add(time.Minute) }
		s := newLoop(runner, &kept{})
		s.Experiment.Design.Order = order
		left := map[int]time.Duration{}
		s.Observe = func(e Event) {
			if !e.Begun {
				left[e.Next.Block] = e.Left
			}
		}
		if _, err := s.Run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		if left[2] != want || left[3] != 0 {
			t.Errorf("%s: %v left after two of three blocks of a minute a run, want %v: %v", order, left[2], want, left)
		}
	}
}

// A window has its operations at the rate that a sweep asks for, whatever the operation's own is.
func TestWindowsOfASweep(t *testing.T) {
	runner := blockScript()
	s := newLoop(runner, &kept{})
	s.Experiment.Design.Order = config.Windows
	s.Experiment.Load = config.Load{Duration: 10 * time.Second, Rates: []float64{10, 1000}}
	for i := range s.Variants {
		for o := range s.Variants[i].Plan.Operations {
			s.Variants[i].Plan.Operations[o].Rate = 500
		}
		s.Experiment.Operations[i].Rate = 500
	}
	if _, err := s.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, q := range runner.seen {
		for _, p := range q.Phases {
			if q.Kind != record.Measured {
				continue
			}
			looked++
			if n := p.Window.Seconds() * p.Load.Rate; n < 20-1e-6 || len(p.Turns) < 2 {
				t.Errorf("%s: %d windows of %v at %g/s: %g operations in each, want 20", q.Name, len(p.Turns), p.Window, p.Load.Rate, n)
			}
		}
	}
	foreseen, err := Foresee(&config.Experiment{
		Operations: []program.Operation{{Name: "a", Rate: 500}}, Load: s.Experiment.Load, Design: s.Experiment.Design,
		Workload: &program.Workload{Name: "w"}, Variants: []config.Variant{{Name: "x", Tracer: &program.Tracer{Name: "none"}}},
	})
	if err != nil || looked == 0 {
		t.Fatal(err, looked)
	}
	if w := foreseen.Windows; len(w) != 2 || w[0].Length < 2*time.Second || w[1].Length >= time.Second {
		t.Errorf("foreseen are %+v", w)
	}
}

// Where nobody says for how long a tracer holds spans, windows are twice as long as the calibrations saw.
func TestWindowsOfWhatWasSeen(t *testing.T) {
	runner := blockScript()
	runner.drained = 5*time.Second + 400*time.Millisecond + 500*time.Millisecond // the last span came 500 ms after its operation
	s := newLoop(runner, &kept{})
	s.Experiment.Design.Order = config.Windows
	s.Experiment.Load = config.Load{Duration: 10 * time.Second, Rate: 1000}
	s.Variants[1].Plan.MayDelay = 5 * time.Second
	if _, err := s.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, q := range runner.seen {
		for _, p := range q.Phases {
			if q.Kind == record.Measured {
				looked++
				if p.Window != time.Second || len(p.Turns) != 10 {
					t.Errorf("%s: %d windows of %v, want 10 of 1 s", q.Name, len(p.Turns), p.Window)
				}
			}
		}
	}
	if looked == 0 {
		t.Error("nothing was measured")
	}
}

// If a run of a block failed the others have no use: all are made once more.
func TestBlockFails(t *testing.T) {
	runner := blockScript()
	runner.fail = func(name string) bool { return name == "002-otel-1" }
	keeper := &kept{}
	s := newLoop(runner, keeper)
	s.Experiment.Design.Order = config.Windows
	if _, err := s.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	var failures, good []string
	for _, r := range keeper.records {
		if name := fmt.Sprintf("%d %s %d", r.Block, r.Variant, r.Attempt); r.Failed() {
			failures = append(failures, name+" "+r.Failure.Stage)
		} else if r.Block == 2 {
			good = append(good, name)
		}
	}
	slices.Sort(failures)
	slices.Sort(good)
	if !slices.Equal(failures, []string{"2 none 1 block", "2 otel 1 start"}) || !slices.Equal(good, []string{"2 none 2", "2 otel 2"}) {
		t.Errorf("failures %q, good %q", failures, good)
	}

	// The reason that is told is that of the variant that failed itself.
	runner = blockScript()
	runner.fail = func(name string) bool {
		return strings.Contains(name, "-otel-") && !strings.HasPrefix(name, "calibration")
	}
	s = newLoop(runner, &kept{})
	s.Experiment.Design.Order = config.Windows
	if _, err := s.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "otel: start: it broke") {
		t.Errorf("error %v, want it to tell why otel failed", err)
	}
}

// What a loop has not got is said before anything is run.
func TestAble(t *testing.T) {
	alone := &script{}
	s := newLoop(alone, &kept{})
	s.Experiment.Design.Order = config.Windows
	if _, err := s.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "runs cannot live side by side here") || len(alone.made) > 0 {
		t.Errorf("a duet with a runner that makes one run at a time: %v", err)
	}
	s = newLoop(alone, &kept{})
	s.Experiment.Design.Most = 9
	if _, err := s.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "nothing here judges") || len(alone.made) > 0 {
		t.Errorf("a precision that nobody judges: %v", err)
	}
}

// What is foreseen is what is run.
func TestForesee(t *testing.T) {
	for name, change := range map[string]func(*config.Experiment){
		"blocks": func(*config.Experiment) {},
		"levels": func(e *config.Experiment) { e.Load.Levels = []int{1, 2} },
		"relative, open": func(e *config.Experiment) {
			e.Load.Relative = &config.Relative{Share: 0.5}
			e.Design.Most = 6
		},
		"windows": func(e *config.Experiment) { e.Design.Order = config.Windows },
		"woven":   func(e *config.Experiment) { e.Design.Order = config.Woven },
	} {
		t.Run(name, func(t *testing.T) { foresee(t, change) })
	}
}

// More windows take longer: each of a variant that exports ends with its spans.
func TestLengthOfWindows(t *testing.T) {
	lengthOf := func(window time.Duration, load config.Load) time.Duration {
		load.Duration, load.Rate = 10*time.Second, 100
		s, err := Foresee(&config.Experiment{
			Workload:   &program.Workload{Name: "w", Processes: []program.Process{{Name: "app", Role: "app", Traced: true, Run: []string{"app", "{port}", "{sink.otlp.grpc}"}}}},
			Operations: []program.Operation{{Name: "a"}, {Name: "b"}},
			Variants:   []config.Variant{{Name: "x", Tracer: &program.Tracer{Name: "own"}}, {Name: "y", Tracer: &program.Tracer{Name: "own"}}},
			Load:       load, Design: config.Design{Blocks: 3, Order: config.Windows, Window: window},
		})
		if err != nil {
			t.Fatal(err)
		}
		return s.Length
	}
	between := run.Between(&config.Plan{Sampling: 1, MayDelay: 5 * time.Second, Processes: []program.Process{{Run: []string{"{sink.otlp.grpc}"}}}}, config.Load{Rate: 100}, 1)
	if got, want := lengthOf(time.Second, config.Load{})-lengthOf(5*time.Second, config.Load{}), 3*2*2*(10-2)*between; got != want || want <= 0 {
		t.Errorf("ten windows of two variants on two operations take %v longer than two over three blocks, want %v", got, want)
	}
	search := config.Load{Capacity: &config.RateSearch{Goal: config.GoalCPU}}
	if got := lengthOf(time.Second, search) - lengthOf(5*time.Second, search); got != 0 {
		t.Errorf("a search, which has no windows, takes %v longer", got)
	}
}

// Variants that have their load at once are warmed up at once, but for the first block, where nobody knows whether they have room.
func TestLengthOfAWarmupAtOnce(t *testing.T) {
	lengthOf := func(warmup time.Duration) time.Duration {
		s, err := Foresee(&config.Experiment{
			Workload:   &program.Workload{Name: "w", Processes: []program.Process{{Name: "app", Role: "app", Traced: true, Run: []string{"app", "{port}"}}}},
			Operations: []program.Operation{{Name: "a"}},
			Variants:   []config.Variant{{Name: "x", Tracer: &program.Tracer{Name: "none"}}, {Name: "y", Tracer: &program.Tracer{Name: "none"}}, {Name: "z", Tracer: &program.Tracer{Name: "none"}}},
			Load:       config.Load{Rate: 50, Duration: time.Second, Warmup: warmup}, Design: config.Design{Blocks: 4, Order: config.Paired},
		})
		if err != nil {
			t.Fatal(err)
		}
		return s.Length
	}
	if got, want := lengthOf(3*time.Second)-lengthOf(0), (3+3)*3*time.Second; got != want {
		t.Errorf("3 s of warm-up take %v, want %v", got, want)
	}
}

func foresee(t *testing.T, change func(*config.Experiment)) {
	e := &config.Experiment{
		Workload:   &program.Workload{Name: "w", Processes: []program.Process{{Name: "app", Role: "app", Traced: true, Run: []string{"app", "{port}"}}}},
		Operations: []program.Operation{{Name: "a"}},
		Variants:   []config.Variant{{Name: "x", Tracer: &program.Tracer{Name: "none"}}, {Name: "y", Tracer: &program.Tracer{Name: "none"}, Env: map[string]string{"TO": "{sink.otlp.grpc}"}}},
		Load:       config.Load{Duration: 10 * time.Second},
		Design:     config.Design{Blocks: 4, Seed: 3},
	}
	change(e)
	s, err := Foresee(e)
	if err != nil {
		t.Fatal(err)
	}
	most := max(4, e.Design.Most)
	shortest := 80 * time.Second
	if e.Design.Order == config.Woven {
		shortest /= 2
	}
	if len(s.Blocks) != most || s.Least != 4 || s.Shortest < shortest || s.Length < s.Shortest || s.Phases != max(1, len(e.Load.Levels)) {
		t.Errorf("%+v", s)
	}
	if e.Design.Order == config.Woven {
		apart := *e
		apart.Design.Order = config.Apart
		if other, err := Foresee(&apart); err != nil || s.Length >= other.Length {
			t.Errorf("woven runs take %s, one after the other %s (%v)", s.Length, other.Length, err)
		}
	}
	if (s.Length == s.Shortest) != (most == 4) {
		t.Errorf("from %s to %s", s.Shortest, s.Length)
	}
	runner := blockScript()
	loop := &Loop{Experiment: e, Runner: runner, Keeper: &kept{}, Precise: after(99)}
	for _, v := range e.Variants {
		plan, err := e.Plan(v)
		if err != nil {
			t.Fatal(err)
		}
		loop.Variants = append(loop.Variants, Prepared{Variant: v, Plan: plan, Calibration: plan})
	}
	if _, err := loop.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, v := range s.Calibrated {
		want = append(want, "calibration-"+v+"-1")
	}
	for _, v := range s.Piloted {
		want = append(want, "pilot-"+v+"-1")
	}
	for i, order := range s.Blocks {
		for _, variant := range order {
			want = append(want, fmt.Sprintf("%03d-%s-1", i+1, variant))
		}
	}
	if !slices.Equal(runner.made, want) {
		t.Errorf("runs %v, foreseen %v", runner.made, want)
	}
}
