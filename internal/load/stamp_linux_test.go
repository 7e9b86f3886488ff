// Time: when bytes came, and what waiting for it costs.

package load

import (
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Bytes are read with the time at which they came, however much later they are read.
func TestStampsOfTheKernel(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s := newScene(t, 1)
	l, c := s.loop, s.conn
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
	_ = unix.Close(c.fd)
	c.fd = fd
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
		if came := l.stamps.came; came != never {
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
	request := Request{Address: "127.0.0.1:1"}
	for deaf, then := range map[bool][]Request{true: nil, false: {request}} {
		l, err := newLoop(&progress{})
		if err != nil {
			t.Fatal(err)
		}
		defer l.shut()
		first := request
		first.Then = then
		p, err := newPlan(t.Context(), Task{Operations: []Request{first}, Rate: 1000, Count: 1})
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
		p, err := newPlan(t.Context(), Task{Operations: []Request{{Address: addr}}, Rate: rate, Duration: 400 * time.Millisecond})
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
