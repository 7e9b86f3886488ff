// The timed loop of one calling thread.
package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"
)

const (
	tick       = time.Millisecond       // work at a fixed rate falls due in ticks
	grace      = 100 * time.Millisecond // for what had fallen due when the duration ended
	hundredths = 100                    // lines of the heap's course
)

// caller makes one thread's part of a stretch.
type caller struct {
	order     *order
	thread    int
	share     int64
	durations samples
	lags      samples // of work at a fixed rate: start less intended start
	course    *course // nil: kept by another thread

	began time.Time
	line  int64         // hundredths of the stretch that are over
	ended time.Duration // end of the last operation, since began

	made, failed int64
	calling      time.Duration // sum of all durations
	cpu          time.Duration
}

// newCaller makes room for all that the thread will keep.
func newCaller(o *order, thread int, c *course) (*caller, error) {
	one := &caller{order: o, thread: thread, share: o.share(thread), course: c}
	room := int64(ringSamples)
	if o.kept() {
		room = one.share
	}
	var err, late error
	one.durations, err = reserve(room)
	if o.fixedRate() {
		one.lags, late = reserve(room)
	}
	return one, errors.Join(err, late)
}

// run makes the thread's operations. The goroutine is bound to its thread, whose CPU
// clock is read.
func (c *caller) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cpu := threadCPU()
	c.began = time.Now()
	if c.order.fixedRate() {
		c.makeAtRate()
	} else {
		c.makeAll()
	}
	c.cpu = threadCPU() - cpu
}

// end is when the stretch is over, since its start.
func (c *caller) end() time.Duration {
	switch {
	case c.order.duration == 0:
		return math.MaxInt64
	case c.order.fixedRate():
		return c.order.duration + grace
	}
	return c.order.duration
}

// makeAll goes as fast as it can, until the calls or the time are used up.
func (c *caller) makeAll() {
	for c.made < c.share && c.ended < c.end() {
		most, until := c.nextLine()
		c.call(most, until)
		c.keepCourse()
	}
}

// makeAtRate makes all that has fallen due in each tick, then waits for the next. What
// falls due before the stretch is over is made, also where a tick wakes late.
func (c *caller) makeAtRate() {
	for next := time.Duration(0); c.made < c.share; next += tick {
		now := time.Since(c.began)
		if now < next {
			time.Sleep(next - now)
			now = time.Since(c.began)
		}
		if now >= c.end() {
			return
		}
		for due := min(c.share, c.order.due(now, c.thread)); c.made < due && now < c.end(); now = c.ended {
			most, until := c.nextLine()
			c.call(min(most, due), until)
			c.keepCourse()
		}
	}
}

// nextLine is where the next hundredth of the stretch ends: at so many operations,
// or at such a time.
func (c *caller) nextLine() (made int64, until time.Duration) {
	if c.line+1 >= hundredths {
		return c.share, c.end()
	}
	made, until = c.share, c.end()
	if made != math.MaxInt64 {
		made = max(c.made+1, c.share/hundredths*(c.line+1))
	}
	if until != math.MaxInt64 {
		until = until / hundredths * time.Duration(c.line+1)
	}
	return made, until
}

// call is the timed loop: it makes operations until so many are made in all, or
// until a time has passed, but one at least.
func (c *caller) call(most int64, until time.Duration) {
	depth, busy, kept, fixedRate := c.order.depth, c.order.busy, c.order.kept(), c.order.fixedRate()
	made, ended := c.made, c.ended
	offset, interval := c.order.offset(c.thread), c.order.interval() // infinite where there is no fixed rate
	for {
		begin := time.Since(c.began)
		if outerCall(busy, depth) != depth {
			c.failed++
		}
		ended = time.Since(c.began)
		place := made
		if !kept {
			place %= ringSamples
		}
		c.durations.set(place, ended-begin)
		if fixedRate {
			intended := time.Duration(offset + float64(made)*interval)
			c.lags.set(place, max(0, begin-intended))
		}
		c.calling += ended - begin
		made++
		if made >= most || ended >= until {
			break
		}
	}
	c.made, c.ended = made, ended
}

// keepCourse reads the heap, where another hundredth of the stretch is over.
func (c *caller) keepCourse() {
	over := max(hundredth(float64(c.made)/float64(c.share)), hundredth(float64(c.ended)/float64(c.end())))
	if over <= c.line {
		return
	}
	c.line = over
	if c.course != nil {
		c.course.add(c.made)
	}
}

func hundredth(share float64) int64 { return int64(min(share, 1) * hundredths) }

// write writes the durations, and of work at a fixed rate the lags.
func (c *caller) write() error {
	name := fmt.Sprintf("%s.%d", c.order.samples, c.thread)
	if err := c.durations.write(name, c.made); err != nil || !c.order.fixedRate() {
		return err
	}
	return c.lags.write(name+".lag", c.made)
}
