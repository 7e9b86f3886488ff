package derive

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
)

var zero = time.Unix(1000, 0)

// at is a reading after so many seconds, at which the app had used cpu seconds, and the generator a tenth of that.
func at(seconds, cpu float64) Moment {
	when := zero.Add(time.Duration(seconds * 1e9))
	return Moment{when, readings.Mark{
		{At: when, CPU: time.Duration(cpu * 1e9)}, {At: when, CPU: time.Duration(cpu * 1e8)},
	}}
}

var who = readings.Log{Who: []readings.Who{{Process: "app", Role: "app"}, {Process: "tracetax-load", Role: "load"}}}

func load(seconds float64, operations uint64) record.Load {
	return record.Load{WallSeconds: seconds, Started: operations, Completed: operations}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// three is a phase of three windows of 1 s, each a second after the one before has ended, of 10 operations a window; each begins
// with 0.1 s in which the program prepares and uses 0.05 s of CPU. The operations of a window use 0.2, 0.3 and 0.4 s, what comes
// after them 0.01, and each span comes within its window.
func three() Phase {
	w := Phase{
		Log: who, Operation: "get", InTurns: true, Begun: at(0, 0), Warm: record.Counts{Spans: 5}, Ended: at(6.5, 1.09),
		Drained: record.Counts{Spans: 35},
	}
	for i, cpu := range []float64{0, 0.26, 0.62} {
		begin, uses := 0.5+2*float64(i), 0.2+0.1*float64(i)
		w.Parts = append(w.Parts, Window{
			Place: 2 * i, Before: at(begin, cpu), Ready: at(begin+0.1, cpu+0.05), Start: at(begin+0.1, cpu+0.05), End: at(begin+1.1, cpu+0.05+uses),
			Load: load(1, 10), Came: record.Counts{Spans: uint64(5 + 10*(i+1))}, After: at(begin+2, cpu+0.06+uses),
		})
	}
	w.Parts[2].After = w.Ended
	return w
}

func TestInto(t *testing.T) {
	for name, c := range map[string]struct {
		change               func(*Phase)
		cpu, seconds         float64
		paused, drain        float64
		windows              int
		firstCPU, firstStart float64
	}{
		"in turns":                 {cpu: 1.09 - 0.15, seconds: 6.5 - 0.3, paused: 2.3, drain: 0.9, windows: 3, firstCPU: 0.2, firstStart: 0.6},
		"the generator prepares":   {change: func(w *Phase) { w.without() }, cpu: 1.09, seconds: 6.5, paused: 2.6, drain: 0.9, windows: 3, firstCPU: 0.2, firstStart: 0.6},
		"in one window":            {change: func(w *Phase) { w.one() }, cpu: 1.09, seconds: 6.5, paused: 0.6, drain: 4.9},
		"in one window, in slices": {change: func(w *Phase) { w.one(); w.Sliced = true; w.Parts[0].Load.WallSeconds = 0.75 }, cpu: 1.09, seconds: 6.5, paused: 0.85, drain: 4.9},
	} {
		w := three()
		if c.change != nil {
			c.change(&w)
		}
		var p record.Phase
		w.Into(&p)
		if u := p.Usage[0]; !near(u.CPUSeconds, c.cpu) || !near(u.Seconds, c.seconds) || !near(p.Usage[1].CPUSeconds, c.cpu/10) {
			t.Errorf("%s: usage %+v, want %g s of CPU in %g s", name, u, c.cpu, c.seconds)
		}
		if !near(p.PausedSeconds, c.paused) || !near(p.DrainSeconds, c.drain) || p.Sink.Spans != 30 {
			t.Errorf("%s: paused %g, drain %g, %d spans; want %g, %g, 30", name, p.PausedSeconds, p.DrainSeconds, p.Sink.Spans, c.paused, c.drain)
		}
		windows, leave := w.Windows(nil, 1)
		if len(windows) != c.windows || leave {
			t.Fatalf("%s: %d windows, want %d; some may be left out: %v", name, len(windows), c.windows, leave)
		}
		if c.windows > 0 && (!near(windows[0].CPUSeconds, c.firstCPU) || !near(windows[0].StartSeconds, c.firstStart) || windows[2].Place != 4) {
			t.Errorf("%s: windows %+v", name, windows)
		}
	}
}

// without has the load generator prepare the operations.
func (w *Phase) without() {
	for i := range w.Parts {
		w.Parts[i].Ready = Moment{}
	}
}

// one makes it a phase of one window of 1 s.
func (w *Phase) one() {
	w.without()
	w.InTurns, w.Parts = false, w.Parts[:1]
	w.Parts[0].After = w.Ended
}

// Memory is that of the operations: the last stretch ends with the sample after them.
func TestMemoryOfAWindow(t *testing.T) {
	w := three()
	w.Sampled = zero.Add(5700 * time.Millisecond)
	sample := func(seconds float64, bytes uint64) readings.Sample {
		return readings.Sample{At: zero.Add(time.Duration(seconds * 1e9)), Bytes: bytes}
	}
	w.Log.Memory = [][]readings.Sample{{
		sample(0.1, 900), sample(0.7, 100), sample(1.8, 900), sample(2.7, 100), sample(3.8, 900), sample(4.7, 100), sample(5.65, 220),
		sample(6.3, 900),
	}, nil}
	if u := w.Whole()[0]; u.MemoryPeak != 220 || u.MemoryMean < 100 || u.MemoryMean > 105 {
		t.Errorf("mean %d, peak %d; want little over 100, and 220", u.MemoryMean, u.MemoryPeak)
	}
}

// A disturbed window is left out with its preparation, its operations, its spans and what came after it.
func TestWithout(t *testing.T) {
	outside := make([]Outside, 6)
	for place := range outside {
		outside[place] = Outside{Besides{Taken{Ours: 0.1, All: 1}, Taken{Ours: 0.1, All: 1}}, place % 2}
	}
	for name, c := range map[string]struct {
		place                     int // that is disturbed
		unthrottled               bool
		cpu, seconds, paused, end float64
	}{
		"in the first round": {place: 0, cpu: 0.94 - 0.21, seconds: 6.2 - 1.9, paused: 2.3 - 0.9, end: 0.9},
		"in another's place": {place: 3, cpu: 0.94 - 0.31, seconds: 6.2 - 1.9, paused: 2.3 - 0.9, end: 0.9},
		"in the last":        {place: 4, cpu: 0.94 - 0.42, seconds: 6.2 - 1.9, paused: 2.3, end: 0},
		"unthrottled":        {place: 0, unthrottled: true},
	} {
		w := three()
		w.Unthrottled = c.unthrottled
		var p record.Phase
		w.Into(&p)
		seen := slices.Clone(outside)
		seen[c.place].App.Others = 0.9
		var leave bool
		if p.Windows, leave = w.Windows(seen, 2); leave {
			t.Errorf("%s: one round of three may be left out", name)
		}
		for i, one := range p.Windows {
			if one.Disturbed != (i == c.place/2) {
				t.Errorf("%s: windows %+v", name, p.Windows)
			}
		}
		got, err := w.Without(&p)
		if err != nil || got.Load.Completed != 20 {
			t.Fatalf("%s: %+v (%v)", name, got, err)
		}
		if c.unthrottled {
			if got.Usage != nil || got.Sink.Spans != 0 {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if u := got.Usage[0]; !near(u.CPUSeconds, c.cpu) || !near(u.Seconds, c.seconds) || got.Sink.Spans != 20 {
			t.Errorf("%s: %g s of CPU in %g s, %d spans; want %g, %g, 20", name, u.CPUSeconds, u.Seconds, got.Sink.Spans, c.cpu, c.seconds)
		}
		if !near(got.PausedSeconds, c.paused) || !near(got.DrainSeconds, c.end) {
			t.Errorf("%s: paused %g, drain %g; want %g, %g", name, got.PausedSeconds, got.DrainSeconds, c.paused, c.end)
		}
		if !near(p.Usage[0].CPUSeconds, 0.94) {
			t.Errorf("%s: the whole phase changed to %g s of CPU", name, p.Usage[0].CPUSeconds)
		}
	}
}

// One disturbed round of five can be left out, and not two.
func TestLeaving(t *testing.T) {
	for name, c := range map[string]struct {
		places []int
		rounds []int
		leave  bool
	}{
		"none":            {},
		"one":             {[]int{9}, []int{4}, true},
		"two of a round":  {[]int{2, 3}, []int{1}, true},
		"two rounds":      {[]int{2, 3, 8}, []int{1, 4}, false},
		"nothing is read": {[]int{-1}, nil, false},
	} {
		w := three()
		w.Parts = append(w.Parts, w.Parts[0], w.Parts[1])
		for i := range w.Parts {
			w.Parts[i].Place = 2*i + i%2
		}
		outside := make([]Outside, 10)
		for place := range outside {
			outside[place] = Outside{Besides{Taken{Ours: 0.1, All: 1}, Taken{Ours: 0.1, All: 1}}, (place/2 + place) % 2}
			if slices.Contains(c.places, place) {
				outside[place].App.Others = 0.9
			}
		}
		if slices.Contains(c.places, -1) {
			outside = nil
		}
		windows, leave := w.Windows(outside, 2)
		var rounds []int
		for i, one := range windows {
			if one.Disturbed {
				rounds = append(rounds, i)
			}
		}
		if leave != c.leave || !slices.Equal(rounds, c.rounds) {
			t.Errorf("%s: the rounds %v are disturbed, may be left out: %v; want %v, %v", name, rounds, leave, c.rounds, c.leave)
		}
	}
}

// What a run uses while others have the load, and what nobody of the block used.
func TestBlock(t *testing.T) {
	looks := func(busy ...float64) (out []readings.Look) {
		for i, b := range busy {
			when := zero.Add(time.Duration(i) * time.Second)
			mark := func(cpu float64) readings.Mark { return at(float64(i), cpu).Mark }
			out = append(out, readings.Look{
				Run: (i + 1) % 2, Busy: readings.Busy{At: when, App: time.Duration(b * 1e9), Known: true},
				Used: []readings.Mark{mark([]float64{0, 0.3, 0.5}[i]), mark(0.1 * float64(i))},
			})
		}
		return out
	}
	b := Block{CPUs: CPUs{App: 1, Harness: 1}, Logs: []readings.Log{who, who}, Seen: looks(0, 0.4, 0.9)}
	if got := b.Away(0); got == nil || !near(got.CPUSeconds, 0.2) || !near(got.Seconds, 1) {
		t.Errorf("the first run used %+v in the window of the other", got)
	}
	out := b.Outside()
	if len(out) != 2 || !near(out[0].App.Others, 0) || !near(out[1].App.Others, 0.2) || out[0].Run != 0 || out[1].Run != 1 {
		t.Errorf("others used %+v", out)
	}
	if (Block{}).Away(0) != nil || (Block{}).Outside() != nil {
		t.Error("without readings something was used")
	}
}
