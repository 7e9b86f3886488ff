package ring

import (
	"math"
	"testing"
	"time"
)

// machine is a machine whose counter has a rate, and whose real-time clock somebody sets.
type machine struct {
	tick uint64
	real float64
	rate float64 // nanoseconds a tick
	off  float64 // nanoseconds that the clock was set by
}

func (m *machine) run(d time.Duration) {
	m.tick += uint64(float64(d) / m.rate)
	m.real += float64(uint64(float64(d)/m.rate)) * m.rate
}

func (m *machine) clock(rate float64) *clock {
	c := &clock{now: func() uint64 { return m.tick }, compare: func() pair { return pair{m.tick, int64(m.real + m.off), 50} }}
	c.begin(rate)
	return c
}

func newMachine(rate float64) *machine { return &machine{tick: 1 << 50, real: 1.7e18, rate: rate} }

// A stamp is the last such moment before the present, or a little after it: counters of two CPUs differ.
func TestExtend(t *testing.T) {
	const turn = uint64(1) << stampBits
	for _, present := range []uint64{0, 1, turn - 1, turn, 5*turn + 17, math.MaxUint64 - ahead, math.MaxUint64/2 + 3} {
		for _, age := range []uint64{0, 1, 1 << 30, turn - ahead - 1} {
			if age > present {
				continue
			}
			if got := extend((present-age)&stampMask, present); got != present-age {
				t.Errorf("at %d, a stamp of %d before it is %d", present, age, got)
			}
		}
		if got := extend((present+100)&stampMask, present); got != present+100 {
			t.Errorf("at %d, a stamp of 100 after it is %d", present, got)
		}
	}
}

// A drifting clock is followed: stamps stay near it, and never go back.
func TestDrift(t *testing.T) {
	m := newMachine(0.385)
	c := m.clock(0)
	m.run(30 * time.Millisecond)
	second := c.compare()
	first := c.pairs[0]
	c.pairs = append(c.pairs, second)
	c.rate = float64(second.real-first.real) / float64(second.tick-first.tick)
	c.set(line{base: first.tick, utc: first.real, rate: c.rate})
	last := int64(0)
	worst := 0.0
	for i := range 60_000 { // ten minutes
		m.run(10 * time.Millisecond)
		m.off += 10e6 * 30e-6 // NTP makes the clock 30 ppm faster
		c.follow(m.tick)
		at := c.utc(m.tick)
		if at < last {
			t.Fatalf("step %d: %d after %d", i, at, last)
		}
		last = at
		worst = max(worst, math.Abs(float64(at)-m.real-m.off))
	}
	if worst > 200_000 {
		t.Errorf("stamps are off by up to %.0f ns", worst)
	}
	if c.error > time.Millisecond || c.error < 25 {
		t.Errorf("the reported error is %v", c.error)
	}
}

// A length of time comes out as it was, within a thousandth: corrections are slow.
func TestLengths(t *testing.T) {
	m := newMachine(0.385)
	c := m.clock(0.385)
	for range 2000 {
		m.run(10 * time.Millisecond)
		m.off += 3000 // 300 ppm
		c.follow(m.tick)
		begin := c.utc(m.tick)
		end := c.utc(m.tick + 259_740)
		if got := end - begin; got < 99_900 || got > 100_100 {
			t.Fatalf("100 µs are %d ns", got)
		}
	}
}

// A clock that is set forward is followed at once, one that is set back is waited for; the error is reported.
func TestJumps(t *testing.T) {
	m := newMachine(1)
	c := m.clock(1)
	for range 300 {
		m.run(10 * time.Millisecond)
		c.follow(m.tick)
	}
	m.off += 1e9
	for range 200 {
		m.run(10 * time.Millisecond)
		c.follow(m.tick)
	}
	if off := float64(c.utc(m.tick)) - m.real - m.off; math.Abs(off) > 1e6 {
		t.Errorf("after a jump forward, stamps are off by %.0f ns", off)
	}
	m.off -= 50e6
	last := c.utc(m.tick)
	for range 20_000 { // 200 s at 500 ppm make good 100 ms
		m.run(10 * time.Millisecond)
		c.follow(m.tick)
		at := c.utc(m.tick)
		if at < last {
			t.Fatal("a stamp goes back")
		}
		last = at
	}
	if off := float64(c.utc(m.tick)) - m.real - m.off; math.Abs(off) > 1e6 {
		t.Errorf("200 s after a jump back, stamps are off by %.0f ns", off)
	}
	if c.error < 999*time.Millisecond {
		t.Errorf("the reported error is %v, want the second that the clock was set by", c.error)
	}
}

// A moment keeps its time when lines follow; one before all lines continues the oldest.
func TestOldMoments(t *testing.T) {
	m := newMachine(0.5)
	c := m.clock(0.5)
	moments := map[uint64]int64{}
	for i := range 1000 {
		m.run(10 * time.Millisecond)
		m.off += 2000
		c.follow(m.tick)
		if i > 500 {
			moments[m.tick] = c.utc(m.tick)
		}
	}
	for tick, want := range moments {
		if got := c.utc(tick); got != want {
			t.Fatalf("a moment was at %d and is at %d", want, got)
		}
	}
	oldest := c.older[0]
	if got := c.utc(oldest.base - 2_000_000); math.Abs(float64(oldest.utc-got)-1e6) > 2000 {
		t.Errorf("1 ms before the oldest line lies %d ns before it", oldest.utc-got)
	}
}

// The clocks of this machine: both counters follow CLOCK_REALTIME, and their rate is known after ready.
func TestThisMachine(t *testing.T) {
	mono, err := monotonic()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*clock{"nano": newClock(mono, 1), "tsc": newClock(ticks, 0)} {
		if name == "tsc" && !hasTicks {
			continue
		}
		c.ready()
		before := time.Now().UnixNano()
		at := c.utc(c.now())
		after := time.Now().UnixNano()
		if at < before-int64(jump) || at > after+int64(jump) {
			t.Errorf("%s: %d, between %d and %d", name, at, before, after)
		}
		if first, second := c.now(), c.now(); first > second {
			t.Errorf("%s goes back", name)
		}
	}
}

// Rests grow while nothing comes, and are as long as a ring takes to be a quarter full otherwise.
func TestPause(t *testing.T) {
	rest := shortest
	var total time.Duration
	for i := 0; rest < longest; i++ {
		if rest = pause(rest, time.Second, 0); i > 200 {
			t.Fatal("rests do not grow")
		}
		total += rest
	}
	if total > 10*time.Second || rest != longest {
		t.Errorf("the longest rest, %v, is reached after %v", rest, total)
	}
	for _, c := range []struct {
		before, since time.Duration
		full          float64
		want          time.Duration
	}{
		{10 * time.Millisecond, 10 * time.Millisecond, 1, 2500 * time.Microsecond},
		{10 * time.Millisecond, 10 * time.Millisecond, 0.25, 10 * time.Millisecond},
		{time.Millisecond, 10 * time.Millisecond, 0.01, 1500 * time.Microsecond},
		{shortest, shortest, 1, shortest},
	} {
		if got := pause(c.before, c.since, c.full); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Numbers of two generators, and of one, differ.
func TestIDs(t *testing.T) {
	seen := map[uint64]bool{}
	for range 2 {
		g := newIDs()
		for range 100_000 {
			n := g.next()
			if n == 0 || seen[n] {
				t.Fatalf("%d comes twice, or is 0", n)
			}
			seen[n] = true
		}
	}
}
