// The order of a block: whether its variants live at the same time, and how the load goes through them.

package config

import (
	"cmp"
	"fmt"
	"math"
	"net"
	"net/url"
	"strings"
	"time"
)

// What a window of an order has at least.
const (
	shortestWindow = 100 * time.Millisecond
	leastInWindow  = 20 // operations, where there is a rate
	delaysInWindow = 5  // times the longest delay of a tracer: a shorter one finds its batches half full
	mostWindows    = 1000
	windowsOfCalls = 10   // where a number of operations ends a window
	leastOfCalls   = 1000 // operations in each of these
)

// ownOrder is the order of an experiment whose file names none: windows, unless its variants cannot live beside each other.
func (e *Experiment) ownOrder() Order {
	if len(e.Variants) < 2 || e.Beside() != "" {
		return Apart
	}
	return Windows
}

// Beside is why the variants of a block cannot live beside each other; "" where they can.
func (e *Experiment) Beside() string {
	w := e.Workload
	switch {
	case w == nil:
		return ""
	case len(w.Prepare)+len(w.Cleanup) > 0:
		return fmt.Sprintf("what %s has as prepare and cleanup for one variant would disturb the others", w.Name)
	}
	for _, p := range w.Processes {
		if at, fixed := fixedPort(p.Ready); fixed {
			return fmt.Sprintf("process %s is always at %s, which two variants cannot share; write {port} instead", p.Name, at)
		}
	}
	for _, o := range e.Operations {
		if at, fixed := fixedPort(o.URL); fixed {
			return fmt.Sprintf("operation %s always asks %s, which two variants cannot share; write {port} instead", printable(o.Name), at)
		}
	}
	return ""
}

// fixedPort is the address on this machine in a text, where its port is written as a number.
func fixedPort(text string) (string, bool) {
	if strings.HasPrefix(text, "log:") {
		return "", false
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", false // it holds a placeholder
	}
	ip := net.ParseIP(u.Hostname())
	if u.Port() == "" || u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", false
	}
	return u.Host, true
}

// orders finds what does not go with the order that the file names.
func (e *Experiment) orders() []misfit {
	d, at := e.Design, []string{"design", "order"}
	if why := e.Beside(); d.Order.Together() && why != "" {
		return []misfit{{at: at, text: fmt.Sprintf("order %s: %s; or leave the order out", d.Order, why)}}
	}
	if d.Order != Woven {
		return nil
	}
	switch l := e.Load; {
	case l.Capacity != nil:
		return []misfit{{at: at, text: "in the order woven each variant would search for its capacity while the others are in its way; write order: windows"}}
	case l.Closed(), e.self() && l.Calls > 0:
		return []misfit{{at: at, text: "the order woven needs a rate: without one each variant takes what the others leave; name a rate, or write order: windows"}}
	}
	return nil
}

// Windows is how many windows an operation has in a run, and how long each is, where the load goes through the variants
// in turn: as many as make up the duration. Each has 20 operations and is five times as long as delay, the longest of the
// variants' tracers: in a shorter one fixed costs of an export would be shared by too few spans.
func (l Load) Windows(o Operation, delay time.Duration) (int, time.Duration) {
	least := max(shortestWindow, delaysInWindow*delay)
	if rate := cmp.Or(o.Rate, l.Rate); rate > 0 {
		least = max(least, time.Duration(math.Ceil(leastInWindow/rate*float64(time.Second))))
	}
	n := min(int(l.Duration/least), mostWindows)
	if l.Calls > 0 {
		n = min(windowsOfCalls, int(l.Calls/leastOfCalls))
		if delay > 0 { // nobody knows how long they take
			n = 1
		}
	}
	if n < 2 {
		return 1, l.Duration
	}
	n -= n % 2 // each order and its reverse
	if l.Calls > 0 {
		return n, l.Duration // the longest
	}
	return n, l.Duration / time.Duration(n)
}
