// Causes: the CPU of a run's window, divided by its profiles.

package measure

import (
	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// readingOf returns the reading of a metric in a run.
func readingOf(row metric.Row) (func(role.Charge) Reading, bool) {
	if row.Cause.Wait {
		return plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) { return besideIn(p, record.ForWall, row.Cause) }), true
	}
	if row.Cause.Alloc {
		return plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) { return besideIn(p, record.ForAlloc, row.Cause) }), true
	}
	if row.Cause.Axis == metric.Start {
		return plain(func(r *dataset.Run, _ *dataset.Phase) (float64, bool) { return startIn(r, row.Cause.Name) }), true
	}
	if row.IsCause() {
		return plain(func(_ *dataset.Run, p *dataset.Phase) (float64, bool) {
			used, known := causeIn(p, row.Cause)
			if !known {
				return 0, false
			}
			return perOperation(p, used)
		}), true
	}
	read, known := readings[row.Name]
	return read, known
}

// startIn returns the time of a part of a start, or of all of it. The rest is unknown if the parts took longer than the start:
// threads of the program worked at the same time.
func startIn(r *dataset.Run, part string) (seconds float64, known bool) {
	if r.Cold == nil || r.Cold.Failure != "" {
		return 0, false
	}
	switch part {
	case "":
		return r.Cold.Seconds, true
	case metric.StartRest:
		rest := r.Cold.Seconds
		for _, part := range profile.StartParts {
			rest -= r.Cold.Parts[part]
		}
		return rest, rest >= 0
	}
	return r.Cold.Parts[part], true
}

// skips reports whether a run is none of those in which a metric is read: a start is either timed, or under a profiler.
func (m Measure) skips(r *dataset.Run) bool {
	if r.Cold == nil {
		return m.Cause.Axis == metric.Start
	}
	return m.Name == metric.StartupTime || m.Name == metric.FirstOperationTime
}

// causeIn is the CPU seconds of a window that a cause has: each process's by the shares of its own samples. False where a
// process was to be profiled and was not.
func causeIn(p *dataset.Phase, of metric.Cause) (seconds float64, known bool) {
	stretch := p.ProfiledOf(record.ForCPU)
	if stretch == nil || stretch.Failure != "" {
		return 0, false
	}
	profiled := map[string]bool{}
	for i := range stretch.Profiles {
		one := &stretch.Profiles[i]
		if one.Failure != "" {
			return 0, false
		}
		profiled[one.Process] = true
		seconds += p.CPUOf(func(u record.Usage) bool { return u.Process == one.Process }) * shareIn(one, of)
	}
	if of.Axis == metric.Besides {
		seconds = p.CPUOf(func(u record.Usage) bool { return !u.Role.Harness() && !profiled[u.Process] })
	}
	return seconds, true
}

// Profiles are those of an operation of a run, and what they stand for; none where causes have no amounts.
func Profiles(p *dataset.Phase) []finding.Profile {
	stretch := p.ProfiledOf(record.ForCPU)
	if stretch == nil || stretch.Failure != "" {
		return nil
	}
	var out []finding.Profile
	for i := range stretch.Profiles {
		one := &stretch.Profiles[i]
		each, known := perOperation(p, p.CPUOf(func(u record.Usage) bool { return u.Process == one.Process }))
		if !known || one.Failure != "" || one.File == "" {
			return nil
		}
		out = append(out, finding.Profile{Process: one.Process, File: one.File, PerOperation: each, Unseen: shareIn(one, metric.Cause{Axis: metric.Unseen})})
	}
	return out
}

// besideIn returns the time of each operation of a stretch in a cause, in the threads of the program, or the bytes allocated
// in it.
func besideIn(p *dataset.Phase, what string, of metric.Cause) (amount float64, known bool) {
	stretch := p.ProfiledOf(what)
	if stretch == nil || stretch.Failure != "" {
		return 0, false
	}
	for i := range stretch.Profiles {
		one := &stretch.Profiles[i]
		if one.Failure != "" {
			return 0, false
		}
		part := float64(amountIn(one, of))
		switch one.Unit {
		case profile.Nanoseconds:
			part /= 1e9
		case profile.Samples:
			part *= one.IntervalSeconds
		}
		amount += part
	}
	return dataset.Over(amount, float64(stretch.Load.Started))
}

// Lasted returns the mean duration of an operation, in seconds; false if it is unknown.
func Lasted(l *record.Load) (float64, bool) {
	if l.Driven != nil {
		return dataset.Over(l.Driven.CallSeconds, float64(l.Completed+l.Failed))
	}
	h, err := l.Latency.Decode()
	if err != nil || h.TotalCount() == 0 { // the record was read whole before
		return 0, false
	}
	return h.Mean() / 1e9, true
}

// shareIn is the share of a profile that a cause has. Where nothing was sampled all is unseen.
func shareIn(p *record.Profile, of metric.Cause) float64 {
	all := p.Program + p.Tracer + p.Runtime + p.Unseen
	switch {
	case all > 0:
		return float64(amountIn(p, of)) / float64(all)
	case of.Axis == metric.Unseen:
		return 1
	}
	return 0
}

// amountIn is the amount of a cause in a profile.
func amountIn(p *record.Profile, of metric.Cause) int64 {
	switch of.Axis {
	case metric.Tracing:
		return p.Tracer
	case metric.Callers:
		return p.Caller
	case metric.Program:
		return p.Program
	case metric.Runtime:
		return p.Runtime
	case metric.Unseen:
		return p.Unseen
	case metric.Stage:
		return named(p.Stages, of.Name, p.Tracer)
	case metric.Task:
		return named(p.Tasks, of.Name, p.Tracer)
	}
	return 0
}

// named is the amount of a stage or a task; that of none is the rest.
func named(by map[string]int64, name string, all int64) int64 {
	if name != profile.NoRule {
		return by[name]
	}
	for _, amount := range by {
		all -= amount
	}
	return all
}
