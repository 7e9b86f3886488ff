package usage_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/usage"
)

// elsewhere makes a cgroup that programs move to, in the hierarchy that CPU time is read from; it lasts as long as the
// launcher.
func elsewhere(t *testing.T, l *process.Launcher) {
	t.Helper()
	groups := start(t, l, process.Command{}, "sleep").Groups()
	dir := groups["cpuacct"]
	if dir == "" {
		dir = groups["unified"]
	}
	if dir == "" {
		t.Skip("there is no cgroup to leave")
	}
	dir = filepath.Join(filepath.Dir(dir), "elsewhere")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TEST_ELSEWHERE", dir)
}

// What a program does outside its cgroup is charged to it, whenever it left and whether it still runs.
func TestLeavingTheCgroup(t *testing.T) {
	// Moving costs the program too, outside its own readings: 16 ms were seen. What is not charged where it has left, or twice, is
	// 150 ms and more. A helper that is not charged is 40 ms, and its end is waited for: no move is outside the readings.
	const own, helpers = 40 * time.Millisecond, 15 * time.Millisecond
	const tick = 20 * time.Millisecond
	tests := []struct {
		program   string
		n         int
		tolerance time.Duration
		named     bool // it is there at the end, outside
		only      string
	}{
		{"leaver", 150, own, true, ""},
		{"thread", 300, own, false, process.AccountingV1}, // of version 2 a thread stays with its process
		{"helpers", 8, helpers + tick, false, ""},
	}
	each(t, func(t *testing.T, l *process.Launcher) {
		elsewhere(t, l)
		for _, test := range tests {
			if test.only != "" && test.only != l.Accounting() {
				continue
			}
			t.Run(test.program, func(t *testing.T) {
				p := start(t, l, process.Command{}, test.program)
				for _, when := range []string{"while", "after"} { // it leaves while it is read, and after it has left
					want, got := measure(t, p, test.n)
					off := time.Duration(got.CPUSeconds*1e9) - time.Duration(want)
					t.Logf("%v by its own account, charged %v more", time.Duration(want), off)
					if off.Abs() > test.tolerance {
						t.Errorf("%s it leaves: it used %v by its own account, and is charged %.6f s: off by %v", when, time.Duration(want), got.CPUSeconds, off)
					}
					if got.Source != process.AccountingClock {
						t.Errorf("%s it leaves: it was counted by %s", when, got.Source)
					}
					if named := len(got.Outside) == 1 && strings.Contains(got.Outside[0], "usage.test"); named != test.named {
						t.Errorf("%s it leaves: outside are %q", when, got.Outside)
					}
				}
			})
		}
	})
}

// What it allocates outside is its memory too.
func TestMemoryOutsideTheCgroup(t *testing.T) {
	const megabytes = 50
	each(t, func(t *testing.T, l *process.Launcher) {
		elsewhere(t, l)
		t.Setenv("TEST_LEAVES", "1")
		p := start(t, l, process.Command{}, "hold")
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
		if held := m.Log().Held(readings.Stretch{From: from, To: time.Now()})[0]; held.Peak < megabytes<<20 || held.Peak > 2*megabytes<<20 {
			t.Errorf("%+v, want a peak over %d MiB", held, megabytes)
		}
	})
}
