//go:build linux

// Many connections at once, over several source addresses; and what is said where
// the machine does not allow them.

package engine

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/tracetax/tracetax/internal/load"
	"golang.org/x/sys/unix"
)

// gathering answers nobody until so many requests are there, and remembers where
// their connections come from.
type gathering struct {
	size    int64
	here    atomic.Int64
	full    chan struct{}
	sources sync.Map
}

func newGathering(size int) *gathering {
	return &gathering{size: int64(size), full: make(chan struct{})}
}

func (g *gathering) serve(w http.ResponseWriter, r *http.Request) {
	if from, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		g.sources.Store(from.Addr().String(), true)
	}
	if g.here.Add(1) == g.size {
		close(g.full)
	}
	<-g.full
}

func (g *gathering) from() []string {
	var froms []string
	g.sources.Range(func(k, _ any) bool { froms = append(froms, k.(string)); return true })
	slices.Sort(froms)
	return froms
}

// Each connection has a row of the data to itself.
func TestRowsByConnection(t *testing.T) {
	rows := filepath.Join(t.TempDir(), "sessions.jsonl")
	if err := os.WriteFile(rows, []byte(`{"token": "a"}`+"\n"+`{"token": "b"}`+"\n"+`{"token": "c"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	eachEngine(t, func(t *testing.T, g *Generator) {
		var mu sync.Mutex
		of, together := map[string]map[string]bool{}, newGathering(3) // by token: connections
		addr := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
			together.serve(w, r) // so there are three connections
			mu.Lock()
			defer mu.Unlock()
			token := r.Header.Get("X-Token")
			if of[token] == nil {
				of[token] = map[string]bool{}
			}
			of[token][r.RemoteAddr] = true
		})
		request := load.Request{Address: addr, Data: rows, Order: load.ByConnection, Headers: []load.Header{{Name: "X-Token", Value: "{data.token}"}}}
		for range 2 { // the connections are kept
			if l := do(t, g, load.Task{Operations: []load.Request{request}, Connections: 3, Count: 30}); l.Completed != 30 {
				t.Fatalf("%+v", l)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if len(of) != 3 || len(of["a"])*len(of["b"])*len(of["c"]) != 1 {
			t.Errorf("connections by token: %v", of)
		}
	})
}

func TestThousandsOfConnections(t *testing.T) {
	const n = 5000
	crowd := newGathering(n)
	addr := httpServer(t, crowd.serve)
	p, err := planned(t.Context(), load.Task{Operations: []load.Request{{Address: addr}}, Connections: n, Count: 2 * n, Threads: 2, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	p.sources = []netip.Addr{netip.MustParseAddr("127.0.0.3"), netip.MustParseAddr("127.0.0.4")}
	g := newTestGenerator(t)
	if err := g.grow(2); err != nil {
		t.Fatal(err)
	}
	if err := makeRoom(needs{connections: 2*n + 100, sources: 2}); err != nil { // the server's ends are in this process too
		t.Skip(err)
	}
	sum, err := g.run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	l, err := sum.load()
	if err != nil {
		t.Fatal(err)
	}
	if l.Completed != 2*n || l.Connected != n {
		t.Errorf("%d of %d completed over %d connections, errors %v", l.Completed, 2*n, l.Connected, l.Errors)
	}
	if from := crowd.from(); !slices.Equal(from, []string{"127.0.0.3", "127.0.0.4"}) {
		t.Errorf("connections came from %v, want %v", from, p.sources)
	}
}

// serverVariable has this test program be a server of so many connections.
const serverVariable = "TRACETAX_TEST_CROWD"

// As many connections as the largest of the studies has, the server in a process
// of its own. All of them are busy at the same time.
func TestFortyThousandConnections(t *testing.T) {
	if os.Getenv("TRACETAX_E2E") == "" {
		t.Skip("TRACETAX_E2E is not set")
	}
	n := 40960
	g := newTestGenerator(t)
	if err := makeRoom(needs{connections: n, sources: 3, files: 200}); err != nil {
		_, refusal := g.Do(t.Context(), load.Task{Operations: []load.Request{{Address: "127.0.0.1:1"}}, Connections: n, Count: 1})
		if refusal == nil || !strings.Contains(refusal.Error(), "RLIMIT_NOFILE") {
			t.Errorf("%v, though: %v", refusal, err)
		}
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		n = int(limit.Max) - 200
		t.Logf("%v; so %d", err, n)
	}
	addr := startCrowd(t, n)
	l := do(t, g, load.Task{
		Operations: []load.Request{{Address: addr}}, Connections: n, Count: uint64(3 * n), Threads: 2, Timeout: 2 * time.Minute,
	})
	if l.Completed != uint64(3*n) || l.Connected != uint64(n) {
		t.Errorf("%d of %d completed over %d connections, errors %v", l.Completed, 3*n, l.Connected, l.Errors)
	}
}

func startCrowd(t *testing.T, n int) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), serverVariable+"="+strconv.Itoa(n))
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		c.Wait()
	})
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(addr)
}

// serveCrowd is the server's process: it ends with its stdin.
func serveCrowd(n int) error {
	if err := makeRoom(needs{connections: n, sources: 3, files: 100}); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &http.Server{Handler: http.HandlerFunc(newGathering(n).serve)}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		s.Close()
	}()
	if _, err := io.WriteString(os.Stdout, l.Addr().String()+"\n"); err != nil {
		return err
	}
	if err := s.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}

func TestLimitsThatStandInTheWay(t *testing.T) {
	roomy := limits{files: 1 << 20, ports: ports{32768, 60999, 28232}, memory: 1 << 40}
	for _, c := range []struct {
		name   string
		change func(*limits, *needs)
		want   []string // nil: allowed
	}{
		{"all is well", func(*limits, *needs) {}, nil},
		{"nothing known", func(l *limits, _ *needs) { *l = limits{} }, nil},
		{"files, just enough", func(l *limits, n *needs) { l.files = 40960 + 100 }, nil},
		{"files", func(l *limits, n *needs) { l.files = 40960 + 99 }, []string{"41060 open files", "may have 41059", "RLIMIT_NOFILE", "ulimit -Hn 41060", "at most 40959 connections"}},
		{"ports", func(_ *limits, n *needs) { n.sources = 1 }, []string{"one source address has 28232", "ip_local_port_range 32768 60999", "at most 28232"}},
		{"ports of two", func(_ *limits, n *needs) { n.connections, n.sources = 60000, 2 }, []string{"2 source addresses together has 56464"}},
		{"memory", func(l *limits, n *needs) { l.memory = 100 << 20 }, []string{"need about 520 MB", "100 MB are free"}},
	} {
		l, n := roomy, needs{connections: 40960, files: 100, sources: 2, bytes: 520 << 20}
		c.change(&l, &n)
		err := l.check(n)
		if (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not say %q", c.name, err, part)
			}
		}
	}
}

func TestNeeds(t *testing.T) {
	plain := &plan{task: load.Task{Connections: 1000, Threads: 2}, targets: []target{{addrs: []netip.AddrPort{netip.MustParseAddrPort("10.0.0.1:80")}}}}
	n := plain.needs(10, 0)
	if n.connections != 1000 || n.files != 10+4+sparedFiles || n.sources != 1 || n.bytes != 1000*(socketBytes+plainBytes) {
		t.Errorf("%+v", n)
	}
	if n = plain.needs(10, 900); n.bytes != 100*(socketBytes+plainBytes) {
		t.Errorf("memory that is there already is asked for again: %+v", n)
	}
}

func TestLoopbackSources(t *testing.T) {
	for _, c := range []struct{ connections, ports, want int }{
		{1, 28232, 0}, {14116, 28232, 0}, {14117, 28232, 2}, {40960, 28232, 3}, {40960, 64512, 2}, {3, 1, 3}, {0, 0, 0},
	} {
		got := loopbackSources(c.connections, c.ports)
		if len(got) != c.want || c.want > 0 && (got[0].String() != "127.0.0.1" || got[1].String() != "127.0.0.2") {
			t.Errorf("%d connections, %d ports: %v, want %d addresses", c.connections, c.ports, got, c.want)
		}
	}
}

func TestReadingLimits(t *testing.T) {
	for text, want := range map[string]ports{"32768\t60999\n": {32768, 60999, 28232}, "": {}, "x y": {}, "9 8": {}} {
		if got := parsePorts(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// The memory of connections that have been used and wait for the next operation, but for what the kernel keeps.
func TestIdleConnectionsAreSmall(t *testing.T) {
	const n = 500
	addr := httpServer(t, newGathering(n).serve)
	g := newTestGenerator(t)
	do(t, g, load.Task{Operations: []load.Request{{Address: addr}}, Connections: n, Count: 2 * n})
	l := g.engines[0].(*engines).loop
	for _, c := range l.conns {
		if c.fd >= 0 && (c.base != nil || c.out != nil || cap(c.http1.response.line) > 256) {
			t.Fatalf("an idle connection keeps memory: %+v", c)
		}
	}
	if size := unsafe.Sizeof(conn{}); size > 512 {
		t.Errorf("a connection takes %d bytes", size)
	}
}
