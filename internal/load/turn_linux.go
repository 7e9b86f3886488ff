// One turn of the event loop: what is due, what sockets say, what is given up.

package load

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// catchUp hears what has happened to the kept connections since the task before:
// those that the server has closed must not be used.
func (l *loop) catchUp() error {
	for {
		events, errno := l.poll.wait(0)
		switch {
		case errno == unix.EINTR:
			continue
		case errno != 0:
			return fmt.Errorf("looking for events: %w", errno)
		}
		for i := range events {
			l.event(&events[i])
		}
		l.flush()
		if len(events) < len(l.poll.events) {
			return nil
		}
	}
}

// turn waits for something to happen and deals with it.
func (l *loop) turn() error {
	patience := l.patience()
	if l.isDeaf(patience) {
		l.poll.sleep(patience)
		l.clock()
		l.fall()
		l.flush()
		patience = 0
	}
	events, errno := l.poll.wait(patience)
	l.clock()
	if errno != 0 && errno != unix.EINTR {
		return fmt.Errorf("waiting for events: %w", errno)
	}
	l.fall()
	l.flush()
	for i := range events {
		l.event(&events[i])
		l.proceed()
	}
	l.expire()
	l.proceed()
	l.shown.store(l.thread, l.tally)
	return nil
}

// proceed does what the ends of calls have made possible.
func (l *loop) proceed() {
	l.rerun()
	l.serve()
	l.fall()
	l.flush()
}

// patience is how long the loop has nothing to do unless a socket has news.
func (l *loop) patience() time.Duration {
	until := never
	if !l.crowded() && !l.feeder.over(l.now) {
		until = l.feeder.wake(l.underWay())
	}
	if k := l.busy.first; k != nil {
		until = min(until, k.deadline)
	}
	if !l.waiting.empty() {
		until = min(until, l.plan.deadline(l.waiting.first().at))
	}
	return min(max(until-l.clock(), 0), mostSleep)
}

// mostOpening is how many connections a closed loop opens at a time: fewer than
// servers usually let wait to be accepted.
const mostOpening = 256

// crowded reports whether a closed loop must not begin operations because so many
// connections are being opened.
func (l *loop) crowded() bool { return l.plan.task.Rate == 0 && l.opening >= mostOpening }

// underWay is how many operations have begun and not ended, those that wait for a connection among them.
func (l *loop) underWay() int { return l.busy.size + l.waiting.size() }

// fall begins the operations that have fallen due.
func (l *loop) fall() {
	for !l.crowded() {
		a, ok := l.feeder.take(l.now, l.underWay())
		if !ok {
			return
		}
		l.tally.due(a.at)
		w := wait{a, l.now}
		if l.now >= l.plan.deadline(a.at) {
			l.forget(w)
		} else if !l.waiting.empty() || !l.begin(w, l.now) {
			l.waiting.push(w)
		}
		l.clock()
	}
}

// expire gives up what has passed its deadline.
func (l *loop) expire() {
	for k := l.busy.first; k != nil && k.deadline <= l.now; k = l.busy.first {
		l.giveUp(k)
	}
	for !l.waiting.empty() && l.plan.deadline(l.waiting.first().at) <= l.now {
		l.forget(l.waiting.pop())
	}
}

// forget times out an operation that never had a connection.
func (l *loop) forget(w wait) {
	l.tally.late(w.noticed - w.at)
	l.tally.timeOut(w.at, l.now)
}
