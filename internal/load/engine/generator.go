// Package engine owns the generator: it makes the operations of a task happen and times them, in open and closed loop, over
// HTTP/1.1 and, for unary gRPC calls, HTTP/2, each plain or over TLS. What is timed and what is counted stands in
// package load. It must not know tracing and runs.
//
// # How it is made
//
// An event loop (loop) knows sockets, deadlines, books and HTTP/1.1 (http1). The engine over net/http (client) does what
// is beyond that: TLS and gRPC. Which operation is due is a feeder's.
//
// Files, from the top: http1_linux, loop_linux, io_linux, ask, timing, link, pool_linux, grpc, head, call_linux, response,
// socket_linux, nethttp, tally, operation, tls, generator.
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

// The generator: it carries out one task after the other, on connections that it keeps in between.

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
	files   int // open before its connections
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

// grow makes engines until there are n.
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

// startUp is how far ahead a task's start lies: its threads run by then.
const startUp = 2 * time.Millisecond

// Prepare does the work of Do before its start, such as reading the data files of t: the next Do of t begins at once.
func (g *Generator) Prepare(ctx context.Context, t load.Task) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, err := newPlan(ctx, t, &g.data, &g.identified); err != nil {
		return fmt.Errorf("preparing the load: %w", err)
	}
	return nil
}

// Do carries out t. If ctx ends first, Do gives up at once and returns the load so far with the error; operations under way
// then count as failed.
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
	g.had = max(g.had, p.task.OpenOfAll())
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

// run carries out every thread's share and adds up the results.
func (g *Generator) run(ctx context.Context, p *plan) (*tally, error) {
	n := p.task.Threads
	tallies, errs := make([]*tally, n), make([]error, n)
	var start time.Time
	start, p.task.Slices = p.task.Start(time.Now().Add(startUp))
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

// Progress may be called at any time, from any goroutine.
func (g *Generator) Progress() Progress { return g.shown.sum() }

type seen struct {
	intended, completed, failed, timedOut atomic.Uint64
	_                                     [4]uint64 // a cache line for each thread
}

// Limits on many connections, checked before the load starts: it is refused with the limit's name instead of failing half-way.

// needs are a task's demands on the machine.
type needs struct {
	connections int
	files       int    // other than connections
	bytes       uint64 // of memory, roughly
	sources     int    // local addresses, at least 1
}

// limits are those of the machine; 0 is unknown.
type limits struct {
	files  uint64 // that may be open
	ports  ports
	memory uint64 // free bytes
}

// ports is the system's range of local ports for connections.
type ports struct{ first, last, count int }

// Memory of one connection in bytes, roughly: the kernel's part for a mostly idle socket, and the generator's for its
// protocols.
const (
	socketBytes = 6 << 10
	plainBytes  = 1 << 10
	tlsBytes    = 32 << 10 // with the part of net/http
	http2Bytes  = 24 << 10
)

// filesPerThread is the number of files of an event loop itself.
const filesPerThread = 2

// sparedFiles is the number of files left for other purposes.
const sparedFiles = 64

// needs sums up the demands of p on the machine, for a process that has this many files open already, and memory for had
// connections.
func (p *plan) needs(files, had int) needs {
	n := needs{
		connections: p.task.OpenOfAll(), sources: max(len(p.sources), 1),
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

// check returns an error with the limit that n exceeds and the remedy; nil if there is none.
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

// The local addresses of connections. Both ends identify a connection, so one source address can have no more connections to
// one server than the system has ports.

// chooseSources returns as many loopback addresses as the connections need, or none if the system's choice will do.
func (p *plan) chooseSources() []netip.Addr {
	if !p.onLoopback() {
		return nil
	}
	return loopbackSources(p.task.OpenOfAll(), readPorts().count)
}

// onLoopback reports whether every server is on this machine's loopback, over IPv4: IPv6 has only one loopback address.
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

// portShare is the share of a source address's ports to use before the next one is taken: looking for a free port gets slow
// when few are left.
const portShare = 0.5

// loopbackSources returns as many of 127.0.0.1, 127.0.0.2 … as the connections need; none if the system's address is enough.
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
