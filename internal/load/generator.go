// The generator: carries out one task after the other, on connections that it
// keeps in between.

package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

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
	data    dataFiles
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

// startUp is how far ahead a task's start lies, so that its threads run by then.
const startUp = 2 * time.Millisecond

// Prepare does what Do would do before it begins, reading the data files of t for
// one, so that the next Do of t begins at once.
func (g *Generator) Prepare(ctx context.Context, t Task) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, err := newPlanWith(ctx, t, &g.data, &g.identified); err != nil {
		return fmt.Errorf("preparing the load: %w", err)
	}
	return nil
}

// Do carries out t. If ctx ends first, Do gives up at once and returns what was
// done so far with the error; what was under way then counts as failed.
func (g *Generator) Do(ctx context.Context, t Task) (record.Load, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return record.Load{}, errors.New("the load generator is closed")
	}
	p, err := newPlanWith(ctx, t, &g.data, &g.identified)
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
	load, err := sum.load()
	if err != nil {
		return load, err
	}
	if err := ctx.Err(); err != nil {
		return load, fmt.Errorf("the load was given up: %w", err)
	}
	return load, nil
}

// run has every thread do its share and adds up what became of it.
func (g *Generator) run(ctx context.Context, p *plan) (*tally, error) {
	n := p.task.Threads
	tallies, errs := make([]*tally, n), make([]error, n)
	start := time.Now().Add(startUp)
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
