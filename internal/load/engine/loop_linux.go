// The event loop: one thread, one epoll set, its share of the connections. It
// sleeps in the kernel until the next operation is due or a socket has news.

package engine

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"golang.org/x/sys/unix"
)

const (
	// edgeTriggered is EPOLLET without the sign that it has in Go.
	edgeTriggered = 1 << 31
	// wakeSlot marks the event of loop.wakeup.
	wakeSlot = -1
	// mostSleep bounds one wait if only sockets can end it.
	mostSleep = time.Hour
)

// loop carries out one thread's share of a task. All of it belongs to its thread.
type loop struct {
	poll    poll
	wakeup  int // an eventfd that ends a wait
	shown   *progress
	conns   []*conn // by slot
	free    []int32 // slots
	open    int     // connections
	opening int     // of these, still opening
	made    int     // connections so far
	tasks   uint32  // so far
	servers map[string]*server

	// Buffers that all connections share; none needs its own:
	buf   []byte   // bytes from a socket
	room  []byte   // a request
	spare [][]byte // write buffers
	ended []*call

	stamps stamps

	// Of the task under way:
	plan    *plan
	targets []*server // by index in plan.targets
	most    int       // connections that may be open
	walks   bool      // an operation has several steps, which wait for each other's answers
	feeder  load.Feeder
	tally   *tally
	waiting queue
	busy    busyList
	again   callQueue // calls that lost their connection, to be made on another
	thread  int
	start   time.Time
	now     time.Duration // the clock at its last reading, since start
	freed   time.Duration // when a connection was last freed
}

func newLoop(shown *progress) (*loop, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, wrongSetting("epoll_create1", err)
	}
	wakeup, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, wrongSetting("eventfd", closing(epoll, err))
	}
	l := &loop{
		poll:   poll{fd: epoll, events: make([]unix.EpollEvent, 256)},
		wakeup: wakeup, shown: shown,
		buf:     make([]byte, 64<<10),
		servers: map[string]*server{},
	}
	if err := l.poll.add(wakeup, unix.EPOLLIN, wakeSlot, 0); err != nil {
		l.shut()
		return nil, wrongSetting("epoll_ctl", err)
	}
	if _, errno := l.poll.wait(0); errno != 0 {
		l.shut()
		return nil, wrongSetting("epoll_pwait2 (Linux 5.11 or later)", errno)
	}
	return l, nil
}

// shut closes everything. The loop must not be running.
func (l *loop) shut() {
	for _, c := range l.conns {
		if c.fd >= 0 {
			l.close(c)
		}
	}
	_ = unix.Close(l.wakeup)
	_ = unix.Close(l.poll.fd)
}

// run carries out one thread's share of p and returns its tally. If ctx ends first, operations under way count as failed.
func (l *loop) run(ctx context.Context, p *plan, thread int, start time.Time) (*tally, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	exact, err := exactTimers()
	if err != nil {
		return nil, err
	}
	defer exact.restore()
	l.prepare(p, thread, start)
	defer l.heed(ctx)()
	if err := l.catchUp(); err != nil {
		return l.tally, err
	}
	for !l.finished() {
		if ctx.Err() != nil {
			l.abandon()
			break
		}
		if err := l.turn(); err != nil {
			l.abandon()
			return l.tally, err
		}
	}
	l.shown.store(thread, l.tally)
	return l.tally, nil
}

func (l *loop) prepare(p *plan, thread int, start time.Time) {
	l.plan, l.start = p, start
	l.targets = l.targets[:0]
	for _, t := range p.targets {
		l.targets = append(l.targets, l.server(t))
	}
	l.most = p.task.Open(thread)
	l.feeder = load.NewFeeder(p.task, thread)
	l.tally = newTally(p.task)
	l.tasks++
	l.thread = thread
	l.stamps.on = p.task.Rate > 0
	l.unstamp()
	l.poll.hold = runtime.GOMAXPROCS(0) >= p.task.Threads+2
	l.walks = p.walks()
	l.trim()
	l.clock()
}

// heed makes the end of ctx wake the loop. The returned function undoes that, and returns once nothing can use the loop's
// files.
func (l *loop) heed(ctx context.Context) func() {
	woken := make(chan struct{})
	forget := context.AfterFunc(ctx, func() {
		defer close(woken)
		// Fails only if the counter would overflow, and then it wakes all the same.
		_, _ = unix.Write(l.wakeup, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	})
	return func() {
		if !forget() {
			<-woken
		}
	}
}

// clock reads the time since the task's start.
func (l *loop) clock() time.Duration {
	l.now = time.Since(l.start)
	return l.now
}

func (l *loop) finished() bool {
	return l.busy.size == 0 && l.waiting.empty() && l.feeder.Over(l.now)
}

// abandon ends everything under way as cancelled.
func (l *loop) abandon() {
	now := l.clock()
	for k := l.busy.first; k != nil; k = l.busy.first {
		l.busy.remove(k)
		l.tally.fail(errCancelled.Error(), now)
		if k.conn != nil && k.conn.fd >= 0 {
			l.close(k.conn)
		}
	}
	l.again = callQueue{}
	for !l.waiting.empty() {
		w := l.waiting.pop()
		l.tally.late(w.noticed - w.At)
		l.tally.fail(errCancelled.Error(), now)
	}
}

// One turn of the event loop: due operations, news of sockets, expired operations.

// catchUp handles the events of kept connections since the task before: those that the server has closed must not be used.
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
		if len(events) < len(l.poll.events) {
			return nil
		}
	}
}

// turn waits for events and handles them.
func (l *loop) turn() error {
	patience := l.patience()
	if l.isDeaf(patience) {
		l.poll.sleep(patience)
		l.clock()
		l.fall()
		patience = 0
	}
	events, errno := l.poll.wait(patience)
	l.clock()
	if errno != 0 && errno != unix.EINTR {
		return fmt.Errorf("waiting for events: %w", errno)
	}
	l.fall()
	for i := range events {
		l.event(&events[i])
		l.proceed()
	}
	l.expire()
	l.proceed()
	l.shown.store(l.thread, l.tally)
	return nil
}

// proceed starts the calls that ended calls have made possible.
func (l *loop) proceed() {
	l.rerun()
	l.serve()
	l.fall()
}

// patience returns how long the loop has nothing to do unless a socket has news.
func (l *loop) patience() time.Duration {
	until := load.Never
	if !l.crowded() && !l.feeder.Over(l.now) {
		until = l.feeder.Wake(l.underWay())
	}
	if k := l.busy.first; k != nil {
		until = min(until, k.deadline)
	}
	if !l.waiting.empty() {
		until = min(until, l.plan.deadline(l.waiting.first().At))
	}
	return min(max(until-l.clock(), 0), mostSleep)
}

// mostOpening is the number of connections that a closed loop opens at a time: fewer than the usual backlog of servers.
const mostOpening = 256

// crowded reports whether a closed loop must not begin operations because too many connections are being opened.
func (l *loop) crowded() bool { return l.plan.task.Rate == 0 && l.opening >= mostOpening }

// underWay returns the number of operations begun but not ended, including those that wait for a connection.
func (l *loop) underWay() int { return l.busy.size + l.waiting.size() }

// fall begins the operations that are due.
func (l *loop) fall() {
	for !l.crowded() {
		a, ok := l.feeder.Take(l.now, l.underWay())
		if !ok {
			return
		}
		l.tally.due(a.At)
		w := wait{a, l.now}
		if l.now >= l.plan.deadline(a.At) {
			l.forget(w)
		} else if !l.waiting.empty() || !l.begin(w, l.now) {
			l.waiting.push(w)
		}
		l.clock()
	}
}

// expire gives up operations that have passed their deadline.
func (l *loop) expire() {
	for k := l.busy.first; k != nil && k.deadline <= l.now; k = l.busy.first {
		l.giveUp(k)
	}
	for !l.waiting.empty() && l.plan.deadline(l.waiting.first().At) <= l.now {
		l.forget(l.waiting.pop())
	}
}

// forget times out an operation that never had a connection.
func (l *loop) forget(w wait) {
	l.tally.late(w.noticed - w.At)
	l.tally.timeOut(w.At, l.now)
}

// event handles the news of a socket.
func (l *loop) event(ev *unix.EpollEvent) {
	if ev.Fd == wakeSlot {
		return
	}
	c, age := l.conns[ev.Fd], uint32(ev.Pad)
	if !c.is(age) {
		return // of a connection closed since
	}
	const broken = unix.EPOLLERR | unix.EPOLLHUP
	if !c.up && (ev.Events&(unix.EPOLLOUT|broken) == 0 || !l.connected(c)) {
		return
	}
	if len(c.out) > 0 && ev.Events&(unix.EPOLLOUT|broken) != 0 {
		l.resume(c)
		l.afterSession(c)
		if !c.is(age) {
			return
		}
	}
	if ev.Events&(unix.EPOLLIN|unix.EPOLLRDHUP|broken) != 0 {
		l.read(c, ev.Events&(unix.EPOLLRDHUP|broken) != 0)
	}
}

// engines carry out tasks over HTTP/1.1 by the event loop, those with TLS or gRPC by net/http.
type engines struct {
	*loop
	*client
}

func newEngine(shown *progress) (engine, error) {
	l, err := newLoop(shown)
	return &engines{l, newClient(shown)}, err
}

func (e *engines) run(ctx context.Context, p *plan, thread int, start time.Time) (*tally, error) {
	if p.plain() {
		return e.loop.run(ctx, p, thread, start)
	}
	return e.client.run(ctx, p, thread, start)
}

func (e *engines) shut() {
	e.loop.shut()
	e.client.shut()
}
