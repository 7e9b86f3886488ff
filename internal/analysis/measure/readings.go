// The reading of each metric in one run.

package measure

import (
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// perMillion is the number of operations that collections are counted over: one operation
// has far less than one.
const perMillion = 1e6

// readings are those of the metrics that a run has by itself, by name; a test holds them against
// the table. They get the role or service that the cost is charged to.
var readings = map[string]func(role.Charge) Reading{
	metric.Capacity: plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) {
		if p.Capacity == nil {
			return 0, false
		}
		return p.Capacity.Carries()
	}),
	metric.CPUPerOperation: func(charged role.Charge) Reading {
		return func(_ *dataset.Run, p *dataset.Phase) (float64, bool) {
			return perOperation(p, p.CPU(charged))
		}
	},
	metric.CPUUtilisation: plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) {
		share, known := dataset.Over(p.CPU(role.Charge{}), p.Load.WallSeconds)
		return share, known && !p.Restless
	}),
	metric.Throughput: plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) {
		l := &p.Load
		if l.Driven != nil { // as fast as the program goes where nothing disturbs it
			l = p.Clocked()
		}
		return dataset.Over(float64(l.Completed), l.WallSeconds)
	}),
	"operations_completed": plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) { return float64(p.Load.Completed), true }),

	metric.LatencyMean: plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) { return p.Latency.Mean() }),
	metric.LatencyP50:  percentile(metric.LatencyP50), "latency_p75": percentile("latency_p75"), "latency_p90": percentile("latency_p90"),
	metric.LatencyP95: percentile(metric.LatencyP95), metric.LatencyP99: percentile(metric.LatencyP99), "latency_p999": percentile("latency_p999"),
	"latency_max": plain(longest), "time_per_call_max": plain(longest),

	metric.BenchmarkTimeMean: told("benchmark"), metric.InitTime: told("init"), metric.CPUAfterAnswer: told("after"),
	metric.BenchmarkTimeP50: toldPercentile(metric.BenchmarkTimeP50), metric.BenchmarkTimeP99: toldPercentile(metric.BenchmarkTimeP99),
	metric.PlatformTime: plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) {
		client, ok := p.Latency.Mean()
		benchmark, told := p.Timings["benchmark"].Mean()
		return client - benchmark, ok && told
	}),

	// At a rate there are no percentiles of a call: durations there are taken from when it was due,
	// which the ticks of the pacing decide.
	metric.TimePerCall: plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) {
		l := p.Clocked()
		if l.Driven == nil {
			return 0, false
		}
		return dataset.Over(l.Driven.CallSeconds, float64(l.Completed+l.Failed))
	}),
	metric.TimePerCallP50: percentile(metric.TimePerCallP50), "time_per_call_p90": percentile("time_per_call_p90"), "time_per_call_p99": percentile("time_per_call_p99"),
	// What the calling threads waited in their operations: the time of these less the threads' CPU
	// time, which holds the readings of the clock between them too. At a fixed rate threads sleep between
	// calls, which is no waiting for anything.
	metric.BlockedTime: plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) {
		l := p.Clocked()
		d := l.Driven
		if d == nil || d.ThreadCPU == nil {
			return 0, false
		}
		return dataset.Over(max(0, d.CallSeconds-*d.ThreadCPU), float64(l.Started))
	}),

	"context_switches": plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) {
		if slices.ContainsFunc(p.Usage, func(u record.Usage) bool { return slices.Contains(u.Unread, "context_switches") }) {
			return 0, false
		}
		return perOperation(p, p.Used(role.Charge{}, func(u record.Usage) float64 { return float64(u.ContextSwitches) }))
	}),
	metric.ExportPerOperation: plain(func(r *dataset.Run, p *dataset.Phase) (float64, bool) {
		if r.Backend != nil { // which counts spans alone
			return 0, false
		}
		return dataset.Over(float64(p.Sink.Bytes), float64(p.Load.Started))
	}),
	metric.ExportRequests: plain(func(r *dataset.Run, p *dataset.Phase) (float64, bool) {
		if r.Backend != nil || len(r.Hops) > 0 { // which counts spans alone; which sends in requests of its own
			return 0, false
		}
		return dataset.Over(float64(p.Sink.Requests), float64(p.Load.Started))
	}),
	metric.KeptShare: plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) { return kept(p) }),
	metric.DeliveredRate: plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) {
		return dataset.Over(float64(p.Sink.Unique()), p.Load.WallSeconds)
	}),

	"allocation_per_operation": heap(func(d *record.Driven) (float64, bool) { return number(d.Allocated) }, started),
	"gc_count":                 heap(func(d *record.Driven) (float64, bool) { return number(d.GCCount) }, func(p *dataset.Phase) float64 { return started(p) / perMillion }),
	"gc_time":                  heap(func(d *record.Driven) (float64, bool) { return number(d.GCSeconds) }, started),
	"heap_peak":                heap(func(d *record.Driven) (float64, bool) { return number(d.HeapPeak) }, whole),
	"heap_live":                heap(func(d *record.Driven) (float64, bool) { return number(d.HeapLive) }, whole),

	// Memory is of the whole run: a process keeps the memory of earlier operations, and a figure by
	// operation would depend on their order.
	metric.MemoryMean: memory(func(m record.Memory) uint64 { return m.Steady }),
	metric.MemoryPeak: memory(func(m record.Memory) uint64 { return m.Peak }),
	"idle_cpu":        plain(func(r *dataset.Run, _ *dataset.Phase) (float64, bool) { return r.IdleCPU() }),
	metric.StartupTime: plain(func(r *dataset.Run, _ *dataset.Phase) (float64, bool) {
		return r.Start.ReadySeconds, r.Start.ReadySeconds > 0
	}),
	metric.FirstOperationTime: plain(func(r *dataset.Run, _ *dataset.Phase) (float64, bool) {
		return r.Start.FirstOperationSeconds, r.Start.FirstOperationSeconds > 0
	}),
}

// perOperation returns the use of each operation of something that processes also use idle.
func perOperation(p *dataset.Phase, used float64) (float64, bool) {
	each, known := dataset.Over(used, float64(p.Load.Started))
	return each, known && !p.Restless
}

// plain is a reading that charges everybody.
func plain(read Reading) func(role.Charge) Reading { return func(role.Charge) Reading { return read } }

// percentile reads that of the latency distribution, or of the durations of calls, which a metric is.
func percentile(name string) func(role.Charge) Reading {
	q := metric.Must(name).Percentile
	return plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) { return p.Latency.At(q) })
}

// told reads the mean of a named time that answers report.
func told(name string) func(role.Charge) Reading {
	return plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) { return p.Timings[name].Mean() })
}

func toldPercentile(name string) func(role.Charge) Reading {
	q := metric.Must(name).Percentile
	return plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) { return p.Timings["benchmark"].At(q) })
}

// heap reads the language's report of its memory.
func heap(read func(*record.Driven) (float64, bool), by func(*dataset.Phase) float64) func(role.Charge) Reading {
	return plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) {
		if p.Load.Driven == nil {
			return 0, false
		}
		v, told := read(p.Load.Driven)
		if !told {
			return 0, false
		}
		return dataset.Over(v, by(p))
	})
}

// kept returns the number of operations with a trace that came; false if all have one, because then nothing decides on
// traces, or if ids were not checked.
func kept(p *dataset.Phase) (float64, bool) {
	share, ok := dataset.Over(float64(p.Sink.Traces), started(p))
	return share, ok && share < 1 && (p.Sink.Traces > 0 || p.Sink.Spans == 0)
}

func whole(*dataset.Phase) float64     { return 1 }
func started(p *dataset.Phase) float64 { return float64(p.Load.Started) }

// number returns a figure; false if the language does not report it.
func number[T uint64 | float64](v *T) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return float64(*v), true
}

// memory sums a size over the processes that are charged. Peaks of several processes may not have
// come at once: the sum is an upper bound. Where it is not known of one of them there is no sum; a
// part of the processes holds nothing where none of them is there.
func memory(size func(record.Memory) uint64) func(role.Charge) Reading {
	return func(charged role.Charge) Reading {
		return func(r *dataset.Run, _ *dataset.Phase) (float64, bool) {
			var sum float64
			for _, m := range r.Memory {
				if !charged.Of(m.Role, m.Whose()) {
					continue
				}
				if size(m) == 0 {
					return 0, false
				}
				sum += float64(size(m))
			}
			return sum, sum > 0 || len(r.Memory) > 0 && charged != (role.Charge{})
		}
	}
}

// longest returns the longest time of an operation in a phase, in seconds.
func longest(_ *dataset.Run, p *dataset.Phase) (float64, bool) { return p.Latency.Max() }
