// What the event loop alone promises.

package load

import (
	"bufio"
	"net"
	"runtime"
	"slices"
	"testing"
	"time"
)

// The loop does not allocate once it runs, so that no garbage collection can
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
		task := Task{Operations: []Request{{Address: addr}}, Rate: 20000, Count: count, Connections: 4}
		p, err := newPlan(t.Context(), task)
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
	for deadline, want := range map[time.Duration]uint64{0: 1, never: 0} {
		l, err := newLoop(&progress{})
		if err != nil {
			t.Fatal(err)
		}
		defer l.shut()
		p, err := newPlan(t.Context(), Task{Operations: []Request{{Address: "127.0.0.1:1"}}, Count: 1})
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
