// The generator against servers that misbehave: each ends in the right count,
// and the load goes on.

package engine

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
)

const okay = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func send(c net.Conn, text string) bool {
	_, err := io.WriteString(c, text)
	return err == nil
}

func TestMisbehavingServers(t *testing.T) {
	answers := func(text string) func(int, net.Conn, *bufio.Reader) {
		return func(_ int, c net.Conn, r *bufio.Reader) {
			for readRequest(r) && send(c, text) {
			}
		}
	}
	once := func(text string) func(int, net.Conn, *bufio.Reader) {
		return func(_ int, c net.Conn, r *bufio.Reader) {
			if readRequest(r) {
				send(c, text)
			}
		}
	}
	for _, c := range []struct {
		name  string
		serve func(int, net.Conn, *bufio.Reader)
		kind  string // of every failure; "" where all succeed

		coarse string // the same over net/http, where it differs
	}{
		{"answers", answers(okay), "", ""},
		{"closes after each response without a word", once(okay), "", ""},
		{"ends the body by closing", once("HTTP/1.1 200 OK\r\n\r\nall of it"), "", ""},
		{"interim responses", answers("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + okay), "", ""},
		{"more than was asked for", answers(okay + "surplus"), "", errNotUnderstood.Error()}, // where it comes before the next request
		{"chunks, byte by byte", dribble("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\nT: u\r\n\r\n"), "", ""},
		{"a large body", answers("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + strings.Repeat("x", 1000000)), "", ""},
		{"closes without an answer", once(""), "connection closed before the response", ""},
		{"closes in the headers", once("HTTP/1.1 200 OK\r\nConte"), "connection closed in the response", errNotUnderstood.Error()},
		{"closes in the body", once("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"), "connection closed in the response", ""},
		{"resets", reset, "connection reset", ""},
		{"speaks HTTP/2", once("\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64"), ErrOnlyHTTP2.Error(), errNotUnderstood.Error()},
		{"says good-bye by HTTP/2", once("\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"), ErrOnlyHTTP2.Error(), errNotUnderstood.Error()},
		{"garbage", answers("\x00\x01garbage\n"), "bad response: not HTTP/1.1", errNotUnderstood.Error()},
		{"huge headers", once("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 3<<20)), "bad response: headers too large", "connection closed before the response"},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, g *Generator) {
				addr := rawServer(t, c.serve)
				const n = 20
				l := do(t, g, load.Task{Operations: []load.Request{{Address: addr}}, Connections: 2, Count: n})
				kind, also := c.kind, uint64(0)
				if _, other := g.engines[0].(*client); other && c.coarse != "" {
					kind = c.coarse
					if c.kind == "" { // some may succeed
						also = l.Completed
					}
				}
				if kind == "" && l.Completed != n || kind != "" && l.Errors[kind]+also != n {
					t.Errorf("%d of %d completed, errors %v, want %q", l.Completed, n, l.Errors, kind)
				}
			})
		})
	}
}

// dribble answers with single bytes, each a segment of its own.
func dribble(text string) func(int, net.Conn, *bufio.Reader) {
	return func(_ int, c net.Conn, r *bufio.Reader) {
		for readRequest(r) {
			for i := range text {
				if !send(c, text[i:i+1]) {
					return
				}
			}
		}
	}
}

// reset answers half, and breaks the connection off so that the other side sees
// a reset instead of an end.
func reset(_ int, c net.Conn, r *bufio.Reader) {
	if readRequest(r) {
		// Without lingering, the close sends a reset; it also throws away what
		// was written and not read yet.
		if err := c.(*net.TCPConn).SetLinger(0); err != nil {
			panic(err)
		}
	}
}

// A request on a kept connection that closes unanswered goes out once more if
// it may, and only then.
func TestStaleConnections(t *testing.T) {
	for _, c := range []struct {
		method            string
		completed, resent uint64
		requests          int64
	}{
		{"GET", 2, 1, 3},
		{"POST", 1, 0, 2},
	} {
		eachEngine(t, func(t *testing.T, g *Generator) {
			var requests atomic.Int64
			addr := rawServer(t, func(n int, c net.Conn, r *bufio.Reader) {
				for readRequest(r) {
					if requests.Add(1) == 2 || !send(c, okay) {
						return
					}
				}
			})
			l := do(t, g, load.Task{Operations: []load.Request{{Address: addr, Method: c.method}}, Count: 2})
			if l.Completed != c.completed || l.Resent != c.resent || requests.Load() != c.requests || l.Started != 2 {
				t.Errorf("%s: %d completed, %d resent, %d started, %d requests at the server; want %d, %d, 2, %d",
					c.method, l.Completed, l.Resent, l.Started, requests.Load(), c.completed, c.resent, c.requests)
			}
		})
	}
}

// A connection that the server closed between two tasks is not used again, also
// for what must not be sent twice.
func TestConnectionClosedWhileIdle(t *testing.T) {
	eachEngine(t, func(t *testing.T, g *Generator) {
		closed := make(chan struct{}, 10)
		addr := rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) {
			defer func() { c.Close(); closed <- struct{}{} }()
			if readRequest(r) {
				send(c, okay)
			}
		})
		for range 3 {
			l := do(t, g, load.Task{Operations: []load.Request{{Address: addr, Method: "POST"}}, Count: 1})
			if l.Completed != 1 || l.Connected != 1 {
				t.Fatalf("%+v", l)
			}
			<-closed
		}
	})
}

// Requests to two servers share the connections that may be open.
func TestMixOverTwoServers(t *testing.T) {
	eachEngine(t, func(t *testing.T, g *Generator) {
		var n [2]atomic.Int64
		var ops []load.Request
		for i := range n {
			ops = append(ops, load.Request{Address: rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) {
				for readRequest(r) {
					n[i].Add(1)
					if !send(c, okay) {
						return
					}
				}
			})})
		}
		l := do(t, g, load.Task{Operations: ops, Rate: 2000, Count: 100, Connections: 1, Timeout: 5 * time.Second})
		if l.Completed != 100 || n[0].Load()+n[1].Load() != 100 || n[0].Load() == 0 || n[1].Load() == 0 {
			t.Errorf("%d and %d requests; %+v", n[0].Load(), n[1].Load(), l)
		}
	})
}

// Where an answer leads is told: as the failure where another status is right, beside what was completed where none is
// said to be. The kinds of that are few, whatever a server does.
func TestRedirects(t *testing.T) {
	for name, c := range map[string]struct {
		answer            func(int) string
		status            []int
		errors, redirects map[string]uint64
	}{
		"another is right": {func(int) string { return "302 Found\r\nLocation: /login?next=%2F" }, []int{200}, map[string]uint64{"status 302 to /login": 20}, nil},
		"any is right":     {func(int) string { return "302 Found\r\nLocation: /login?next=%2F" }, nil, nil, map[string]uint64{"302 to /login": 20}},
		"it is right":      {func(int) string { return "302 Found\r\nLocation: /login" }, []int{302}, nil, nil},
		"nowhere":          {func(int) string { return "304 Not Modified" }, nil, nil, nil},
		"no redirect":      {func(int) string { return "201 Created\r\nLocation: /orders/1" }, nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, g *Generator) {
				addr := rawServer(t, func(_ int, conn net.Conn, r *bufio.Reader) {
					for n := 0; readRequest(r) && send(conn, "HTTP/1.1 "+c.answer(n)+"\r\nContent-Length: 0\r\n\r\n"); n++ {
					}
				})
				l := do(t, g, load.Task{Operations: []load.Request{{Address: addr, Status: c.status}}, Connections: 1, Count: 20})
				if !maps.Equal(l.Errors, c.errors) || !maps.Equal(l.Redirects, c.redirects) {
					t.Errorf("errors %v, redirects %v; want %v, %v", l.Errors, l.Redirects, c.errors, c.redirects)
				}
			})
		})
	}
	many := newTally(load.Task{})
	for i := range 1000 {
		many.fail(strconv.Itoa(i), 0)
	}
	if len(many.errors) > mostKinds+1 || many.errors["other"] != 1000-mostKinds {
		t.Errorf("%d kinds, %d of no kind of their own", len(many.errors), many.errors["other"])
	}
}

// The beginning of a wrong answer is told with its status where that is asked for, and nothing of a right one.
func TestWrongAnswersAreShown(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, c := range map[string]struct {
		status, body string
		shows        bool
		want         string
	}{
		"asked for":     {"415 Unsupported", `{"error": "JSON\n, please"}`, true, `status 415 with {"error": "JSON\n, please"}`},
		"not asked for": {"415 Unsupported", "no", false, "status 415"},
		"long":          {"500 Oops", long, true, "status 500 with " + long[:200] + "…"},
		"empty":         {"500 Oops", "", true, "status 500"},
		"right":         {"200 OK", "yes", true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, g *Generator) {
				addr := rawServer(t, func(_ int, conn net.Conn, r *bufio.Reader) {
					for readRequest(r) && send(conn, fmt.Sprintf("HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s", c.status, len(c.body), c.body)) {
					}
				})
				l := do(t, g, load.Task{Operations: []load.Request{{Address: addr}}, Connections: 1, Count: 4, Shows: c.shows})
				want := map[string]uint64{c.want: 4}
				if c.want == "" {
					want = nil
				}
				if !maps.Equal(l.Errors, want) || c.want == "" && l.BodyBytes != uint64(4*len(c.body)) {
					t.Errorf("errors %v, %d bytes; want %v", l.Errors, l.BodyBytes, want)
				}
			})
		})
	}
}

// A server that breaks off whatever is not HTTP/2 is known by what it says to HTTP/2.
func TestOnlyHTTP2(t *testing.T) {
	var only http.Protocols
	only.SetUnencryptedHTTP2(true)
	for name, c := range map[string]struct {
		protocols *http.Protocols
		want      bool
	}{"alone": {&only, true}, "HTTP/1.1": {nil, false}} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Protocols: c.protocols, Handler: http.NotFoundHandler()}
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(l) }()
		if got := OnlyHTTP2(l.Addr().String()); got != c.want {
			t.Errorf("%s: HTTP/2 alone is %t", name, got)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}
}

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
		l := do(t, g, load.Task{Operations: []load.Request{{Address: addr}}, Rate: 80, Duration: time.Second, Threads: 2, Connections: 100})
		if n := len(l.Backlog); n != tenths {
			t.Fatalf("%d looks at the backlog, want %d", n, tenths)
		}
		// At least half of 80 are left: the server can't do more than 40 in the time.
		if last := l.Backlog[tenths-1]; last < 35 || last > l.Intended || !slices.IsSorted(l.Backlog) {
			t.Errorf("80 asked of a service of 40: backlog %v", l.Backlog)
		}
		fast := httpServer(t, func(http.ResponseWriter, *http.Request) {})
		if l := do(t, g, load.Task{Operations: []load.Request{{Address: fast}}, Connections: 2, Duration: 100 * time.Millisecond}); l.Backlog != nil {
			t.Errorf("a closed loop has a backlog: %v", l.Backlog)
		}
	})
}
