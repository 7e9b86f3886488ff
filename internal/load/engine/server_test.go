// Servers for the tests: net/http's, and raw ones that misbehave.

package engine

import (
	"bufio"
	"context"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
)

// eachEngine runs a test with every engine that there is on this system.
func eachEngine(t *testing.T, test func(t *testing.T, g *Generator)) {
	t.Helper()
	for name, build := range map[string]func(*progress) (engine, error){
		"native":   newEngine,
		"net/http": func(p *progress) (engine, error) { return newClient(p), nil },
	} {
		t.Run(name, func(t *testing.T) {
			g, err := newGenerator(build)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			test(t, g)
		})
	}
}

// counter counts requests by path.
type counter struct {
	mu     sync.Mutex
	byPath map[string]uint64
}

func (c *counter) add(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byPath == nil {
		c.byPath = map[string]uint64{}
	}
	c.byPath[path]++
}

func (c *counter) take() map[string]uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := maps.Clone(c.byPath)
	c.byPath = nil
	return m
}

// httpServer serves h on loopback and returns its address.
func httpServer(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.Listener.Addr().String()
}

// rawServer hands every connection to serve, numbered from 0, and closes it afterwards.
func rawServer(t *testing.T, serve func(n int, c net.Conn, r *bufio.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	running.Go(func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			running.Go(func() {
				defer c.Close()
				serve(n, c, bufio.NewReader(c))
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		running.Wait()
	})
	return l.Addr().String()
}

// readRequest reads one request without a body, false at the connection's end.
func readRequest(r *bufio.Reader) bool {
	_, err := http.ReadRequest(r)
	return err == nil
}

func do(t *testing.T, g *Generator, task load.Task) record.Load {
	t.Helper()
	l, err := g.Do(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	accounted(t, l)
	return l
}

// accounted checks what holds for every load: nothing has vanished.
func accounted(t *testing.T, l record.Load) {
	t.Helper()
	if l.Intended != l.Completed+l.Failed+l.TimedOut {
		t.Errorf("of %d operations %d completed, %d failed, %d timed out", l.Intended, l.Completed, l.Failed, l.TimedOut)
	}
	errs := uint64(0)
	for _, n := range l.Errors {
		errs += n
	}
	if errs != l.Failed {
		t.Errorf("%d failed, but the kinds %v make %d", l.Failed, l.Errors, errs)
	}
	if l.Started > l.Intended {
		t.Errorf("%d started of %d intended", l.Started, l.Intended)
	}
	if n := uint64(decode(t, l.Latency).TotalCount()); n != l.Completed+l.TimedOut {
		t.Errorf("%d latencies of %d completed and %d timed out", n, l.Completed, l.TimedOut)
	}
	if n := uint64(decode(t, l.Lag).TotalCount()); n != l.Intended {
		t.Errorf("%d lags of %d operations", n, l.Intended)
	}
}

func decode(t *testing.T, h record.Histogram) *hdrhistogram.Histogram {
	t.Helper()
	d, err := h.Decode()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// above counts the values of h above v.
func above(h *hdrhistogram.Histogram, v int64) int64 {
	n := int64(0)
	for _, b := range h.Distribution() {
		if b.From > v {
			n += b.Count
		}
	}
	return n
}

// The servers of the tests run in the same process: there must be room for them
// beside the loops.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), 8))
	if code, served := maybeServe(); served {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
