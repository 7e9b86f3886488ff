// What the generator sees beside the answers: that these wait for a delayed acknowledgement, and over how many connections they came.

package engine

import (
	"bufio"
	"net"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
)

// inPieces serves answers in pieces, and waits before each but the first.
func inPieces(t *testing.T, wait time.Duration, pieces ...string) string {
	return rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) {
		for readRequest(r) {
			for i, piece := range pieces {
				if i > 0 {
					time.Sleep(wait)
				}
				if !send(c, piece) {
					return
				}
			}
		}
	})
}

// An answer whose second piece comes as late as a delayed acknowledgement makes it is counted; one in a piece, a slower one, a
// quicker one and a stream are not.
func TestWaitsForDelayedAcknowledgementsAreCounted(t *testing.T) {
	const head, n = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", 5
	for name, c := range map[string]struct {
		wait   time.Duration
		pieces []string
		counts bool
	}{
		"in two pieces, 42 ms apart": {42 * time.Millisecond, []string{head, "okay"}, true},
		"in one piece":               {42 * time.Millisecond, []string{head + "okay"}, false},
		"80 ms apart":                {80 * time.Millisecond, []string{head, "okay"}, false},
		"10 ms apart":                {10 * time.Millisecond, []string{head, "okay"}, false},
		"a stream":                   {42 * time.Millisecond, []string{head, "o", "k", "ay"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := newTestGenerator(t)
			l := do(t, g, load.Task{Operations: []load.Request{{Address: inPieces(t, c.wait, c.pieces...)}}, Connections: 1, Count: n})
			if l.Completed != n || (l.PutOff > 0) != c.counts {
				t.Errorf("%d of %d put off", l.PutOff, l.Completed)
			}
		})
	}
}

// A server with Nagle's algorithm on that writes an answer in two is seen to wait for this kernel's acknowledgement.
func TestNaglesAlgorithmIsSeen(t *testing.T) {
	addr := rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) {
		if err := c.(*net.TCPConn).SetNoDelay(false); err != nil {
			t.Error(err)
		}
		for readRequest(r) && send(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n") && send(c, "okay") {
		}
	})
	g := newTestGenerator(t)
	l := do(t, g, load.Task{Operations: []load.Request{{Address: addr}}, Connections: 1, Count: 60})
	if l.Completed != 60 || l.PutOff == 0 {
		t.Errorf("%d of %d put off", l.PutOff, l.Completed)
	}
}

// The connections of a task are those that carried its requests, whether it opened them or an earlier task did: at a rate as few as
// there are requests under way, in a closed loop all.
func TestConnectionsInUseAreCounted(t *testing.T) {
	addr := inPieces(t, 0, okay)
	g := newTestGenerator(t)
	for _, c := range []struct {
		task              load.Task
		least, most, open uint64
	}{
		{load.Task{Connections: 4, Count: 200}, 4, 4, 4},
		{load.Task{Connections: 4, Count: 200}, 4, 4, 0},
		{load.Task{Connections: 4, Rate: 20, Count: 4, Arrivals: load.Constant}, 1, 1, 0},
	} {
		c.task.Operations = []load.Request{{Address: addr}}
		if l := do(t, g, c.task); l.Used < c.least || l.Used > c.most || l.Connected > c.open {
			t.Errorf("%+v: %d used, %d opened", c.task, l.Used, l.Connected)
		}
	}
}
