//go:build linux

package process

import (
	"slices"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/process/table"
	"golang.org/x/sys/unix"
)

// Every thread of a moved process is where it was moved to, in every way of
// accounting, and may be moved back.
func TestMove(t *testing.T) {
	allowed, _ := allowedCPUs()
	if len(allowed) < 2 {
		t.Skip("needs two CPUs")
	}
	first, last := allowed[:1], allowed[len(allowed)-1:]
	each(t, func(t *testing.T, accounting string) {
		p := start(t, open(t, accounting), Command{Name: "mover", CPUs: first}, "spin")
		awaitThreads(t, p.PID())
		for _, to := range [][]int{last, first, last} {
			if err := p.Move(to); err != nil {
				t.Fatal(err)
			}
			tids, err := table.Threads(p.PID())
			if err != nil || len(tids) < 2 {
				t.Fatalf("threads %v, error %v", tids, err)
			}
			for _, tid := range tids {
				if got := cpusOf(t, tid); !slices.Equal(got, to) {
					t.Errorf("thread %d runs on %v, want %v", tid, got, to)
				}
			}
		}
	})
}

// awaitThreads waits until a program has more than its first thread.
func awaitThreads(t *testing.T, pid int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if tids, err := table.Threads(pid); err != nil || len(tids) > 1 {
			return // an error shows itself in what follows
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			return
		}
	}
}

func TestMoveToNowhere(t *testing.T) {
	p := start(t, open(t, AccountingClock), Command{}, "sleep")
	if err := p.Move([]int{1000}); err == nil {
		t.Error("moved to a CPU that is not there")
	}
}

func cpusOf(t *testing.T, tid int) []int {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(tid, &set); err != nil {
		t.Fatal(err)
	}
	var cpus []int
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

func TestSides(t *testing.T) {
	pairs := func(n int) map[int][]int { // core k has the threads k and k+n
		m := map[int][]int{}
		for k := range n {
			m[k], m[k+n] = []int{k, k + n}, []int{k, k + n}
		}
		return m
	}
	for name, test := range map[string]struct {
		cpus     []int
		siblings map[int][]int
		a, b     []int
	}{
		"two":               {[]int{0, 1}, nil, []int{1}, []int{0}},
		"three":             {[]int{0, 1, 2}, nil, []int{2}, []int{0}},
		"four":              {[]int{0, 1, 2, 3}, nil, []int{2, 3}, []int{0, 1}},
		"two cores of two":  {[]int{0, 1, 2, 3}, pairs(2), []int{1, 3}, []int{0, 2}},
		"three cores":       {[]int{0, 1, 2, 3, 4, 5}, pairs(3), []int{2, 5}, []int{0, 3}},
		"one core of two":   {[]int{0, 1}, pairs(1), []int{1}, []int{0}},
		"some of the cores": {[]int{1, 3, 5}, pairs(4), []int{5}, []int{3}},
	} {
		a, b, err := sides(test.cpus, test.siblings)
		if err != nil || len(a) != len(b) || !slices.Equal(a, test.a) || !slices.Equal(b, test.b) {
			t.Errorf("%s: %v and %v (%v), want %v and %v", name, a, b, err, test.a, test.b)
		}
	}
	if _, _, err := sides([]int{0}, nil); err == nil {
		t.Error("one CPU has two sides")
	}
}
