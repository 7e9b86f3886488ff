package readings

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

func TestSwitchesSince(t *testing.T) {
	a, b, c := Thread{1, 1}, Thread{1, 2}, Thread{2, 2}
	tests := []struct {
		name          string
		before, after Switches
		want          uint64
	}{
		{"nothing", Switches{}, Switches{}, 0},
		{"one thread", Switches{Threads: map[Thread]uint64{a: 5}}, Switches{Threads: map[Thread]uint64{a: 8}}, 3},
		{"a new thread", Switches{Threads: map[Thread]uint64{a: 5}}, Switches{Threads: map[Thread]uint64{a: 5, b: 4}}, 4},
		{"a thread ended", Switches{Threads: map[Thread]uint64{a: 5, b: 4}}, Switches{Threads: map[Thread]uint64{a: 6}}, 1},
		{"a number given again", Switches{Threads: map[Thread]uint64{a: 50}}, Switches{Threads: map[Thread]uint64{a: 2}}, 2},
		{"a process ended", Switches{Threads: map[Thread]uint64{a: 5, c: 7}, Reaped: 1}, Switches{Threads: map[Thread]uint64{a: 5}, Reaped: 10}, 2},
		{"one came and went", Switches{Reaped: 1}, Switches{Reaped: 10}, 9},
		{"ended, not reaped by us", Switches{Threads: map[Thread]uint64{c: 7}}, Switches{}, 0},
	}
	for _, test := range tests {
		if got := test.after.since(test.before); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

func TestMemoryBetween(t *testing.T) {
	zero := time.Unix(1000, 0)
	at := func(s float64) time.Time { return zero.Add(time.Duration(s * 1e9)) }
	l := Log{Who: []Who{{Process: "app"}}, Memory: [][]Sample{{{at(1), 100}, {at(3), 300}, {at(4), 200}}}}
	tests := []struct {
		name       string
		a, b       float64
		mean, peak uint64
	}{
		{"all", 1, 5, (100*2 + 300*1 + 200*1) / 4, 300},
		{"before the first", 0, 0.5, 0, 0},
		{"starts before the first", 0, 2, 100, 100},
		{"between samples", 1.5, 2.5, 100, 100},
		{"across one", 2, 3.5, 300, 300},
		{"across two", 2, 6, (300*2 + 200*2) / 4, 300},
		{"after the last", 6, 7, 200, 200},
		{"no time", 3.5, 3.5, 300, 300},
	}
	for _, test := range tests {
		mean, peak := l.held(0, at(test.a), at(test.b))
		if mean != test.mean || peak != test.peak {
			t.Errorf("%s: mean %d, peak %d; want %d, %d", test.name, mean, peak, test.mean, test.peak)
		}
	}
	parts := []Stretch{{at(0), at(0.5)}, {at(1), at(2)}, {at(4), at(4.5)}} // before the first sample, and around the largest
	if held := l.Held(parts...)[0]; held.Mean != (100*2+200)/3 || held.Peak != 200 {
		t.Errorf("in parts: %+v", held)
	}
}

// A part may have more switches than the whole, whose threads took theirs along when they ended: the rest has none, and no number below it.
func TestLess(t *testing.T) {
	all := []record.Usage{{CPUSeconds: 3, ContextSwitches: 9, Involuntary: 4}}
	got := Less(all, []record.Usage{{CPUSeconds: 1, ContextSwitches: 2, Involuntary: 7}})[0]
	if got.CPUSeconds != 2 || got.ContextSwitches != 7 || got.Involuntary != 0 {
		t.Errorf("%+v", got)
	}
}

// The compilers' share is of what threads used between two readings; a number that went to a new thread begins anew.
func TestCompiling(t *testing.T) {
	of := func(used ...int) map[Thread]time.Duration {
		m := map[Thread]time.Duration{}
		for id, ms := range used {
			m[Thread{1, id}] = time.Duration(ms) * time.Millisecond
		}
		return m
	}
	reading := func(used, compilers map[Thread]time.Duration) Threads {
		return Threads{Used: []map[Thread]time.Duration{used}, Compilers: []map[Thread]time.Duration{compilers}}
	}
	for name, c := range map[string]struct {
		a, b  Threads
		want  float64
		known bool
	}{
		"a quarter":    {reading(of(100, 50), of(100)), reading(of(200, 350), of(200)), 0.25, true},
		"a new thread": {reading(of(100), of(100)), reading(of(30, 60), of(45)), 0.5, true},
		"idle":         {reading(of(100), of(100)), reading(of(100), of(100)), 0, false},
		"not read":     {Threads{}, Threads{}, 0, false},
		"came later":   {Threads{}, reading(of(100), of(100)), 0, false},
	} {
		if got, known := Compiling(c.a, c.b); got != c.want || known != c.known {
			t.Errorf("%s: %g, %t, want %g, %t", name, got, known, c.want, c.known)
		}
	}
}
