// Package engine owns the generator: it makes the operations of a task happen and times them, in open and closed loop, over
// HTTP/1.1 and, for unary gRPC calls, HTTP/2, each plain or over TLS. What is timed and what is counted stands in
// package load. It must not know tracing and runs.
//
// # How it is made
//
// An event loop (loop) knows sockets, deadlines, books and HTTP/1.1 (http1). The engine over net/http (client) does what
// is beyond that: TLS and gRPC. Which operation is due is a feeder's.
package engine

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/load/feed"
	"github.com/tracetax/tracetax/internal/record"
)

// The generator: carries out one task after the other, on connections that it
// keeps in between.

// engine carries out one thread's share of a task at a time.
type engine interface {
	run(ctx context.Context, p *plan, thread int, start time.Time) (*tally, error)
	shut()
}

// Generator makes operations happen. Its connections outlive a task. One task at
// a time: Do waits for the one before.
type Generator struct {
	mu      sync.Mutex
	build   func(*progress) (engine, error)
	engines []engine
	shown   progress
	data    feed.Files
	files   int // that were open before its connections
	had     int // connections that it has had room for

	identified atomic.Uint64 // operations whose traces got ids from it
	closed     bool
}

// NewGenerator returns a generator, to be closed after use.
func NewGenerator() (*Generator, error) { return newGenerator(newEngine) }

func newGenerator(build func(*progress) (engine, error)) (*Generator, error) {
	g := &Generator{build: build, files: openFiles()}
	if err := g.grow(1); err != nil {
		return nil, err
	}
	return g, nil
}

// grow makes sure of n engines.
func (g *Generator) grow(n int) error {
	for len(g.engines) < n {
		e, err := g.build(&g.shown)
		if err != nil {
			return err
		}
		g.engines = append(g.engines, e)
	}
	g.shown.grow(n)
	return nil
}

// startUp is how far ahead a task's start lies, so its threads run by then.
const startUp = 2 * time.Millisecond

// Prepare does what Do would do before it begins, reading the data files of t for
// one, so the next Do of t begins at once.
func (g *Generator) Prepare(ctx context.Context, t load.Task) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, err := newPlan(ctx, t, &g.data, &g.identified); err != nil {
		return fmt.Errorf("preparing the load: %w", err)
	}
	return nil
}

// Do carries out t. If ctx ends first, Do gives up at once and returns what was
// done so far with the error; what was under way then counts as failed.
func (g *Generator) Do(ctx context.Context, t load.Task) (record.Load, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return record.Load{}, errors.New("the load generator is closed")
	}
	p, err := newPlan(ctx, t, &g.data, &g.identified)
	if err != nil {
		return record.Load{}, fmt.Errorf("preparing the load: %w", err)
	}
	if err := makeRoom(p.needs(g.files, g.had)); err != nil {
		return record.Load{}, fmt.Errorf("preparing the load: %w", err)
	}
	g.had = max(g.had, p.task.Connections)
	if err := g.grow(p.task.Threads); err != nil {
		return record.Load{}, err
	}
	sum, err := g.run(ctx, p)
	if err != nil {
		return record.Load{}, err
	}
	l, err := sum.load()
	if err != nil {
		return l, err
	}
	if err := ctx.Err(); err != nil {
		return l, fmt.Errorf("the load was given up: %w", err)
	}
	return l, nil
}

// run has every thread do its share and adds up what became of it.
func (g *Generator) run(ctx context.Context, p *plan) (*tally, error) {
	n := p.task.Threads
	tallies, errs := make([]*tally, n), make([]error, n)
	start := time.Now().Add(startUp)
	if p.task.Slices != nil {
		var from load.Slices
		start, from = p.task.Slices.Begin(start)
		p.task.Slices = &from
	}
	var threads sync.WaitGroup
	for i := range n {
		threads.Go(func() { tallies[i], errs[i] = g.engines[i].run(ctx, p, i, start) })
	}
	threads.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("making load: %w", err)
	}
	sum := tallies[0]
	for _, t := range tallies[1:] {
		sum.add(t)
	}
	return sum, nil
}

// Close closes the connections. It waits for the task under way.
func (g *Generator) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range g.engines {
		e.shut()
	}
	g.engines, g.closed = nil, true
}

// Progress may be asked at any time, from any goroutine.
func (g *Generator) Progress() Progress { return g.shown.sum() }

type seen struct {
	intended, completed, failed, timedOut atomic.Uint64
	_                                     [4]uint64 // a cache line for each thread
}

// What may stand in the way of many connections, looked at before the load
// starts, so it is refused with the limit's name instead of failing half-way.

// needs is what a task asks of the machine.
type needs struct {
	connections int
	files       int    // that are not connections
	bytes       uint64 // of memory, about
	sources     int    // local addresses, at least 1
}

// limits are what the machine gives; 0 is unknown.
type limits struct {
	files  uint64 // that may be open
	ports  ports
	memory uint64 // bytes that are free
}

// ports is the range that the system takes a connection's local port from.
type ports struct{ first, last, count int }

// Memory of one connection in bytes, about: what the kernel keeps of a socket that
// is mostly idle, and what the generator keeps of what it speaks.
const (
	socketBytes = 6 << 10
	plainBytes  = 1 << 10
	tlsBytes    = 32 << 10 // with what net/http keeps
	http2Bytes  = 24 << 10
)

// filesPerThread are an event loop's own.
const filesPerThread = 2

// sparedFiles is how many files are left for whatever else opens some.
const sparedFiles = 64

// needs sums up what p asks of the machine, where the process has so many files
// open already, and memory for so many connections.
func (p *plan) needs(files, had int) needs {
	n := needs{
		connections: p.task.Connections, sources: max(len(p.sources), 1),
		files: files + filesPerThread*p.task.Threads + sparedFiles,
	}
	most := uint64(0)
	for _, t := range p.targets {
		each := uint64(socketBytes + plainBytes)
		if t.tls != nil {
			each += tlsBytes
		}
		if t.grpc {
			each += http2Bytes
		}
		for _, a := range t.addrs {
			if a.Addr().IsLoopback() {
				each = max(each, 2*socketBytes+plainBytes) // both ends are here
			}
		}
		most = max(most, each)
	}
	n.bytes = most * uint64(max(n.connections-had, 0))
	return n
}

// check says which limit stands in the way of n, and what to do; nil if none does.
func (l limits) check(n needs) error {
	if want := uint64(n.connections + n.files); l.files > 0 && want > l.files {
		return fmt.Errorf("%d connections need %d open files, and this process may have %d (the hard limit of RLIMIT_NOFILE): "+
			"raise it (ulimit -Hn %d as root; LimitNOFILE= of a service; --ulimit nofile= of a container), or ask for at most %d connections",
			n.connections, want, l.files, want, max(int(l.files)-n.files, 0))
	}
	if most := l.ports.count * n.sources; l.ports.count > 0 && n.connections > most {
		return fmt.Errorf("%d connections need as many local ports, and %s has %d (net.ipv4.ip_local_port_range %d %d): "+
			"widen the range (sysctl -w net.ipv4.ip_local_port_range='1024 65535'), or ask for at most %d connections",
			n.connections, addresses(n.sources), most, l.ports.first, l.ports.last, most)
	}
	if l.memory > 0 && n.bytes > l.memory {
		return fmt.Errorf("%d connections need about %d MB of memory, and %d MB are free: "+
			"ask for fewer, or free memory (the limit may be the container's)", n.connections, n.bytes>>20, l.memory>>20)
	}
	return nil
}

func addresses(n int) string {
	if n == 1 {
		return "one source address"
	}
	return fmt.Sprintf("%d source addresses together", n)
}

// The local addresses that connections come from. A connection is told apart by
// both its ends, so one source address can have no more connections to one server
// than the system has ports to give.

// chooseSources returns as many addresses of loopback as the connections need, or none where the system's choice will do.
func (p *plan) chooseSources() []netip.Addr {
	if !p.onLoopback() {
		return nil
	}
	return loopbackSources(p.task.Connections, readPorts().count)
}

// onLoopback reports whether every server is on this machine's loopback, over IPv4:
// IPv6 has one loopback address only.
func (p *plan) onLoopback() bool {
	for _, t := range p.targets {
		for _, a := range t.addrs {
			if !a.Addr().IsLoopback() || !a.Addr().Is4() {
				return false
			}
		}
	}
	return true
}

// portShare is how many of a source address's ports are used before another one
// is taken: looking for a free port gets slow when few are left.
const portShare = 0.5

// loopbackSources are as many of 127.0.0.1, 127.0.0.2 … as so many connections
// need; none where the one that the system chooses is enough.
func loopbackSources(connections, ports int) []netip.Addr {
	perSource := max(int(portShare*float64(ports)), 1)
	n := (connections + perSource - 1) / perSource
	if n <= 1 {
		return nil
	}
	sources := make([]netip.Addr, 0, n)
	for a := netip.AddrFrom4([4]byte{127, 0, 0, 1}); len(sources) < n && a.IsLoopback(); a = a.Next() {
		sources = append(sources, a)
	}
	return sources
}
