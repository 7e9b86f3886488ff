package drive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
)

// Orders lets the workload's processes drive themselves.
type Orders struct {
	Run
	connections map[string]*load.Driver // by process
	prepared    int                     // stretches
}

var _ Driver = (*Orders)(nil)

// Check implements Driver.
func (d *Orders) Check(s Segment) error {
	if len(s.Operation.Mix) > 0 {
		return fmt.Errorf("operation %s: a self-driving workload has no mix of operations", s.Operation.Name)
	}
	return nil
}

// Prepare implements Driver: it gives the order to the process of the operation.
func (d *Orders) Prepare(ctx context.Context, s Segment) (Prepared, error) {
	a := &ordered{by: d, segment: s, process: s.Operation.Owner(d.Processes).Name, order: load.Order{
		Calls: s.Count, Duration: s.Duration, Rate: s.Rate, Threads: max(1, s.Load.Threads), Depth: s.Load.Depth,
		Seed: s.Seed, Moments: rand.NewPCG(s.Seed, 1+s.Own).Uint64(), Words: s.Operation.Drive,
	}}
	if s.Purpose.alone() {
		a.order.Threads = 1
	}
	if s.Purpose == First {
		a.order.Duration, a.order.Rate = 0, 0
	}
	if s.Purpose.timed() {
		d.prepared++
		a.order.Samples = filepath.Join(d.Scratch, "samples-"+strconv.Itoa(d.prepared))
	}
	var err error
	if a.to, err = d.connection(ctx, a.process); err == nil {
		err = a.to.Prepare(ctx, a.order)
	}
	if err != nil {
		return nil, a.failed(ctx, err)
	}
	return a, nil
}

// connection returns the connection to a process, made at its first order.
func (d *Orders) connection(ctx context.Context, process string) (*load.Driver, error) {
	if c := d.connections[process]; c != nil {
		return c, nil
	}
	c, err := load.Dial(ctx, d.Address(process))
	if err != nil {
		return nil, err
	}
	if d.connections == nil {
		d.connections = map[string]*load.Driver{}
	}
	d.connections[process] = c
	return c, nil
}

// Stop implements Driver. It waits until the processes have ended: a signal before that might cut their tracer's flush short.
func (d *Orders) Stop(ctx context.Context) error {
	told := slices.Sorted(maps.Keys(d.connections))
	for _, process := range told {
		if err := d.connections[process].Stop(ctx); err != nil {
			return &ProcessError{process, fmt.Errorf("stopping process %s: %w", process, err)}
		}
	}
	patience := time.NewTimer(d.Grace)
	defer patience.Stop()
	for _, process := range told {
		select {
		case <-d.Ended(process):
		case <-patience.C:
			return nil // a signal follows
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// Close implements Driver.
func (d *Orders) Close() error {
	var errs []error
	for _, c := range d.connections {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Wrong implements Driver.
func (d *Orders) Wrong(o program.Operation, did record.Load) error {
	return fmt.Errorf("operation %s: of %d that the workload made, %d failed: mend the workload", o.Name, did.Started, did.Failed)
}

// Took implements Driver: the program may report it, and without a rate its threads do nothing else.
func (d *Orders) Took(s Segment, did record.Load) float64 {
	switch {
	case did.Driven.CallSeconds > 0:
		return did.Driven.CallSeconds
	case s.Rate == 0:
		return did.WallSeconds * float64(did.Driven.Threads)
	}
	return 0
}

// ordered is a segment whose order a process has.
type ordered struct {
	by      *Orders
	segment Segment
	process string
	order   load.Order
	to      *load.Driver
}

// Run implements Prepared.
func (a *ordered) Run(ctx context.Context) (record.Load, error) {
	did, err := a.to.Run(ctx)
	if err != nil {
		return did, a.failed(ctx, err)
	}
	return did, nil
}

// Collect implements Prepared.
func (a *ordered) Collect(ctx context.Context, l *record.Load) error {
	var err error
	if a.order.Samples != "" {
		if err = a.to.Collect(ctx, l); err == nil && a.segment.Keep != "" {
			err = a.keep(l)
		}
		err = errors.Join(err, a.order.RemoveSamples())
	}
	if err == nil && a.segment.Purpose == Window {
		err = a.to.Live(ctx, l)
	}
	if err != nil {
		return a.failed(ctx, err)
	}
	return nil
}

func (a *ordered) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &ProcessError{a.process, fmt.Errorf("making operation %s: %w", a.segment.Operation.Name, err)}
}
