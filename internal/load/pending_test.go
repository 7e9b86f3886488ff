package load

import (
	"net/http"
	"slices"
	"testing"
	"time"
)

// A service that takes fewer than it is asked has a backlog that grows to what it
// left undone; one that keeps up has none to speak of.
func TestBacklog(t *testing.T) {
	eachEngine(t, func(t *testing.T, g *Generator) {
		two := make(chan struct{}, 2) // at a time, 50 ms each: 40/s
		addr := httpServer(t, func(http.ResponseWriter, *http.Request) {
			two <- struct{}{}
			time.Sleep(50 * time.Millisecond)
			<-two
		})
		l := do(t, g, Task{Operations: []Request{{Address: addr}}, Rate: 80, Duration: time.Second, Threads: 2, Connections: 100})
		if n := len(l.Backlog); n != tenths {
			t.Fatalf("%d looks at the backlog, want %d", n, tenths)
		}
		// At least half of 80 are left: the server can't do more than 40 in the time.
		if last := l.Backlog[tenths-1]; last < 35 || last > l.Intended || !slices.IsSorted(l.Backlog) {
			t.Errorf("80 asked of a service of 40: backlog %v", l.Backlog)
		}
		fast := httpServer(t, func(http.ResponseWriter, *http.Request) {})
		if l := do(t, g, Task{Operations: []Request{{Address: fast}}, Connections: 2, Duration: 100 * time.Millisecond}); l.Backlog != nil {
			t.Errorf("a closed loop has a backlog: %v", l.Backlog)
		}
	})
}
