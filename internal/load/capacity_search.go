// Measuring a capacity: one stretch of load after the other.

package load

import (
	"context"
	"errors"
	"fmt"

	"github.com/tracetax/tracetax/internal/record"
)

// MeasureCapacity carries out the plan. If ctx ends it returns what was measured
// until then, with the error.
func MeasureCapacity(ctx context.Context, p CapacityPlan, with Instruments) (Capacity, error) {
	if p.Stretch <= 0 || p.GeneratorCPUs < 1 || len(p.Threads) == 0 || len(p.Connections) == 0 {
		return Capacity{}, errors.New("measuring the capacity: want threads, connections, a length of the stretches and a CPU")
	}
	m := capacityMeter{plan: p, with: with}
	c := Capacity{StretchSeconds: p.Stretch.Seconds(), GeneratorCPUs: p.GeneratorCPUs, ServerCPUs: p.ServerCPUs, Shared: p.Shared}
	for _, threads := range p.Threads {
		best := 0.0
		for _, connections := range p.Connections {
			if connections < threads {
				continue // a thread without a connection does nothing
			}
			cell, err := m.closed(ctx, threads, connections)
			if err != nil {
				return c, fmt.Errorf("measuring the capacity: %w", err)
			}
			c.Closed = append(c.Closed, cell)
			best = max(best, cell.Rate)
		}
		if best == 0 {
			continue
		}
		held, err := m.open(ctx, threads, best)
		if err != nil {
			return c, fmt.Errorf("measuring the capacity: %w", err)
		}
		c.Open = append(c.Open, held)
	}
	return c, nil
}

// capacityMeter measures one stretch after the other.
type capacityMeter struct {
	plan CapacityPlan
	with Instruments
}

// stretch is what was seen of one stretch of load.
type stretch struct {
	load      record.Load
	summary   Summary
	generator Share
	server    *Share
}

func (m *capacityMeter) closed(ctx context.Context, threads, connections int) (Cell, error) {
	m.say(fmt.Sprintf("closed loop, threads: %d, connections: %d", threads, connections))
	s, err := m.measure(ctx, threads, connections, 0)
	if err != nil {
		return Cell{}, err
	}
	return Cell{
		Threads: threads, Connections: connections,
		Rate: s.summary.Reached, CPUPerOperation: s.summary.CPUPerRequest,
		Generator: s.generator, Server: s.server,
		Failed: s.load.Failed + s.load.TimedOut,
		Limit:  s.summary.Limit, Bound: s.bound(m.plan.Shared),
	}, nil
}

// open searches for the highest rate held. A rate that is not held is tried once
// more, since another process may have been in the way for a moment.
func (m *capacityMeter) open(ctx context.Context, threads int, best float64) (Held, error) {
	h := Held{Threads: threads, Connections: max(threads, m.plan.Connections[len(m.plan.Connections)-1])}
	low, high := 0.0, openAbove*best
	for range openProbes {
		rate := (low + high) / 2
		if rate*m.plan.Stretch.Seconds() < leastRate {
			break
		}
		failing, bound := h.Failing, h.Bound
		ok, err := m.holds(ctx, &h, rate)
		if err == nil && !ok {
			if ok, err = m.holds(ctx, &h, rate); ok {
				h.Failing, h.Bound = failing, bound // of a higher rate
			}
		}
		if err != nil {
			return h, err
		}
		if ok {
			low = rate
		} else {
			high = rate
		}
	}
	return h, nil
}

// holds tries a rate, and enters in h what came of it.
func (m *capacityMeter) holds(ctx context.Context, h *Held, rate float64) (bool, error) {
	m.say(fmt.Sprintf("open loop, threads: %d, rate: %.0f/s", h.Threads, rate))
	s, err := m.measure(ctx, h.Threads, h.Connections, rate)
	if err != nil {
		return false, err
	}
	if !s.held() {
		h.Failing, h.Bound = rate, s.openBound(m.plan.Shared)
		return false, nil
	}
	h.Rate, h.LagP99, h.CPUPerOperation = rate, s.summary.LagP99, s.summary.CPUPerRequest
	h.Generator, h.Server = s.generator, s.server
	return true, nil
}

// measure makes load for a stretch, after a fifth of it to warm up.
func (m *capacityMeter) measure(ctx context.Context, threads, connections int, rate float64) (stretch, error) {
	t := m.plan.Task
	t.Rate, t.Threads, t.Connections, t.Count = rate, threads, connections, 0
	t.Duration = m.plan.Stretch / 5
	if rate == 0 || rate*t.Duration.Seconds() >= 1 {
		if _, err := m.with.Do(ctx, t); err != nil {
			return stretch{}, err
		}
	}
	t.Duration = m.plan.Stretch
	before, err := m.read()
	if err != nil {
		return stretch{}, err
	}
	l, err := m.with.Do(ctx, t)
	if err != nil {
		return stretch{}, err
	}
	after, err := m.read()
	if err != nil {
		return stretch{}, err
	}
	s := stretch{load: l}
	elapsed := after.at.Sub(before.at)
	used := after.generator.Since(before.generator, threads)
	s.generator = shareOf(used, min(threads, m.plan.GeneratorCPUs), elapsed)
	if m.with.Server != nil && m.plan.ServerCPUs > 0 {
		server := shareOf(after.server.Since(before.server, m.plan.ServerCPUs), m.plan.ServerCPUs, elapsed)
		s.server = &server
	}
	s.summary, err = SummarizeCPU(t, l, used)
	return s, err
}
