// This file has the metrics of workloads that make themselves work: what a call takes,
// and what it leaves for the collector of garbage.
package analysis

import (
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

const timePerCall = "time_per_call"

// perMillion is how many operations the collections are counted over: one operation
// has far less than one.
const perMillion = 1e6

// saturationNote is why a loop without a rate may compare durations here.
const saturationNote = "in saturation, back to back: the work of a call is fixed, so that its duration may be compared; read it beside CPU per operation, delivered share and delivered rate"

// drivenMetrics lists what is measured of a phase in which a workload made itself work.
func drivenMetrics(roles []role.Role, how loop) []metric {
	saturated := how == saturating
	list := []metric{callTime(saturated)}
	if saturated {
		list = append(list, callTimes()...)
	}
	for _, of := range append([]role.Role{""}, roles...) {
		m := cpuMetric(of)
		m.headline = m.headline && !saturated
		list = append(list, m)
	}
	list = append(list, blockedTime(saturated)...)
	list = append(list, utilisation(), throughputMetric(saturated))
	list = append(list, footprint()...)
	return append(list, heap()...)
}

func callTime(saturated bool) metric {
	m := metric{name: timePerCall, unit: "s", better: lower, headline: saturated, clock: true, value: func(_ *run, p *phase) (float64, bool) {
		if p.Load.Driven == nil {
			return 0, false
		}
		return over(p.Load.Driven.CallSeconds, float64(p.Load.Completed+p.Load.Failed))
	}}
	if saturated {
		m.note = saturationNote
	}
	return m
}

// callTimes are the percentiles. Paced there are none: durations there are taken from
// when a call was due, which the ticks of the pacing decide.
func callTimes() []metric {
	var list []metric
	for _, q := range []struct {
		name       string
		percentile float64
	}{{"p50", 50}, {"p90", 90}, {"p99", 99}} {
		list = append(list, metric{name: timePerCall + "_" + q.name, unit: "s", better: lower, clock: true,
			value: func(_ *run, p *phase) (float64, bool) { return p.latency.at(q.percentile) }})
	}
	return list
}

// blockedTime is what the calling threads waited in their operations: the time of these less
// the threads' CPU time, which holds the readings of the clock between them too. Paced threads
// sleep between calls, which is no waiting for anything.
func blockedTime(saturated bool) []metric {
	if !saturated {
		return nil
	}
	return []metric{{name: "blocked_time", unit: "s", better: lower, clock: true,
		note: "per operation: its time less the CPU time of the calling threads, so what they wait for locks, for a queue, for the collector of garbage or for a CPU",
		value: func(_ *run, p *phase) (float64, bool) {
			d := p.Load.Driven
			if d == nil || d.ThreadCPU == nil {
				return 0, false
			}
			return over(max(0, d.CallSeconds-*d.ThreadCPU), float64(p.Load.Started))
		}}}
}

// heap lists what the language tells of its memory.
func heap() []metric {
	of := func(read func(*record.Driven) (float64, bool), by func(*phase) float64) func(*run, *phase) (float64, bool) {
		return func(_ *run, p *phase) (float64, bool) {
			if p.Load.Driven == nil {
				return 0, false
			}
			v, told := read(p.Load.Driven)
			if !told {
				return 0, false
			}
			return over(v, by(p))
		}
	}
	whole := func(*phase) float64 { return 1 }
	perOperation := func(p *phase) float64 { return float64(p.Load.Started) }
	return []metric{
		{name: "allocation_per_operation", unit: "bytes", better: lower,
			value: of(func(d *record.Driven) (float64, bool) { return number(d.Allocated) }, perOperation)},
		{name: "gc_count", unit: "count", better: lower, note: "per million operations",
			value: of(func(d *record.Driven) (float64, bool) { return number(d.GCCount) }, func(p *phase) float64 { return float64(p.Load.Started) / perMillion })},
		{name: "gc_time", unit: "s", better: lower, note: "per operation", clock: true,
			value: of(func(d *record.Driven) (float64, bool) { return number(d.GCSeconds) }, perOperation)},
		{name: "heap_peak", unit: "bytes", better: lower, note: "the most seen between batches of operations",
			value: of(func(d *record.Driven) (float64, bool) { return number(d.HeapPeak) }, whole)},
		{name: "heap_live", unit: "bytes", better: lower, note: "after a full collection behind the window",
			value: of(func(d *record.Driven) (float64, bool) { return number(d.HeapLive) }, whole)},
	}
}

// number is a figure that a language may not tell.
func number[T uint64 | float64](v *T) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return float64(*v), true
}
