// Operations of several steps against a server that wants them in order.

package engine

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/load/feed"
)

// shop wants a login, an order with the token and the session of that, and a look at the order; lets is told of each request first,
// and answers itself where it returns true.
func shop(t *testing.T, seen *counter, lets func(http.ResponseWriter, *http.Request) bool) string {
	t.Helper()
	return httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		seen.add(r.Method + " " + r.URL.Path)
		if lets != nil && lets(w, r) {
			return
		}
		body, err := io.ReadAll(r.Body)
		switch {
		case err != nil:
			w.WriteHeader(http.StatusBadRequest)
		case r.URL.Path == "/login":
			w.Header().Set("Set-Cookie", "session=s 1; Path=/")
			w.Header().Set("Content-Type", "application/json")
			for _, part := range []string{`{"user": {"tokens": ["a", "t\"`, `2"], "id": 17}, "no": null}`} {
				_, _ = io.WriteString(w, part)
				w.(http.Flusher).Flush() // in chunks
			}
		case r.Header.Get("Authorization") != `Bearer t"2` || r.Header.Get("Cookie") != "session=s 1":
			w.WriteHeader(http.StatusForbidden)
		case r.URL.Path == "/orders" && string(body) == `{"token": "t\"2", "user": 17}`:
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, "order id=<a b/c>\n")
		case r.URL.Path == "/orders/a b/c" && r.URL.EscapedPath() == "/orders/a%20b%2Fc":
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
}

func shopping(addr string) load.Request {
	signed := []load.Header{{Name: "Authorization", Value: "Bearer {take.token}"}, {Name: "Cookie", Value: "session={take.session}"}}
	return load.Request{
		Name: "buy", Address: addr, Method: "POST", Path: "/login", Body: []byte("x"),
		Takes: []load.Take{{Name: "token", From: "$.user.tokens[1]"}, {Name: "user", From: `$["user"].id`}, {Name: "session", From: `(?m)^Set-Cookie: session=([^;]+)`}},
		Then: []load.Request{
			{
				Address: addr, Method: "POST", Path: "/orders", Headers: signed, Status: []int{201},
				Body: []byte(`{"token": "{take.token}", "user": {take.user}}`), Takes: []load.Take{{Name: "id", From: "id=<(.*)>"}},
			},
			{Address: addr, Path: "/orders/{take.id}", Headers: signed},
		},
	}
}

// All steps are made in order, once an operation, with the values of the answers before, and count as one operation.
func TestSteps(t *testing.T) {
	closes := func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Connection", "close")
		return false
	}
	for name, lets := range map[string]func(http.ResponseWriter, *http.Request) bool{"connections are kept": nil, "connections are closed": closes} {
		t.Run(name, func(t *testing.T) {
			var seen counter
			addr := shop(t, &seen, lets)
			for _, task := range []load.Task{
				{Connections: 3, Count: 20},
				{Rate: 200, Duration: 200 * time.Millisecond, Threads: 2},
			} {
				task.Operations = []load.Request{shopping(addr)}
				eachEngine(t, func(t *testing.T, g *Generator) {
					l := do(t, g, task)
					if l.Failed+l.TimedOut > 0 || l.Completed == 0 || l.Started != l.Completed {
						t.Errorf("%+v", l)
					}
					for step, n := range seen.take() {
						if n != l.Completed {
							t.Errorf("%s was made %d times in %d operations", step, n, l.Completed)
						}
					}
				})
			}
		})
	}
}

// breaks ends the connection instead of an answer.
func breaks(path string) func(http.ResponseWriter, *http.Request) bool {
	return func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == path {
			_, _ = io.Copy(io.Discard, r.Body)
			panic(http.ErrAbortHandler)
		}
		return false
	}
}

// A step for which there is no connection is told as well.
func TestStepWithoutAConnection(t *testing.T) {
	eachEngine(t, func(t *testing.T, g *Generator) {
		server, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := server.Addr().String()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			c, err := server.Accept()
			server.Close() // the second step finds nobody
			if err == nil {
				defer c.Close()
				if readRequest(bufio.NewReader(c)) {
					send(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
				}
			}
		}()
		defer func() { server.Close(); <-ended }()
		first := load.Request{Address: addr, Then: []load.Request{{Address: addr}}}
		for i, want := range []string{"step 2: connection refused", "step 1: connection refused"} {
			if l := do(t, g, load.Task{Operations: []load.Request{first}, Count: 1}); l.Errors[want] != 1 {
				t.Errorf("operation %d: %v, want %q", i+1, l.Errors, want)
			}
		}
	})
}

// So is one whose connection the system refuses at once.
func TestStepThatCannotBeAsked(t *testing.T) {
	eachEngine(t, func(t *testing.T, g *Generator) {
		const everybody = "255.255.255.255:80" // to whom there are no connections
		first := load.Request{Address: everybody, Then: []load.Request{{Address: everybody}}}
		if l := do(t, g, load.Task{Operations: []load.Request{first}, Count: 1}); l.Errors["step 1: network unreachable"] != 1 {
			t.Errorf("%v", l.Errors)
		}
	})
}

// An operation fails with the step that fails, and makes no further one.
func TestStepsFail(t *testing.T) {
	answer := func(path string, status int, text string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != path {
				return false
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
			return true
		}
	}
	for _, test := range []struct {
		name string
		lets func(http.ResponseWriter, *http.Request) bool
		kind string
		seen int
	}{
		{"the first step", answer("/login", 500, ""), "step 1: status 500", 1},
		{"the second step", answer("/orders", 200, "id=<1>"), "step 2: status 200", 2},
		{"nothing to take", answer("/login", 200, `{"user": {"tokens": ["a"]}}`), "step 1: no {take.token} in the answer", 1},
		{"no JSON", answer("/login", 200, "hello"), "step 1: no {take.token} in the answer", 1},
		{"a line end", answer("/login", 200, `{"user": {"tokens": ["a", "b\r\nX: y"]}}`), "step 1: {take.token} holds control characters", 1},
		{"too long", answer("/login", 200, strings.Repeat("x", feed.MaxTape+1)), "step 1: bad response: too long to take values from it", 1},
		{"a broken connection", breaks("/orders"), "step 2: connection closed before the response", 2},
		{"the last step", answer("/orders/a b/c", 404, ""), "step 3: status 404", 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			var seen counter
			addr := shop(t, &seen, test.lets)
			eachEngine(t, func(t *testing.T, g *Generator) {
				const n = 5
				l := do(t, g, load.Task{Operations: []load.Request{shopping(addr)}, Count: n})
				if l.Errors[test.kind] != n || l.Completed > 0 {
					t.Errorf("%v, want %q; %+v", l.Errors, test.kind, l)
				}
				if steps := seen.take(); len(steps) != test.seen {
					t.Errorf("%v were made, want %d steps", steps, test.seen)
				}
			})
		})
	}
}

// The latency is that of all steps together, and the schedule that of operations, however long these take.
func TestStepsAreOneOperation(t *testing.T) {
	const each = 20 * time.Millisecond
	var seen counter
	addr := shop(t, &seen, func(http.ResponseWriter, *http.Request) bool {
		time.Sleep(each) // the server's, which is what is measured
		return false
	})
	eachEngine(t, func(t *testing.T, g *Generator) {
		l := do(t, g, load.Task{Operations: []load.Request{shopping(addr)}, Rate: 100, Duration: 200 * time.Millisecond})
		if l.Intended != 20 || l.Completed != 20 {
			t.Errorf("%d intended, %d completed, want 20: %v", l.Intended, l.Completed, l.Errors)
		}
		if least := time.Duration(decode(t, l.Latency).Min()); least < 3*each*98/100 {
			t.Errorf("the least latency is %v, want that of three steps", least)
		}
		seen.take()
	})
	// One time-out is that of all steps.
	eachEngine(t, func(t *testing.T, g *Generator) {
		l := do(t, g, load.Task{Operations: []load.Request{shopping(addr)}, Count: 3, Timeout: 2 * each})
		if l.TimedOut != 3 {
			t.Errorf("%d timed out, want 3; %v", l.TimedOut, l.Errors)
		}
		seen.take()
	})
}

// A connection that the server ends after an answer, without a word, is replaced before the next step.
func TestStepsOverLostConnections(t *testing.T) {
	eachEngine(t, func(t *testing.T, g *Generator) {
		addr := rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) {
			if request, err := http.ReadRequest(r); err == nil {
				send(c, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(request.URL.Path), request.URL.Path))
			}
		})
		first := load.Request{Address: addr, Path: "/1", Takes: []load.Take{{Name: "n", From: "/(\\d)$"}}, Then: []load.Request{{Address: addr, Path: "/{take.n}2"}}}
		if l := do(t, g, load.Task{Operations: []load.Request{first}, Count: 20}); l.Completed != 20 {
			t.Errorf("%d of 20 completed: %v", l.Completed, l.Errors)
		}
	})
}

// Each step may go out once more on another connection, whatever befell the steps before it.
func TestEachStepIsResent(t *testing.T) {
	eachEngine(t, func(t *testing.T, g *Generator) {
		var requests atomic.Int64
		addr := rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) {
			for readRequest(r) {
				// The first step of the second operation goes unanswered on a kept connection, and then its second step.
				if n := requests.Add(1); n == 3 || n == 5 || !send(c, okay) {
					return
				}
			}
		})
		first := load.Request{Address: addr, Path: "/1", Then: []load.Request{{Address: addr, Path: "/2"}}}
		l := do(t, g, load.Task{Operations: []load.Request{first}, Count: 2})
		if l.Completed != 2 || l.Resent != 2 || l.Started != 2 || l.Connected != 3 || requests.Load() != 6 {
			t.Errorf("%d completed, %d resent, %d started, %d connected, %d requests at the server; want 2, 2, 2, 3, 6; %v",
				l.Completed, l.Resent, l.Started, l.Connected, requests.Load(), l.Errors)
		}
	})
}

// Rows of data as servers get them.

// dataFile writes a file for a test and returns its name.
func dataFile(t testing.TB, name, content string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Each row is sent in turn, whatever the number of threads, with the right length.
func TestDataReachesTheServer(t *testing.T) {
	const rows = 10
	file := "id,text\n"
	for i := range rows {
		file += fmt.Sprintf("%d,%s\n", i, strings.Repeat("ü", i))
	}
	name := dataFile(t, "x.csv", file)
	eachEngine(t, func(t *testing.T, g *Generator) {
		for _, shape := range []load.Task{
			{Rate: 2000, Threads: 1, Count: 10 * rows}, {Rate: 2000, Threads: 2, Count: rows},
			{Connections: 4, Threads: 2, Count: 10 * rows}, {Connections: 4, Threads: 2, Count: rows},
		} {
			var mu sync.Mutex
			seen := map[string]int{}
			addr := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				id := r.URL.Query().Get("id")
				var n int
				if _, bad := fmt.Sscan(id, &n); err != nil || bad != nil || string(body) != strings.Repeat("ü", n) || r.Header.Get("X-Id") != id {
					w.WriteHeader(http.StatusBadRequest)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				seen[id]++
			})
			task := shape
			task.Operations = []load.Request{{
				Address: addr, Method: "POST", Path: "/?id={data.id}", Data: name,
				Body: []byte("{data.text}"), Headers: []load.Header{{Name: "X-Id", Value: "{data.id}"}},
			}}
			if l := do(t, g, task); l.Completed != task.Count {
				t.Errorf("%+v: %d of %d completed: %v", shape, l.Completed, task.Count, l.Errors)
			}
			mu.Lock()
			for id, n := range seen {
				if uint64(n) != task.Count/rows {
					t.Errorf("%+v: row %s was sent %d times, not %d", shape, id, n, task.Count/rows)
				}
			}
			if len(seen) != rows {
				t.Errorf("%+v: %d of %d rows sent", shape, len(seen), rows)
			}
			mu.Unlock()
		}
	})
}

// What Prepare has read, Do does not read again: its cost is not among the load's.
func TestPrepareReadsTheData(t *testing.T) {
	g, err := NewGenerator()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var seen counter
	addr := httpServer(t, func(_ http.ResponseWriter, r *http.Request) { seen.add(r.URL.Path) })
	name := dataFile(t, "x.csv", "a\n1\n")
	task := load.Task{Count: 1, Operations: []load.Request{{Address: addr, Path: "/{data.a}", Data: name}}}
	if err := g.Prepare(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(name, []byte("a\n2\n"), 0o600), os.Chtimes(name, before.ModTime(), before.ModTime())); err != nil {
		t.Fatal(err)
	}
	if l := do(t, g, task); l.Completed != 1 || seen.take()["/1"] != 1 {
		t.Error("the file was read again")
	}
}
