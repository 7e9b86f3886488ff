// What the generator sees beside the answers: that these wait for a delayed acknowledgement, and over how many connections they came.

package engine

import (
	"bufio"
	"net"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
)

// An answer of which one piece comes as late as a delayed acknowledgement makes it waited for one; one in a piece, a slower one, a
// quicker one and a stream did not.
func TestWaitsForDelayedAcknowledgementsAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		came   []time.Duration // ms
		waited bool
	}{
		"in two pieces":       {[]time.Duration{100, 142}, true},
		"in three":            {[]time.Duration{100, 142, 142}, true},
		"as late as it may":   {[]time.Duration{100, 150}, true},
		"in one piece":        {[]time.Duration{100}, false},
		"in one, after 42 ms": {[]time.Duration{42}, false},
		"later":               {[]time.Duration{100, 151}, false},
		"sooner":              {[]time.Duration{100, 138}, false},
		"a stream":            {[]time.Duration{100, 142, 184}, false},
	} {
		var h http1
		for _, at := range c.came {
			h.watch(at * time.Millisecond)
			h.response.status = 200
		}
		if h.waited() != c.waited {
			t.Errorf("%s: %d waits", name, h.waits)
		}
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
	addr := rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) {
		for readRequest(r) && send(c, okay) {
		}
	})
	g := newTestGenerator(t)
	for _, c := range []struct {
		task              load.Task
		least, most, open uint64
	}{
		{load.Task{Connections: 4, Count: 200}, 4, 4, 4},
		{load.Task{Connections: 4, Count: 200}, 4, 4, 0},
		{load.Task{Connections: 4, Rate: 20, Count: 4, Arrivals: load.Constant}, 1, 3, 0},
	} {
		c.task.Operations = []load.Request{{Address: addr}}
		if l := do(t, g, c.task); l.Used < c.least || l.Used > c.most || l.Connected > c.open {
			t.Errorf("%+v: %d used, %d opened", c.task, l.Used, l.Connected)
		}
	}
}
