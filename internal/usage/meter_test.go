package usage_test

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/usage"
)

var _ usage.Target = (*process.Process)(nil)

// each runs a test in every way of accounting that this machine has.
func each(t *testing.T, test func(t *testing.T, l *process.Launcher)) {
	for _, accounting := range []string{process.AccountingV1, process.AccountingV2, process.AccountingClock} {
		t.Run(strings.ReplaceAll(accounting, " ", "-"), func(t *testing.T) {
			l, err := process.NewLauncher(process.Options{Name: "usage", LogDir: t.TempDir(), Accounting: accounting})
			if err != nil {
				t.Skipf("not to be had here: %v", err)
			}
			defer func() {
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			}()
			test(t, l)
		})
	}
}

// program is a started test program with its answers.
type program struct {
	*process.Process
	answers *bufio.Scanner
}

func start(t *testing.T, l *process.Launcher, c process.Command, name string) program {
	t.Helper()
	c.Name, c.Role, c.Piped = name, "app", true
	c.Args = []string{os.Args[0]}
	c.Env = append(os.Environ(), "TEST_PROGRAM="+name)
	p, err := l.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return program{p, bufio.NewScanner(p.Stdout())}
}

// do has the program do something once, and returns its answer.
func (p program) do(t *testing.T, n int) int64 {
	t.Helper()
	if _, err := fmt.Fprintln(p.Stdin(), n); err != nil {
		t.Fatal(err)
	}
	if !p.answers.Scan() {
		t.Fatalf("%s gave no answer: %v", p.Name(), p.Log().Tail(10))
	}
	answer, err := strconv.ParseInt(p.answers.Text(), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// measure has the program do something between two marks.
func measure(t *testing.T, p program, n int) (answer int64, used record.Usage) {
	t.Helper()
	m := usage.NewMeter([]usage.Target{p})
	a, err := m.Mark()
	if err != nil {
		t.Fatal(err)
	}
	answer = p.do(t, n)
	b, err := m.Mark()
	if err != nil {
		t.Fatal(err)
	}
	return answer, m.Log().Between(a, b)[0]
}

// TestCPU compares what is charged with what the program says of itself.
func TestCPU(t *testing.T) {
	const own = 4 * time.Millisecond       // the program's runtime between its own readings and ours, at most
	const tick = 20 * time.Millisecond     // dead children without cgroups: a tick of user and one of system time
	const teardown = 15 * time.Millisecond // processes end after they have read their own clocks
	tests := []struct {
		program      string
		n            int
		group, clock time.Duration // tolerance
	}{
		{"burn", 150, own, own},
		{"threads", 150, own, own},
		{"parent", 10, own, own + tick},
		{"grandparent", 10, own, own + tick},
		{"orphans", 6, own + teardown, own + teardown + tick},
	}
	each(t, func(t *testing.T, l *process.Launcher) {
		for _, test := range tests {
			t.Run(test.program, func(t *testing.T) {
				p := start(t, l, process.Command{}, test.program)
				p.do(t, 1) // its runtime is warm, and the window has a past
				want, got := measure(t, p, test.n)
				tolerance := test.group
				if l.Accounting() == process.AccountingClock {
					tolerance = test.clock
				}
				off := time.Duration(got.CPUSeconds*1e9) - time.Duration(want)
				t.Logf("%v by its own account, charged %v more; system %.3f s", time.Duration(want), off, got.SystemSeconds)
				if off.Abs() > tolerance {
					t.Errorf("it used %v by its own account, and is charged %.6f s: off by %v", time.Duration(want), got.CPUSeconds, off)
				}
				if got.Source != l.Accounting() || got.Process != test.program || got.Role != "app" || got.Seconds <= 0 {
					t.Errorf("usage %+v", got)
				}
				if got.SystemSeconds > got.CPUSeconds+0.02 {
					t.Errorf("system %g s of %g s", got.SystemSeconds, got.CPUSeconds)
				}
			})
		}
	})
}

// stalled is a program whose log was not read for a while.
type stalled struct {
	program
	full *time.Duration
}

func (s stalled) LogFull() time.Duration { return *s.full }

// The time for which a program waited for its log is that of the stretch alone.
func TestFullLog(t *testing.T) {
	each(t, func(t *testing.T, l *process.Launcher) {
		full := 70 * time.Millisecond
		m := usage.NewMeter([]usage.Target{stalled{start(t, l, process.Command{}, "burn"), &full}})
		a, err := m.Mark()
		if err != nil {
			t.Fatal(err)
		}
		full += 30 * time.Millisecond
		b, err := m.Mark()
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Log().Between(a, b)[0].LogFullSeconds; math.Abs(got-0.03) > 1e-9 {
			t.Errorf("full for %g s, want 0.03", got)
		}
	})
}

// TestProcessEnds takes the second mark when the process is gone.
func TestProcessEnds(t *testing.T) {
	each(t, func(t *testing.T, l *process.Launcher) {
		p := start(t, l, process.Command{}, "burn")
		m := usage.NewMeter([]usage.Target{p})
		a, err := m.Mark()
		if err != nil {
			t.Fatal(err)
		}
		want := time.Duration(p.do(t, 100))
		if _, err := p.Stop(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		b, err := m.Mark()
		if err != nil {
			t.Fatal(err)
		}
		// It started and ended within the window too.
		got := time.Duration(m.Log().Between(a, b)[0].CPUSeconds * 1e9)
		if got < want || got > want+200*time.Millisecond {
			t.Errorf("it used %v and is charged %v", want, got)
		}
	})
}

func TestMemory(t *testing.T) {
	const megabytes = 50
	each(t, func(t *testing.T, l *process.Launcher) {
		for _, program := range []string{"hold", "share"} {
			p := start(t, l, process.Command{}, program)
			p.do(t, 1)
			before := sampled(t, p)
			p.do(t, megabytes)
			after := sampled(t, p)
			for name, grown := range map[string]float64{
				"mean": float64(after.MemoryMean) - float64(before.MemoryMean),
				"peak": float64(after.MemoryPeak) - float64(before.MemoryPeak),
			} {
				if off := math.Abs(grown/(1<<20) - megabytes); off > 3 {
					t.Errorf("%s: %s grew by %.1f MiB, want %d", program, name, grown/(1<<20), megabytes)
				}
			}
		}
	})
}

// What is told of a stretch rests on what was seen in it, however short it was.
func TestMemoryOfAShortStretch(t *testing.T) {
	const megabytes = 50
	each(t, func(t *testing.T, l *process.Launcher) {
		p := start(t, l, process.Command{}, "hold")
		p.do(t, 1)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		m := usage.NewMeter([]usage.Target{p})
		if err := m.Start(ctx); err != nil {
			t.Fatal(err)
		}
		from := time.Now()
		p.do(t, megabytes)
		if err := m.Sample(); err != nil {
			t.Fatal(err)
		}
		held := m.Log().Held(readings.Stretch{From: from, To: time.Now()})[0]
		if held.Mean == 0 || held.Peak < megabytes<<20 || held.Process != "hold" || held.Role != "app" {
			t.Errorf("%+v, want a peak over %d MiB", held, megabytes)
		}
		cancel()
		m.Wait()
	})
}

// sampled returns the usage over a window with a few samples of memory.
func sampled(t *testing.T, p program) record.Usage {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := usage.NewMeter([]usage.Target{p})
	a, err := m.Mark()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Start(ctx); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond) // time is what is sampled over
	b, err := m.Mark()
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	m.Wait()
	return m.Log().Between(a, b)[0]
}

func TestContextSwitches(t *testing.T) {
	const sleeps = 300
	each(t, func(t *testing.T, l *process.Launcher) {
		p := start(t, l, process.Command{}, "sleep")
		p.do(t, 1)
		if _, got := measure(t, p, sleeps); got.ContextSwitches < sleeps || got.ContextSwitches > 20*sleeps {
			t.Errorf("%d context switches, and it slept %d times", got.ContextSwitches, sleeps)
		} else if got.Involuntary > got.ContextSwitches-sleeps {
			t.Errorf("of %d context switches %d are said to be involuntary, and it slept %d times", got.ContextSwitches, got.Involuntary, sleeps)
		}
	})
}

func TestThrottling(t *testing.T) {
	each(t, func(t *testing.T, l *process.Launcher) {
		p := start(t, l, process.Command{Quota: 0.2}, "burn")
		if len(p.Unmet()) > 0 {
			t.Skipf("%v", p.Unmet())
		}
		_, got := measure(t, p, 150)
		if got.ThrottleSeconds <= 0 {
			t.Errorf("it was not throttled: %+v", got)
		}
		free := start(t, l, process.Command{}, "threads")
		if _, got := measure(t, free, 10); got.ThrottleSeconds != 0 {
			t.Errorf("without a quota it was throttled for %g s", got.ThrottleSeconds)
		}
	})
}

// burning is a program that burns when it is asked to, and is read by its clocks. It ends with the test.
func burning(t *testing.T) program {
	t.Helper()
	l, err := process.NewLauncher(process.Options{Name: "burning", LogDir: t.TempDir(), Accounting: process.AccountingClock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return start(t, l, process.Command{}, "burn")
}

// The busiest thread is one of the program that burns, with no more than was
// burnt; the runtime may spread that over a few threads.
func TestHottest(t *testing.T) {
	p := burning(t)
	m := usage.NewMeter([]usage.Target{p})
	before, err := m.Threads(role.Role.OnApp)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	burnt := float64(p.do(t, 400)) * 1e-9
	after, err := m.Threads(role.Role.OnApp)
	if err != nil {
		t.Fatal(err)
	}
	elapsed := time.Since(begun).Seconds()
	name, share := m.Log().Hottest(before, after)
	if name != "burn" || share > burnt/elapsed*1.2+0.05 || share < burnt/elapsed/4 {
		t.Errorf("the hottest thread is of %q with %.3f of a CPU; %.3f s were burnt in %.3f s", name, share, burnt, elapsed)
	}
	if other, err := m.Threads(func(r role.Role) bool { return r == role.Database }); err != nil {
		t.Error(err)
	} else if name, share := m.Log().Hottest(other, other); name != "" || share != 0 {
		t.Errorf("of no thread %q used %g", name, share)
	}
	if name, share := m.Log().Hottest(readings.Threads{}, after); name != "" || share != 0 {
		t.Errorf("since nothing was read %q used %g", name, share)
	}
}

// A program that works wants a CPU, whether it has one or not; one that waits for work wants none.
func TestWant(t *testing.T) {
	p := burning(t)
	m := usage.NewMeter([]usage.Target{p})
	wants := func() bool {
		runs, err := m.Want(role.Role.OnApp)
		if err != nil {
			t.Error(err)
		}
		return runs
	}
	for until := time.Now().Add(10 * time.Second); wants(); {
		if time.Now().After(until) {
			t.Fatal("a program that waits for work never rests")
		}
	}
	ended, seen := make(chan struct{}), make(chan bool)
	go func() {
		some := false
		for {
			select {
			case <-ended:
				seen <- some
				return
			default:
				some = wants() || some
			}
		}
	}()
	p.do(t, 400)
	close(ended)
	if !<-seen {
		t.Error("a program that works was never seen to want a CPU")
	}
}

// What a program burns is seen on its CPU, and at most that on all CPUs is more.
func TestBusy(t *testing.T) {
	before, err := usage.Busy(nil)
	if err != nil {
		t.Fatal(err)
	}
	one, err := usage.Busy([]int{0})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := burnMilliseconds(300); err != nil {
		t.Fatal(err)
	}
	after, err := usage.Busy(nil)
	if err != nil {
		t.Fatal(err)
	}
	if used := after - before; used < 250*time.Millisecond {
		t.Errorf("all CPUs used %v while 300 ms were burnt", used)
	}
	if one > before || one <= 0 {
		t.Errorf("one CPU used %v, all %v", one, before)
	}
	if none, err := usage.Busy([]int{100_000}); err != nil || none != 0 {
		t.Errorf("a CPU that is not there used %v (%v)", none, err)
	}
}

// A glance tells what the processes under test used, as a mark does, and nothing of the harness's.
func TestGlance(t *testing.T) {
	each(t, func(t *testing.T, l *process.Launcher) {
		app := start(t, l, process.Command{}, "burn")
		m := usage.NewMeter([]usage.Target{harness{app}, app})
		a, err := m.Glance(func(r role.Role) bool { return !r.Harness() })
		if err != nil {
			t.Fatal(err)
		}
		want := time.Duration(app.do(t, 100)).Seconds()
		b, err := m.Glance(func(r role.Role) bool { return !r.Harness() })
		if err != nil {
			t.Fatal(err)
		}
		used := m.Log().Between(a, b)
		if off := used[1].CPUSeconds - want; off < -0.05 || off > 0.05 {
			t.Errorf("it used %.3f s by its own account, and a glance tells of %.3f s", want, used[1].CPUSeconds)
		}
		if used[0].CPUSeconds != 0 || used[0].Seconds != 0 {
			t.Errorf("a glance tells of the harness: %+v", used[0])
		}
	})
}

// harness is a program in a role of the harness.
type harness struct{ program }

func (harness) Role() role.Role { return role.Load }
