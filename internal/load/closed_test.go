// A closed loop keeps so many requests under way: by Little's law throughput times mean latency is their number.

package load

import (
	"bufio"
	"math"
	"net"
	"testing"
	"time"
)

func TestClosedLoopIsItsOwnLimit(t *testing.T) {
	const busy = 16
	eachEngine(t, func(t *testing.T, g *Generator) {
		addr := rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) {
			for readRequest(r) {
				time.Sleep(5 * time.Millisecond) // it is the server's work, and not awaited by anything
				if !send(c, okay) {
					return
				}
			}
		})
		l := do(t, g, Task{Operations: []Request{{Address: addr, Method: "GET"}}, Connections: busy, Duration: 2 * time.Second})
		h, err := l.Latency.Decode()
		if err != nil {
			t.Fatal(err)
		}
		under := float64(l.Completed) / l.WallSeconds * h.Mean() / 1e9
		if math.Abs(under/busy-1) > 0.05 {
			t.Errorf("throughput × mean latency is %.2f requests under way, want %d", under, busy)
		}
	})
}
