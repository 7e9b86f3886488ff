package usage

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/role"
)

func TestSwitchesSince(t *testing.T) {
	a, b, c := thread{1, 1}, thread{1, 2}, thread{2, 2}
	tests := []struct {
		name          string
		before, after switches
		want          uint64
	}{
		{"nothing", switches{}, switches{}, 0},
		{"one thread", switches{threads: map[thread]uint64{a: 5}}, switches{threads: map[thread]uint64{a: 8}}, 3},
		{"a new thread", switches{threads: map[thread]uint64{a: 5}}, switches{threads: map[thread]uint64{a: 5, b: 4}}, 4},
		{"a thread ended", switches{threads: map[thread]uint64{a: 5, b: 4}}, switches{threads: map[thread]uint64{a: 6}}, 1},
		{"a number given again", switches{threads: map[thread]uint64{a: 50}}, switches{threads: map[thread]uint64{a: 2}}, 2},
		{"a process ended", switches{threads: map[thread]uint64{a: 5, c: 7}, reaped: 1}, switches{threads: map[thread]uint64{a: 5}, reaped: 10}, 2},
		{"one came and went", switches{reaped: 1}, switches{reaped: 10}, 9},
		{"ended, not reaped by us", switches{threads: map[thread]uint64{c: 7}}, switches{}, 0},
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
	m := NewMeter(make([]Target, 1))
	m.memory[0] = []sample{{at(1), 100}, {at(3), 300}, {at(4), 200}}
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
		mean, peak := m.memoryBetween(0, at(test.a), at(test.b))
		if mean != test.mean || peak != test.peak {
			t.Errorf("%s: mean %d, peak %d; want %d, %d", test.name, mean, peak, test.mean, test.peak)
		}
	}
	m = NewMeter([]Target{named{}})
	m.memory[0] = []sample{{at(1), 100}, {at(3), 300}, {at(4), 200}}
	parts := []Stretch{{at(0), at(0.5)}, {at(1), at(2)}, {at(4), at(4.5)}} // before the first sample, and around the largest
	if held := m.Memory(parts...)[0]; held.Mean != (100*2+200)/3 || held.Peak != 200 {
		t.Errorf("in parts: %+v", held)
	}
}

// named is a target that has a name, and nothing else.
type named struct{ Target }

func (named) Name() string    { return "app" }
func (named) Role() role.Role { return role.App }

func TestParseTimes(t *testing.T) {
	const stat = "9 (a) b) S 1 9 9 0 -1 4194560 1 2 3 4 100 20 7 8 20 0 1 0"
	want := times{user: time.Second, system: 200 * time.Millisecond, childUser: 70 * time.Millisecond, childSystem: 80 * time.Millisecond}
	if got, err := parseTimes(stat); err != nil || got != want {
		t.Errorf("got %+v, want %+v; error %v", got, want, err)
	}
	if _, err := parseTimes("9 (a) S 1"); err == nil {
		t.Error("a short line was taken")
	}
}

func TestNumber(t *testing.T) {
	text := []byte("rss 5\ntotal_rss 12 kB\nanon\t 7\nlast 9")
	for name, want := range map[string]uint64{"rss ": 5, "total_rss ": 12, "anon": 7, "last ": 9, "none": 0} {
		if got := number(text, name); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("9 (a) S 1 9 9 0 -1 4194560 1 2 3 4 100 20 7 8 20")
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = parseTimes(text) // must not panic
		number([]byte(text), "a")
	})
}
