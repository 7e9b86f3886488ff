// The work of a measurement of noise, on threads that are bound to their CPUs.

package machine

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// measure makes the rounds of one kind of work, on a thread of its own.
func measure(ctx context.Context, o NoiseOptions, k kind) (rounds []round, err error) {
	n := newNeighbour(o.Other, k)
	defer n.stop()
	var wg sync.WaitGroup
	wg.Go(func() {
		// The thread is never given back: it ends with its binding.
		runtime.LockOSThread()
		if err = bind(o.CPU); err == nil {
			rounds, err = turns(ctx, o, k.make(), n)
		}
	})
	wg.Wait()
	return rounds, err
}

// turns does the work alone and beside the neighbour, the order changing from
// round to round, so a machine that gets slower is in favour of neither.
func turns(ctx context.Context, o NoiseOptions, piece func(), n *neighbour) ([]round, error) {
	pieces := enough(piece, o.Length)
	rounds := make([]round, o.Rounds)
	for i := range rounds {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r := &rounds[i]
		beside := func() error {
			if err := n.work(); err != nil {
				return err
			}
			r.beside = do(piece, pieces)
			n.rest()
			return nil
		}
		if i%2 == 1 {
			if err := beside(); err != nil {
				return nil, err
			}
		}
		r.alone = do(piece, pieces)
		if i%2 == 0 {
			if err := beside(); err != nil {
				return nil, err
			}
		}
	}
	return rounds, nil
}

// enough returns the number of pieces that take about so much CPU time.
func enough(piece func(), length time.Duration) int {
	for n := 1; ; n *= 2 {
		if t := do(piece, n).cpu; t >= length/4 {
			return max(1, int(float64(n)*float64(length)/float64(t)))
		}
	}
}

func do(piece func(), n int) taken {
	begun, used := time.Now(), threadTime()
	for range n {
		piece()
	}
	return taken{cpu: threadTime() - used, wall: time.Since(begun)}
}

func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(fmt.Sprintf("reading the CPU clock of this thread: %v", err)) // Linux always has it
	}
	return time.Duration(t.Nano())
}

func bind(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("binding a thread to CPU %d: %w", cpu, err)
	}
	return nil
}

// neighbour is a thread on another CPU that works on order.
type neighbour struct {
	busy    atomic.Bool
	orders  chan struct{} // one for each stretch of work
	working chan error    // answered when the work has begun
	resting chan struct{} // answered when it has ended
	done    chan struct{}
}

func newNeighbour(cpu int, k kind) *neighbour {
	n := &neighbour{orders: make(chan struct{}), working: make(chan error), resting: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(n.done)
		runtime.LockOSThread() // never given back: it ends with its binding
		err := bind(cpu)
		piece := k.make()
		for range n.orders {
			piece()
			n.working <- err
			for n.busy.Load() {
				piece()
			}
			n.resting <- struct{}{}
		}
	}()
	return n
}

// work returns when the neighbour works.
func (n *neighbour) work() error {
	n.busy.Store(true)
	n.orders <- struct{}{}
	if err := <-n.working; err != nil {
		n.rest()
		return err
	}
	return nil
}

// rest returns when the neighbour works no longer.
func (n *neighbour) rest() {
	n.busy.Store(false)
	<-n.resting
}

func (n *neighbour) stop() {
	close(n.orders)
	<-n.done
}
