// The timed loop of one calling thread.

package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"
)

const (
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
	moments   *rand.Rand

	began time.Time
	line  int64         // hundredths of the stretch that are over
	start time.Duration // intended, of the operations of a slot, since began
	ended time.Duration // end of the last operation, since began

	made, failed int64
	calling      time.Duration // sum of all durations
	cpu          time.Duration
}

// newCaller makes room for all that the thread will keep.
func newCaller(o *order, thread int, c *course) (*caller, error) {
	moments := rand.New(rand.NewPCG(o.moments, uint64(thread)))
	one := &caller{order: o, thread: thread, share: o.share(thread), course: c, moments: moments}
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

// makeAtRate makes the operations of each slot at a random moment of it, then waits for the next slot that has some. What
// falls due before the stretch is over is made, also where the thread wakes late.
func (c *caller) makeAtRate() {
	for c.made < c.share {
		begin, length := c.order.slot(c.made, c.thread)
		c.start = begin
		if c.order.moments > 0 {
			c.start += time.Duration(c.moments.Float64() * float64(length))
		}
		now := time.Since(c.began)
		if now < c.start {
			time.Sleep(c.start - now)
			now = time.Since(c.began)
		}
		due := min(c.share, max(c.made+1, c.order.due(begin+length-1, c.thread)))
		for ; c.made < due; now = c.ended {
			if now >= c.end() {
				return
			}
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
			c.lags.set(place, max(0, begin-c.start))
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

// The work of the innermost call.

// burn works so long; 0 reads no clock.
func burn(busy time.Duration) {
	if busy == 0 {
		return
	}
	for begin := time.Now(); time.Since(begin) < busy; {
	}
}

// A stretch of work: prepared, made once, and written.

// stretch is an order and the threads that carry it out.
type stretch struct {
	order   order
	callers []*caller
	course  *course
	before  meters // read at the start
	made    bool
}

// newStretch allocates all that the work needs.
func newStretch(o order) (*stretch, error) {
	s := &stretch{order: o, course: newCourse()}
	for thread := range o.threads {
		var kept *course
		if thread == 0 {
			kept = s.course
		}
		c, err := newCaller(&s.order, thread, kept)
		s.callers = append(s.callers, c)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

// make makes the operations, and returns the answer.
func (s *stretch) make() (string, error) {
	if s.made {
		return "", errors.New("this order was run already; prepare another")
	}
	s.made = true
	s.before = readMeters()
	var all sync.WaitGroup
	for _, c := range s.callers {
		all.Go(c.run)
	}
	all.Wait()
	return s.done(readMeters()), nil
}

func (s *stretch) done(after meters) string {
	var started, failed int64
	var calling, cpu time.Duration
	began, ended := s.callers[0].began, s.callers[0].began
	for _, c := range s.callers {
		started, failed = started+c.made, failed+c.failed
		calling, cpu = calling+c.calling, cpu+c.cpu
		if c.began.Before(began) {
			began = c.began
		}
		if end := c.began.Add(c.ended); end.After(ended) {
			ended = end
		}
	}
	return fmt.Sprintf("done started=%d failed=%d wall_ns=%d call_ns=%d thread_cpu_ns=%d allocated_bytes=%d gc_count=%d gc_ns=%d heap_peak_bytes=%d",
		started, failed, ended.Sub(began), calling, cpu, after.allocated-s.before.allocated,
		after.collections-s.before.collections, after.collecting-s.before.collecting, max(s.course.peak(), after.heap))
}

// write writes the files that the order names, and returns the number of durations.
func (s *stretch) write() (int64, error) {
	if !s.made || !s.order.kept() {
		return 0, errors.New("there is nothing to write: no order with samples= was run")
	}
	var written int64
	for _, c := range s.callers {
		if err := c.write(); err != nil {
			return 0, err
		}
		written += c.made
	}
	if s.order.batches == "" {
		return written, nil
	}
	return written, s.course.write(s.order.batches, s.before)
}

// close gives the arrays back.
func (s *stretch) close() error {
	var errs []error
	for _, c := range s.callers {
		errs = append(errs, c.durations.free(), c.lags.free())
	}
	return errors.Join(errs...)
}
