// This file says what each metric is in one run. A metric that one of the runs
// cannot give is not shown at all: leaving out the runs that cannot give it would
// choose among them.
package analysis

import (
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// The words of a finding that are used more than once.
const (
	lower  = "lower"
	higher = "higher"

	cpuPerOperation = "cpu_per_operation"
	throughput      = "throughput"
	cpuPerSpan      = "cpu_per_span"
	deliveredShare  = "delivered_share"
	deliveredRate   = "delivered_rate"
	capacity        = "capacity"
	memoryMean      = "memory_mean"
	memoryPeak      = "memory_peak"
)

// metric is one figure of a run.
type metric struct {
	name, unit, better string
	role               role.Role // "": all but the harness
	wholeRun           bool      // not of an operation
	latency            bool      // needs the same rate on both sides
	clock              bool      // by the clock on the wall, of the work itself
	pointOnly          bool      // an estimate without an interval
	noVerdict          bool
	uncompared         bool    // each side's is of other work: there is no difference to take
	added              bool    // over the baseline by definition: that has none itself
	headline           bool    // the answer is made of it
	percentile         float64 // latency: at which the generator's lag is looked at; 0 is the mean
	note               string
	value              func(*run, *phase) (float64, bool) // the phase is nil for wholeRun
}

// metrics lists what is measured in every run, for the roles that occur.
func metrics(roles []role.Role, how loop) []metric {
	if how == searching {
		return append(searched(roles), ofTheStart()...) // each at a load of its own: their memory is not compared
	}
	if how.drives() {
		return append(drivenMetrics(roles, how), ofTheRun()...)
	}
	closed := how == closedLoop
	list := []metric{cpuMetric("")}
	for _, of := range roles {
		list = append(list, cpuMetric(of))
	}
	list = append(list, utilisation(), throughputMetric(closed), completed())
	if !closed {
		list = append(list, latencies()...)
	}
	list = append(list, footprint()...)
	return append(list, ofTheRun()...)
}

func utilisation() metric {
	return metric{name: "cpu_utilisation", unit: "1", better: lower, note: "CPU until the last span has come, over the time of the window alone", value: func(_ *run, p *phase) (float64, bool) {
		return over(p.cpu(role.Charge{}), p.Load.WallSeconds)
	}}
}

// throughputMetric has a verdict where nobody gave a rate.
func throughputMetric(free bool) metric {
	return metric{name: throughput, unit: "1/s", better: higher, noVerdict: !free, note: offeredNote(free), value: func(_ *run, p *phase) (float64, bool) {
		return over(float64(p.Load.Completed), p.Load.WallSeconds)
	}}
}

// completed is how many operations the other figures of a run are of.
func completed() metric {
	return metric{name: "operations_completed", unit: "count", better: higher, noVerdict: true, note: "in the window of one run", value: func(_ *run, p *phase) (float64, bool) {
		return float64(p.Load.Completed), true
	}}
}

// footprint lists what the processes do beside their work, and what comes of their spans.
func footprint() []metric {
	return []metric{
		{name: "context_switches", unit: "count", better: lower, note: "per operation", value: func(_ *run, p *phase) (float64, bool) {
			return over(p.used(role.Charge{}, func(u record.Usage) float64 { return float64(u.ContextSwitches) }), float64(p.Load.Started))
		}},
		{name: "export_bytes_per_operation", unit: "bytes", better: lower, value: func(_ *run, p *phase) (float64, bool) {
			return over(float64(p.Sink.Bytes), float64(p.Load.Started))
		}},
		{name: deliveredRate, unit: "1/s", better: higher, noVerdict: true, value: func(_ *run, p *phase) (float64, bool) {
			return over(float64(p.Sink.Unique()), p.Load.WallSeconds)
		}},
	}
}

// ofTheRun lists the metrics that are not of an operation. Memory is one of them: a process
// keeps what an earlier operation made it take, so that by operation it would say which came first.
func ofTheRun() []metric {
	return append([]metric{
		{name: memoryMean, unit: "bytes", better: lower, wholeRun: true, note: "under the load of the last window, when every operation has been made",
			value: memory(func(m record.Memory) uint64 { return m.Steady })},
		{name: memoryPeak, unit: "bytes", better: lower, wholeRun: true, note: "the most in the life of the processes, once they were ready",
			value: memory(func(m record.Memory) uint64 { return m.Peak })},
	}, ofTheStart()...)
}

// ofTheStart lists the metrics of what comes before the first operation is measured.
func ofTheStart() []metric {
	return []metric{
		{name: "idle_cpu", unit: "1", better: lower, wholeRun: true, value: func(r *run, _ *phase) (float64, bool) { return r.idleCPU() }},
		{name: "startup_time", unit: "s", better: lower, wholeRun: true, value: func(r *run, _ *phase) (float64, bool) {
			return r.Start.ReadySeconds, r.Start.ReadySeconds > 0
		}},
		{name: "first_operation_time", unit: "s", better: lower, wholeRun: true, value: func(r *run, _ *phase) (float64, bool) {
			return r.Start.FirstOperationSeconds, r.Start.FirstOperationSeconds > 0
		}},
	}
}

// searched lists the metrics of a search for the capacity. Each variant works at
// the rate that was found for it: nothing but that rate is compared, and the CPU per
// operation is shown for what it is.
func searched(roles []role.Role) []metric {
	list := []metric{{name: capacity, unit: "1/s", better: higher, headline: true, value: func(_ *run, p *phase) (float64, bool) {
		if p.Capacity == nil || p.Capacity.Outcome != record.Found {
			return 0, false
		}
		return p.Capacity.Rate, p.Capacity.Rate > 0
	}}}
	for _, of := range append([]role.Role{""}, roles...) {
		m := cpuMetric(of)
		m.headline, m.noVerdict, m.uncompared = false, true, true
		m.note = "at the rate found for each, which is not the same: no comparison of the same work"
		list = append(list, m)
	}
	return list
}

func offeredNote(closed bool) string {
	if closed {
		return ""
	}
	return "open loop: the offered rate, as long as it is held"
}

func cpuMetric(of role.Role) metric {
	m := metric{name: cpuPerOperation, role: of, unit: "s", better: lower, headline: of == "", value: func(_ *run, p *phase) (float64, bool) {
		return over(p.cpu(role.Charge{Role: of}), float64(p.Load.Started))
	}}
	if of.Harness() {
		m.noVerdict, m.note = true, "part of the harness: shown, not charged"
	}
	return m
}

// latencies lists the metrics of the latency distribution.
func latencies() []metric {
	list := []metric{{name: "latency_mean", unit: "s", better: lower, latency: true, value: func(_ *run, p *phase) (float64, bool) {
		return p.latency.mean()
	}}}
	for _, q := range []struct {
		name       string
		percentile float64
	}{{"p50", 50}, {"p75", 75}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"p999", 99.9}} {
		list = append(list, metric{name: "latency_" + q.name, unit: "s", better: lower, latency: true, percentile: q.percentile,
			value: func(_ *run, p *phase) (float64, bool) { return p.latency.at(q.percentile) }})
	}
	return append(list, metric{name: "latency_max", unit: "s", better: lower, latency: true, pointOnly: true, noVerdict: true,
		value: func(_ *run, p *phase) (float64, bool) { return p.latency.max() }})
}
