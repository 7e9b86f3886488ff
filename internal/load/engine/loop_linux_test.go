// What the event loop alone promises.

package engine

import (
	"bufio"
	"net"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"golang.org/x/sys/unix"
)

// The loop does not allocate once it runs, so no garbage collection can
// make it late.
func TestLoopDoesNotAllocate(t *testing.T) {
	addr := rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) {
		answer, request := []byte(okay), make([]byte, 4096)
		for {
			if _, err := c.Read(request); err != nil {
				return
			}
			if _, err := c.Write(answer); err != nil {
				return
			}
		}
	})
	g, err := NewGenerator()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	mallocs := func(count uint64) uint64 {
		task := load.Task{Operations: []load.Request{{Address: addr}}, Rate: 20000, Count: count, Connections: 4}
		p, err := planned(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		sum, err := g.engines[0].run(t.Context(), p, 0, time.Now())
		runtime.ReadMemStats(&after)
		if err != nil || sum.completed != count {
			t.Fatalf("%d of %d completed: %v", sum.completed, count, err)
		}
		return after.Mallocs - before.Mallocs
	}
	mallocs(1000) // opens the connections
	if few, many := mallocs(1000), mallocs(6000); many > few+500 {
		t.Errorf("%d allocations for 6000 operations, %d for 1000", many, few)
	}
}

// An answer that is read after the time-out is a time-out, however it came to that.
func TestAnswerAfterTheTimeout(t *testing.T) {
	for deadline, want := range map[time.Duration]uint64{0: 1, load.Never: 0} {
		l, err := newLoop(&progress{})
		if err != nil {
			t.Fatal(err)
		}
		defer l.shut()
		p, err := planned(t.Context(), load.Task{Operations: []load.Request{{Address: "127.0.0.1:1"}}, Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		l.prepare(p, 0, time.Now().Add(-time.Second))
		c := &conn{server: l.targets[0], load: 1}
		k := &call{walk: walk{op: &p.ops[0]}, deadline: deadline, conn: c}
		l.busy.add(k)
		l.finish(k, 200, "", true)
		if l.tally.timedOut != want || l.tally.completed != 1-want {
			t.Errorf("deadline %v: %d timed out, %d completed", deadline, l.tally.timedOut, l.tally.completed)
		}
	}
}

func TestBusyListKeepsTheOrderOfDeadlines(t *testing.T) {
	var b busyList
	calls := make([]*call, 5)
	for i, d := range []time.Duration{10, 30, 20, 5, 30} {
		calls[i] = &call{nth: uint64(i), deadline: d}
		b.add(calls[i])
	}
	order := func() (nths []uint64) {
		for k := b.first; k != nil; k = k.next {
			nths = append(nths, k.nth)
		}
		return nths
	}
	check := func(want ...uint64) {
		t.Helper()
		if got := order(); !slices.Equal(got, want) || b.size != len(want) {
			t.Fatalf("%v, size %d, want %v", got, b.size, want)
		}
	}
	check(3, 0, 2, 1, 4)
	b.remove(calls[2])
	check(3, 0, 1, 4)
	b.remove(calls[3])
	b.remove(calls[4])
	check(0, 1)
	b.remove(calls[0])
	b.remove(calls[1])
	check()
	if b.first != nil || b.last != nil {
		t.Error("an empty list has ends")
	}
}

// Time: when bytes came, and what waiting for it costs.

// Bytes are read with the time at which they came, however much later they are read.
func TestStampsOfTheKernel(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	l := loopAt(t, load.Task{Operations: []load.Request{{Address: "127.0.0.1:1"}}, Count: 1}, 0)
	l.stamps.on = true
	l.start = time.Now()
	addr := server.Addr().(*net.TCPAddr).AddrPort()
	fd, err := openSocket(addr, addr.Addr())
	if err != nil {
		t.Fatal(err)
	}
	peer, err := server.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	c := l.take(fd)
	l.stamp(c)
	await := func() {
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1); err != nil {
			t.Fatal(err)
		}
	}
	// The kernel begins to stamp some time after it is asked to first.
	for deadline := time.Now().Add(5 * time.Second); ; {
		sent := l.clock()
		if _, err := peer.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		await()
		here := l.clock()
		n, errno := l.receive(c)
		if n != 1 || errno != 0 {
			t.Fatalf("read %d bytes: %v", n, errno)
		}
		if came := l.stamps.came; came != load.Never {
			const slew = time.Millisecond // between the two clocks
			if came < sent-slew || came > here+slew {
				t.Errorf("sent at %v, here at %v, and is said to have come at %v", sent, here, came)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the kernel does not say when bytes come")
		}
	}
}

// With steps no answer is left unread, since the next step waits for it; its waits are as cheap as those without.
func TestAnswersBetweenStepsAreHeard(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3)) // one for the loop, one for the server, and one to spare
	request := load.Request{Address: "127.0.0.1:1"}
	for deaf, then := range map[bool][]load.Request{true: nil, false: {request}} {
		l, err := newLoop(&progress{})
		if err != nil {
			t.Fatal(err)
		}
		defer l.shut()
		first := request
		first.Then = then
		p, err := planned(t.Context(), load.Task{Operations: []load.Request{first}, Rate: 1000, Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		l.prepare(p, 0, time.Now())
		if got := l.isDeaf(mostDeaf); got != deaf || !l.poll.hold {
			t.Errorf("%d steps: deaf %t, want %t; short waits keep the right to run %t, want true", 1+len(then), got, deaf, l.poll.hold)
		}
	}
}

// The pacer sleeps: at a rate that asks little of it, it uses little of its CPU.
func TestPacerDoesNotSpin(t *testing.T) {
	addr := httpServer(t, func(http.ResponseWriter, *http.Request) {})
	for _, rate := range []float64{100, 5000} { // sleeps with an ear open, and without
		g := newTestGenerator(t)
		p, err := planned(t.Context(), load.Task{Operations: []load.Request{{Address: addr}}, Rate: rate, Duration: 400 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		used := make(chan time.Duration)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			before := threadCPU(t)
			if _, err := g.engines[0].run(t.Context(), p, 0, time.Now()); err != nil {
				t.Error(err)
			}
			used <- threadCPU(t) - before
		}()
		if cpu := <-used; cpu > p.task.Duration*3/4 {
			t.Errorf("at %g/s the loop used %v of CPU in %v", rate, cpu, p.task.Duration)
		}
	}
}

func threadCPU(t *testing.T) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		t.Error(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
