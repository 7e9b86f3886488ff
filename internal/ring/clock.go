// This file turns the stamps of events into UTC, by a calibration that never stops.

package ring

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"golang.org/x/sys/unix"
)

const (
	stampBits = 44
	stampMask = 1<<stampBits - 1
	// ahead bounds the distance of a stamp before the counter, in its units. CPUs differ, and agents move stamps that were equal.
	ahead = 1 << 28
)

// extend returns the moment of a stamp: the last one before present, the counter's value, or a little after it.
func extend(stamp, present uint64) uint64 {
	latest := present + ahead
	return latest - (latest-stamp)&stampMask
}

const (
	firstLook  = 20 * time.Millisecond // between the first two comparisons
	usualLook  = time.Second           // between later ones
	settling   = 2.0                   // seconds in which a deviation is made good
	steepest   = 500e-6                // most that this changes the rate
	jump       = 10 * time.Millisecond // a deviation that somebody made by setting the clock
	window     = 32                    // comparisons that the rate is taken from
	keptLines  = 16                    // for events that are older than the last comparison
	rateShift  = 40
	attempts   = 8 // of a comparison: the tightest counts
	wholeRates = 1 << rateShift
)

// pair is one moment on both clocks.
type pair struct {
	tick uint64
	real int64 // nanoseconds since 1970
	wide uint64
}

// line says which UTC a tick has, from base on.
type line struct {
	base uint64
	utc  int64
	rate float64 // nanoseconds a tick
	mult uint64  // the same, times wholeRates
}

// at continues the line, also to before its base.
func (l *line) at(tick uint64) int64 {
	if tick < l.base {
		hi, lo := bits.Mul64(l.base-tick, l.mult)
		return l.utc - int64(hi<<(64-rateShift)|lo>>rateShift)
	}
	return l.after(tick)
}

// after is at of a tick that is not before the base.
func (l *line) after(tick uint64) int64 {
	hi, lo := bits.Mul64(tick-l.base, l.mult)
	return l.utc + int64(hi<<(64-rateShift)|lo>>rateShift)
}

// clock follows CLOCK_REALTIME with the ticks of a counter. Lines join where they meet, so a moment keeps its UTC.
type clock struct {
	now     func() uint64
	compare func() pair
	line    line    // the newest
	older   []line  // the newest last
	rate    float64 // nanoseconds a tick, as found; the line's own makes deviations good
	pairs   []pair
	due     uint64        // the tick of the next comparison
	wait    time.Duration // between the last two comparisons and the next
	error   time.Duration // the most that a comparison found
}

// newClock returns the clock of a counter, with a first comparison. rate is nanoseconds a tick, 0 where it is not known: utc may be
// asked for after follow has found it.
func newClock(now func() uint64, rate float64) *clock {
	c := &clock{now: now}
	c.compare = func() pair { return comparison(now) }
	c.begin(rate)
	return c
}

func (c *clock) begin(rate float64) {
	first := c.compare()
	c.pairs = append(c.pairs[:0], first)
	c.wait = firstLook
	c.rate = rate
	c.set(line{base: first.tick, utc: first.real, rate: rate})
}

// comparison reads both clocks, several times: the reading that took the counter least counts.
func comparison(now func() uint64) pair {
	best := pair{wide: math.MaxUint64}
	for range attempts {
		before := now()
		real := time.Now().UnixNano()
		after := now()
		if wide := after - before; wide < best.wide {
			best = pair{before + wide/2, real, wide}
		}
	}
	return best
}

func (c *clock) set(l line) {
	l.mult = uint64(l.rate * wholeRates)
	c.line = l
	c.due = l.base
	if l.rate > 0 {
		c.due += uint64(float64(c.wait) / l.rate)
	}
}

// ready waits until the rate is known. That takes firstLook from the begin on.
func (c *clock) ready() {
	if c.line.rate > 0 {
		return
	}
	first := c.pairs[0]
	for time.Now().UnixNano() < first.real+int64(firstLook) {
		time.Sleep(firstLook / 4)
	}
	second := c.compare()
	if second.tick <= first.tick || second.real <= first.real {
		c.begin(1) // a clock that was set just now; the next comparisons correct the rate
		return
	}
	c.pairs = append(c.pairs, second)
	c.rate = float64(second.real-first.real) / float64(second.tick-first.tick)
	c.set(line{base: first.tick, utc: first.real, rate: c.rate})
}

// follow compares the clocks where that is due at tick.
func (c *clock) follow(tick uint64) {
	if tick < c.due || c.line.rate == 0 {
		return
	}
	found := c.compare()
	off := time.Duration(found.real - c.line.at(found.tick))
	half := time.Duration(float64(found.wide) / 2 * c.line.rate)
	c.error = max(c.error, off.Abs()+half)
	c.wait = min(2*c.wait, usualLook)
	next := line{base: found.tick, utc: found.real - int64(off), rate: c.rate}
	c.older = append(c.older, c.line)
	if len(c.older) > keptLines {
		c.older = c.older[1:]
	}
	if off.Abs() > jump {
		// Somebody set the clock. Forward it is followed at once; stamps never go back, so backward it is waited for.
		c.pairs = append(c.pairs[:0], found)
		if off > 0 {
			next.utc = found.real
		} else {
			next.rate = c.rate * (1 - steepest)
		}
		c.set(next)
		return
	}
	oldest := c.pairs[0]
	if c.pairs = append(c.pairs, found); len(c.pairs) > window {
		c.pairs = c.pairs[1:]
	}
	if found.tick > oldest.tick && found.real > oldest.real {
		c.rate = float64(found.real-oldest.real) / float64(found.tick-oldest.tick)
	}
	next.rate = c.rate * (1 + max(-steepest, min(steepest, off.Seconds()/settling)))
	c.set(next)
}

// utc returns the moment of a tick in nanoseconds since 1970.
func (c *clock) utc(tick uint64) int64 {
	if tick < c.line.base {
		return c.before(tick)
	}
	return c.line.after(tick)
}

// before returns the moment of a tick before the newest line.
func (c *clock) before(tick uint64) int64 {
	oldest := &c.line
	for i := len(c.older) - 1; i >= 0; i-- {
		if oldest = &c.older[i]; tick >= oldest.base {
			break
		}
	}
	return oldest.at(tick)
}

// monotonic returns a reading of CLOCK_MONOTONIC in nanoseconds that makes no system call.
func monotonic() (func() uint64, error) {
	var best uint64 = math.MaxUint64
	var at time.Time
	var base uint64
	for range attempts {
		var t unix.Timespec
		before := time.Now()
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
			return nil, fmt.Errorf("reading CLOCK_MONOTONIC: %w", err)
		}
		wide := uint64(time.Since(before))
		if wide < best {
			best, at, base = wide, before, uint64(t.Nano())-wide/2
		}
	}
	return func() uint64 { return base + uint64(time.Since(at)) }, nil
}
