// A stretch of work: prepared, made once, and written.
package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

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
