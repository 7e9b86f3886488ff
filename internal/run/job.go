// An operation that is ready to be made, whoever makes it: the load generator by
// requests, or the workload's own process by an order.
package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// job is an operation at one level of the load.
type job struct {
	operation spec.Operation
	work      string      // the key of its spans; see record.Work
	task      load.Task   // Rate, Duration, Count and Seed hold for an order too
	order     *load.Order // nil: the load generator makes it
	process   string      // that gets the order
}

// job makes an operation ready for a level of the load.
func (s *stage) job(operation spec.Operation, l spec.Load, parameter map[string]string) (job, error) {
	j := job{operation: operation, work: record.Work(operation.Name, parameter)}
	if !s.request.Plan.Self {
		var err error
		j.task, err = s.task(operation, l)
		return j, err
	}
	if len(operation.Mix) > 0 {
		return j, fmt.Errorf("operation %s: a workload that makes itself work has no mix of operations", operation.Name)
	}
	j.process = operation.Owner(s.request.Plan.Processes).Name
	j.order = &load.Order{Threads: max(1, l.Threads), Depth: l.Depth, Busy: l.Busy, Words: operation.Drive}
	j.task = load.Task{Rate: l.Rate, Duration: l.Duration, Seed: s.request.Seed}
	if operation.Rate > 0 {
		j.task.Rate = operation.Rate
	}
	return j, nil
}

// ordered is the order of a job, its files beginning with samples; "" keeps none.
func (j job) ordered(samples string) load.Order {
	o := *j.order
	o.Rate, o.Duration, o.Calls, o.Seed, o.Samples = j.task.Rate, j.task.Duration, j.task.Count, j.task.Seed, samples
	return o
}

// armed is a stretch of load that is about to begin. Nothing but the operations
// happens in do, so that what is used may be read right before and after it.
type armed struct {
	job job
	do  func(context.Context) (record.Load, error)
	// collect adds to a load what takes CPU to come by; it is to be called after the
	// last reading of what the stretch used.
	collect func(context.Context, *record.Load) error
}

// arm makes a stretch ready. keep is the file in the results folder for every
// single duration; "" is none.
func (s *stage) arm(ctx context.Context, j job, keep string) (armed, error) {
	a := armed{job: j, collect: func(context.Context, *record.Load) error { return nil }}
	if j.order == nil {
		a.do = func(ctx context.Context) (record.Load, error) { return s.ask(ctx, j) }
		return a, nil
	}
	s.stretches++
	order := j.ordered(filepath.Join(s.scratch, "samples-"+strconv.Itoa(s.stretches)))
	driver, err := s.prepare(ctx, j, order)
	if err != nil {
		return a, err
	}
	a.do = func(ctx context.Context) (record.Load, error) { return s.driven(ctx, j, driver) }
	a.collect = func(ctx context.Context, l *record.Load) error {
		err := driver.Collect(ctx, l)
		if err == nil && keep != "" {
			err = s.keepSamples(order, keep, l)
		}
		if err = errors.Join(err, order.RemoveSamples()); err != nil {
			return s.drivingFailed(ctx, j, err)
		}
		return nil
	}
	return a, nil
}

// load makes a stretch of load of which only the counts are of interest. Too many
// wrong answers are an error.
func (s *stage) load(ctx context.Context, j job) (record.Load, error) {
	did, err := s.attempt(ctx, j)
	if err != nil {
		return did, err
	}
	return did, s.wellDone(j, did)
}

// attempt is load, however the operations are answered.
func (s *stage) attempt(ctx context.Context, j job) (record.Load, error) {
	if j.order == nil {
		return s.ask(ctx, j)
	}
	driver, err := s.prepare(ctx, j, j.ordered(""))
	if err != nil {
		return record.Load{}, err
	}
	return s.driven(ctx, j, driver)
}

// ask has the load generator make an operation, however it is answered.
func (s *stage) ask(ctx context.Context, j job) (record.Load, error) {
	did, err := s.agents.load.Do(ctx, j.task)
	if ctx.Err() != nil {
		return did, context.Cause(ctx)
	}
	if err != nil {
		return did, fmt.Errorf("making operation %s: %w%s", j.operation.Name, err, said(s.agents.loadProcess))
	}
	return did, nil
}

// prepare gives an order to the process of a job.
func (s *stage) prepare(ctx context.Context, j job, order load.Order) (*load.Driver, error) {
	driver, err := s.driver(ctx, j.process)
	if err == nil {
		err = driver.Prepare(ctx, order)
	}
	if err != nil {
		return nil, s.drivingFailed(ctx, j, err)
	}
	return driver, nil
}

// driven has the process make what was prepared.
func (s *stage) driven(ctx context.Context, j job, driver *load.Driver) (record.Load, error) {
	did, err := driver.Run(ctx)
	if err != nil {
		return did, s.drivingFailed(ctx, j, err)
	}
	return did, nil
}

func (s *stage) drivingFailed(ctx context.Context, j job, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &processError{j.process, fmt.Errorf("making operation %s: %w", j.operation.Name, err)}
}

// driver is the connection to a process that makes itself work.
func (s *stage) driver(ctx context.Context, process string) (*load.Driver, error) {
	if d := s.drivers[process]; d != nil {
		return d, nil
	}
	d, err := load.Dial(ctx, net.JoinHostPort("127.0.0.1", s.values[process+".port"]))
	if err != nil {
		return nil, err
	}
	if s.drivers == nil {
		s.drivers = map[string]*load.Driver{}
	}
	s.drivers[process] = d
	return d, nil
}

// stopDriven tells the processes that make themselves work to end, and waits until
// they have: a signal in the middle of that might cut their tracer's flush short.
func (s *stage) stopDriven(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(s.drivers)) {
		if err := s.drivers[name].Stop(ctx); err != nil {
			return &processError{name, fmt.Errorf("stopping process %s: %w", name, err)}
		}
	}
	patience := time.NewTimer(grace)
	defer patience.Stop()
	for _, p := range s.apps {
		if s.drivers[p.Name()] == nil {
			continue
		}
		select {
		case <-p.Done():
		case <-patience.C:
			return nil // it is asked by a signal next
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// closeDrivers closes the connections that are left of a run that failed.
func (s *stage) closeDrivers() error {
	var errs []error
	for _, d := range s.drivers {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}
