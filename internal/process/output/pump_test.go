package output

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pipeOf is a pipe with a pump at its end, which is not running yet, and what it has taken.
func pipeOf(t *testing.T) (p *pump, w *os.File, taken *atomic.Int64) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	taken = new(atomic.Int64)
	p = newPump(r, func(b []byte) { taken.Add(int64(len(b))) })
	return p, w, taken
}

// fill writes to a pipe until no more goes in, so much at once.
func fill(t *testing.T, w *os.File, at int) (wrote int64) {
	t.Helper()
	raw, err := w.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	text := make([]byte, at)
	err = raw.Control(func(fd uintptr) {
		for {
			n, err := syscall.Write(int(fd), text)
			if errors.Is(err, syscall.EAGAIN) {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			wrote += int64(n)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return wrote
}

// What is in the pipe is taken whole before the pump pauses: with a pause a read, a program is held to so many bytes a pause.
func TestAFullPipeIsEmptiedBeforeAPause(t *testing.T) {
	for _, at := range []int{64 << 10, 100, 2500} { // the last leaves a part of every page empty
		before := time.Now() // the pump has not looked since it was made
		p, w, taken := pipeOf(t)
		first := make(chan int64)
		p.rest = func(time.Duration) { first <- taken.Load(); p.rest = func(time.Duration) {} }
		wrote := fill(t, w, at)
		go p.run()
		go func() { _ = w.Close() }() // a pump that found much does not pause before the end
		select {
		case got := <-first:
			if got != wrote {
				t.Errorf("writes of %d: a pause after %d bytes of %d", at, got, wrote)
			}
		case <-p.ended:
		}
		<-p.ended
		if taken.Load() != wrote {
			t.Errorf("writes of %d: %d bytes of %d were taken", at, taken.Load(), wrote)
		}
		if full := p.wasFull(); full <= 0 || full > time.Since(before) {
			t.Errorf("writes of %d: it was full for %v", at, full)
		}
	}
}

// The time for which a writer had to wait is known, and it is 0 where none had to.
func TestHowLongAPipeWasFull(t *testing.T) {
	p, w, taken := pipeOf(t)
	stalled, goOn := make(chan struct{}), make(chan struct{})
	p.to = func(b []byte) { // as a log on a slow disk
		if taken.Add(int64(len(b))) == 1 {
			stalled <- struct{}{}
			<-goOn
		}
	}
	go p.run()
	if _, err := w.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	<-stalled
	before := time.Now()
	fill(t, w, 4096)
	const waits = 30 * time.Millisecond
	time.Sleep(waits) // the writer waits: this is the time that is to be told
	goOn <- struct{}{}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	<-p.ended
	if full := p.wasFull(); full < waits || full > time.Since(before) {
		t.Errorf("full for %v, want %v at least and %v at most", full, waits, time.Since(before))
	}

	p, w, _ = pipeOf(t)
	go p.run()
	for range 5000 { // without a wait, so some come while the pump pauses; far less than the pipe holds
		if _, err := w.WriteString("a line of a request\n"); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close()
	<-p.ended
	if full := p.wasFull(); full != 0 {
		t.Errorf("a pipe that was never full was so for %v", full)
	}
}

func TestNextPause(t *testing.T) {
	const holds = 1 << 20
	tests := []struct {
		last time.Duration
		most int
		want time.Duration
	}{
		{mostPause, 0, mostPause},
		{mostPause, holds / 8, mostPause},
		{0, 100, leastPause},
		{4 * time.Millisecond, holds / 8, 5 * time.Millisecond},
		{mostPause, holds/4 + 1, mostPause / 2},
		{leastPause, holds/2 - 1, leastPause},
		{mostPause, holds/2 + 1, 0},
		{0, holds, 0},
	}
	for _, test := range tests {
		if got := nextPause(test.last, test.most, holds); got != test.want {
			t.Errorf("after %v and %d bytes: %v, want %v", test.last, test.most, got, test.want)
		}
	}
}

// A pipe that may not be as large is as large as may be.
func TestEnlarge(t *testing.T) {
	p, w, _ := pipeOf(t)
	size, err := unix.FcntlInt(w.Fd(), unix.F_GETPIPE_SZ, 0)
	if err != nil || size != p.holds || size < usualSize {
		t.Errorf("the pipe holds %d, want %d; error %v", size, p.holds, err)
	}
}

func BenchmarkLog(b *testing.B) {
	l, err := Create(b.TempDir()+"/x.log", 64<<20)
	if err != nil {
		b.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	l.Follow(r)
	line := make([]byte, 30_000)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := w.Write(line); err != nil {
			b.Fatal(err)
		}
	}
	_ = w.Close()
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(l.Full().Nanoseconds())/float64(b.N), "ns-full/op")
}
