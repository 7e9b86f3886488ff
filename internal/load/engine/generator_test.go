// The generator against well-behaved servers: everything is counted, and timed
// from when it was meant to start.

package engine

import (
	"bufio"
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/load/feed"
)

func TestCountsAgreeWithTheServer(t *testing.T) {
	var seen counter
	addr := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path == "/post" && (string(body) != "some text" || r.Header.Get("X-Token") != "abc") || r.Host != "shop.test" {
			http.Error(w, "not as sent", http.StatusBadRequest)
			return
		}
		seen.add(r.Method + " " + r.URL.RequestURI())
		if r.URL.Path == "/fail" {
			w.WriteHeader(http.StatusTeapot)
		}
	})
	ops := []load.Request{
		{Address: addr, Host: "shop.test", Path: "/get?a=b", Weight: 2},
		{Address: addr, Host: "shop.test", Method: "HEAD", Path: "/head", Weight: 1},
		{Address: addr, Host: "shop.test", Method: "POST", Path: "/post", Weight: 1, Body: []byte("some text"), Headers: []load.Header{{Name: "X-Token", Value: "abc"}}},
		{Address: addr, Host: "shop.test", Path: "/fail", Weight: 0.5},
		{Address: addr, Host: "shop.test", Path: "/fail?expected", Weight: 0.5, Status: []int{http.StatusTeapot}},
	}
	name := []string{"GET /get?a=b", "HEAD /head", "POST /post", "GET /fail", "GET /fail?expected"}
	for i := range ops {
		ops[i].Name = name[i]
	}
	for _, task := range []load.Task{
		{Rate: 2000, Duration: 300 * time.Millisecond, Arrivals: load.Poisson},
		{Rate: 2000, Duration: 300 * time.Millisecond, Threads: 2},
		{Rate: 5000, Count: 501, Threads: 3},
		{Connections: 7, Count: 1001, Threads: 3},
		{Connections: 3, Duration: 100 * time.Millisecond},
		{Count: 10},
	} {
		task.Operations, task.Seed = ops, 11
		eachEngine(t, func(t *testing.T, g *Generator) {
			l := do(t, g, task)
			got, total := seen.take(), uint64(0)
			for _, n := range got {
				total += n
			}
			if total != l.Started || l.Started != l.Intended || l.TimedOut > 0 {
				t.Errorf("the server saw %d requests; %+v", total, l)
			}
			if l.Failed != got["GET /fail"] || l.Errors["status 418"] != l.Failed {
				t.Errorf("failed %d (%v), the server failed %d", l.Failed, l.Errors, got["GET /fail"])
			}
			for i, part := range l.Parts {
				completed := got[name[i]]
				if name[i] == "GET /fail" {
					completed = 0
				}
				if part.Operation != name[i] || part.Started != got[name[i]] || part.Completed != completed {
					t.Errorf("of %s %+v is told, the server saw %d and %d are right", name[i], part, got[name[i]], completed)
				}
			}
			if len(l.Parts) != len(ops) {
				t.Errorf("%d parts of a mix of %d", len(l.Parts), len(ops))
			}
			if task.Count > 0 && total != task.Count {
				t.Errorf("%d operations, want exactly %d", total, task.Count)
			}
			if task.Rate == 0 {
				return
			}
			want := map[string]uint64{}
			whole := task
			whole.Threads = 1
			schedule := load.NewFeeder(whole.WithDefaults(), 0)
			for a, ok := schedule.Take(load.Never, 0); ok; a, ok = schedule.Take(load.Never, 0) {
				want[name[a.Op]]++
			}
			if !maps.Equal(got, want) {
				t.Errorf("the server saw %v, the schedule says %v", got, want)
			}
		})
	}
}

// Of several statuses that are right it is told how often each came; any other is a failure.
func TestSeveralStatusesAreRight(t *testing.T) {
	var seen counter
	var nth atomic.Uint64
	addr := httpServer(t, func(w http.ResponseWriter, _ *http.Request) {
		status := []int{200, 200, 500, 404, 200}[nth.Add(1)%5]
		seen.add(strconv.Itoa(status))
		w.WriteHeader(status)
	})
	eachEngine(t, func(t *testing.T, g *Generator) {
		l := do(t, g, load.Task{Connections: 3, Count: 400, Threads: 2, Operations: []load.Request{{Address: addr, Status: []int{200, 500}}}})
		got := seen.take()
		want := map[int]uint64{200: got["200"], 500: got["500"]}
		if want[200] != 240 || !maps.Equal(l.Answers, want) || l.Completed != 320 || l.Failed != 80 || l.Errors["status 404"] != 80 {
			t.Errorf("the server answered %v; %+v", got, l)
		}
		l = do(t, g, load.Task{Connections: 1, Count: 10, Operations: []load.Request{{Address: addr, Status: []int{200}}}})
		if seen.take(); l.Answers != nil || l.Completed != 6 {
			t.Errorf("of one status that is right there is nothing to tell: %+v", l)
		}
	})
}

// Of the answers that are as expected the bodies are counted, however their end is told, and nothing of their frames.
func TestBodiesAreCounted(t *testing.T) {
	addr := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Trace", strings.Repeat("t", 300))
		switch r.URL.Path {
		case "/wrong":
			w.WriteHeader(http.StatusNotFound)
		case "/chunks":
			for _, n := range []int{10, 20_000, 7} {
				_, _ = w.Write(make([]byte, n))
				w.(http.Flusher).Flush()
			}
			return
		}
		_, _ = w.Write(make([]byte, 1000))
	})
	rest := rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) {
		if _, err := r.ReadString('\n'); err == nil {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat("b", 77))
		}
	})
	var seen counter
	bought := len(`{"user": {"tokens": ["a", "t\"2"], "id": 17}, "no": null}`) + len("order id=<a b/c>\n")
	for _, test := range []struct {
		of   load.Request
		want int
	}{
		{load.Request{Address: addr}, 1000},
		{load.Request{Address: addr, Path: "/chunks"}, 20_017},
		{load.Request{Address: addr, Method: "HEAD"}, 0},
		{load.Request{Address: addr, Path: "/wrong"}, 0},
		{load.Request{Address: addr, Path: "/wrong", Status: []int{404}}, 1000},
		{load.Request{Address: rest}, 77},
		{shopping(shop(t, &seen, nil)), bought},
	} {
		eachEngine(t, func(t *testing.T, g *Generator) {
			if l := do(t, g, load.Task{Connections: 2, Count: 20, Operations: []load.Request{test.of}}); l.BodyBytes != uint64(20*test.want) {
				t.Errorf("%s: %d bytes of bodies, want 20 times %d; %+v", test.of.Path, l.BodyBytes, test.want, l.Errors)
			}
		})
	}
	echoing, _ := grpcServer(t, echo)
	ask := say(t, echoing, 3000)
	if l := do(t, newTestGenerator(t), load.Task{Operations: []load.Request{ask}, Count: 10}); l.BodyBytes != uint64(10*len(ask.Body)) {
		t.Errorf("gRPC: %d bytes of bodies, want 10 times %d", l.BodyBytes, len(ask.Body))
	}
}

func TestConnectionsAreKept(t *testing.T) {
	addr := httpServer(t, func(http.ResponseWriter, *http.Request) {})
	eachEngine(t, func(t *testing.T, g *Generator) {
		task := load.Task{Operations: []load.Request{{Address: addr}}, Connections: 4, Count: 400}
		most := uint64(4)
		if _, other := g.engines[0].(*client); other {
			most *= 2 // net/http opens one for an operation to which another's is then given
		}
		if l := do(t, g, task); l.Connected < 1 || l.Connected > most || l.Completed != 400 {
			t.Errorf("first task: %d connections opened for %d operations, want at most %d", l.Connected, l.Completed, most)
		}
		task.Connections, task.Count = 1, 50
		if l := do(t, g, task); l.Connected != 0 || l.Completed != 50 {
			t.Errorf("second task: %d connections opened for %d operations, want none", l.Connected, l.Completed)
		}
	})
}

// stopping answers at once, except that for a second after the first request at
// or after begin it answers nobody.
type stopping struct {
	begin time.Duration
	start time.Time
	once  sync.Once
	over  chan struct{}
}

func (s *stopping) serve(http.ResponseWriter, *http.Request) {
	if time.Since(s.start) < s.begin {
		return
	}
	s.once.Do(func() { time.AfterFunc(time.Second, func() { close(s.over) }) })
	<-s.over
}

// A server that stops for a second is seen by all that were due in that second,
// also where they had to wait for a connection; and it is not the generator's lag.
func TestServerThatStops(t *testing.T) {
	for _, connections := range []int{load.DefaultConnections, 4} {
		t.Run(strconv.Itoa(connections), func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(t *testing.T, g *Generator) {
				s := &stopping{begin: 200 * time.Millisecond, start: time.Now(), over: make(chan struct{})}
				addr := httpServer(t, s.serve)
				const rate = 200
				l := do(t, g, load.Task{
					Operations: []load.Request{{Address: addr}}, Rate: rate,
					Connections: connections, Duration: 1500 * time.Millisecond,
				})
				latency := decode(t, l.Latency)
				if latency.Max() < int64(950*time.Millisecond) {
					t.Errorf("longest latency %v, want at least 0.95 s", time.Duration(latency.Max()))
				}
				long := above(latency, int64(500*time.Millisecond))
				if long < rate*45/100 || long > rate {
					t.Errorf("%d latencies over 0.5 s, want about %d", long, rate/2)
				}
				if late := above(decode(t, l.Lag), int64(500*time.Millisecond)); late > long/2 {
					t.Errorf("%d lags over 0.5 s: the server's stop is charged to the generator", late)
				}
			})
		})
	}
}

// A generator that is late itself says so: here it begins a second after the
// schedule does.
func TestLateGeneratorIsLag(t *testing.T) {
	addr := httpServer(t, func(http.ResponseWriter, *http.Request) {})
	eachEngine(t, func(t *testing.T, g *Generator) {
		task := load.Task{Operations: []load.Request{{Address: addr}}, Rate: 100, Duration: 1100 * time.Millisecond, Connections: 2}
		p, err := planned(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := g.engines[0].run(t.Context(), p, 0, time.Now().Add(-time.Second))
		if err != nil {
			t.Fatal(err)
		}
		if late := above(sum.lag, int64(500*time.Millisecond)); late < 50 {
			t.Errorf("%d of 110 operations over 0.5 s late, want at least 50", late)
		}
		if sum.completed != 110 {
			t.Errorf("%d completed, want 110", sum.completed)
		}
	})
}

func TestTimeouts(t *testing.T) {
	eachEngine(t, func(t *testing.T, g *Generator) {
		gone := make(chan struct{})
		addr := httpServer(t, func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-gone:
			case <-r.Context().Done():
			}
		})
		defer close(gone)
		for _, c := range []struct {
			name string
			task load.Task
			sent func(uint64) bool
		}{
			{"one after the other", load.Task{Count: 3}, func(n uint64) bool { return n == 3 }},
			{"side by side", load.Task{Rate: 1000, Count: 20}, func(n uint64) bool { return n == 20 }},
			{"no connection free", load.Task{Rate: 1e7, Count: 20, Connections: 1}, func(n uint64) bool { return n >= 1 && n < 20 }},
		} {
			c.task.Operations = []load.Request{{Address: addr}}
			c.task.Timeout = 60 * time.Millisecond
			l := do(t, g, c.task)
			if l.TimedOut != c.task.Count || !c.sent(l.Started) {
				t.Errorf("%s: %d timed out, %d started of %d", c.name, l.TimedOut, l.Started, c.task.Count)
			}
			// The histogram keeps three digits.
			if least := decode(t, l.Latency).Min(); least < int64(59900*time.Microsecond) {
				t.Errorf("%s: a time-out entered as %v", c.name, time.Duration(least))
			}
		}
	})
}

func TestCancellation(t *testing.T) {
	for _, task := range []load.Task{
		{Connections: 3, Duration: time.Hour},
		{Rate: 1000, Duration: time.Hour, Connections: 2},
		{Rate: 1000, Duration: time.Hour, Threads: 2},
	} {
		eachEngine(t, func(t *testing.T, g *Generator) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var seen counter
			addr := httpServer(t, func(_ http.ResponseWriter, r *http.Request) {
				seen.add("")
				cancel()
				<-r.Context().Done()
			})
			task.Operations = []load.Request{{Address: addr}}
			l, err := g.Do(ctx, task)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want that it was cancelled", err)
			}
			accounted(t, l)
			if l.Started == 0 || l.Failed == 0 || l.Errors["cancelled"] != l.Failed {
				t.Errorf("cancelled: %+v", l)
			}
			task.Count = 3
			task.Operations[0].Address = httpServer(t, func(http.ResponseWriter, *http.Request) {})
			if l := do(t, g, task); l.Completed != 3 {
				t.Errorf("after a cancelled task: %+v", l)
			}
		})
	}
}

func TestRefusedConnection(t *testing.T) {
	eachEngine(t, func(t *testing.T, g *Generator) {
		gone := closedAddress(t)
		l := do(t, g, load.Task{Operations: []load.Request{{Address: gone}}, Count: 4, Connections: 2})
		if l.Errors["connection refused"] != 4 || l.Started != 0 || l.Connected != 0 {
			t.Errorf("closed loop: %+v", l)
		}
		l = do(t, g, load.Task{Operations: []load.Request{{Address: gone}}, Rate: 1000, Count: 30})
		if l.Errors["connection refused"] != 30 || l.Started != 0 {
			t.Errorf("open loop: %+v", l)
		}
	})
}

// closedAddress is an address where nobody listens any more.
func closedAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return addr
}

// A closed loop keeps so many requests under way: by Little's law throughput times mean latency is their number.

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
		l := do(t, g, load.Task{Operations: []load.Request{{Address: addr, Method: "GET"}}, Connections: busy, Duration: 2 * time.Second})
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

// A generator that is late on purpose says so in the lag of every operation, and
// their latencies hold it.
func TestLateOnPurpose(t *testing.T) {
	addr := httpServer(t, func(http.ResponseWriter, *http.Request) {})
	const late = 30 * time.Millisecond
	for _, task := range []load.Task{
		{Rate: 1000, Count: 100},
		{Rate: 1000, Count: 100, Threads: 2},
		{Connections: 4, Count: 20},
		{Connections: 2, Duration: 100 * time.Millisecond},
	} {
		task.Operations, task.Late = []load.Request{{Address: addr}}, late
		eachEngine(t, func(t *testing.T, g *Generator) {
			l := do(t, g, task)
			if l.Completed != l.Intended || l.Intended == 0 || task.Count > 0 && l.Completed != task.Count {
				t.Errorf("%+v", l)
			}
			const least = int64(late * 99 / 100) // the histogram keeps three digits
			if lag, latency := decode(t, l.Lag).Min(), decode(t, l.Latency).Min(); lag < least || latency < least {
				t.Errorf("least lag %v, least latency %v, want at least %v", time.Duration(lag), time.Duration(latency), late)
			}
		})
	}
	eachEngine(t, func(t *testing.T, g *Generator) {
		l := do(t, g, load.Task{Operations: []load.Request{{Address: addr}}, Rate: 1000, Count: 20, Late: time.Second, Timeout: 50 * time.Millisecond})
		if l.TimedOut != 20 || l.Started != 0 {
			t.Errorf("later than the time-out: %d of 20 timed out, %d started", l.TimedOut, l.Started)
		}
	})
}

// planned is the plan of a generator that has made nothing yet.
func planned(ctx context.Context, t load.Task) (*plan, error) {
	return newPlan(ctx, t, &feed.Files{}, &atomic.Uint64{})
}
