// Requests to the conductor.

package run

import (
	"maps"
	"path"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/prepare"
)

// Request is one run to make.
type Request struct {
	Kind           record.Kind
	Name           string // unique in the experiment: names logs and cgroups
	Plan           *config.Plan
	Folders        prepare.Folders
	First          program.Operation         // made once, before all others
	FirstParameter map[string]string         // its level, if its spans depend on that
	Phases         []PhaseRequest            // in their order
	Load           config.Load               // of the run as a whole: idle window, time-out; and of the first operation
	Checking       bool                      // the sink looks at ids
	Begun          record.Begun              // tells the traces of operations from others
	Spans          map[string]program.Number // spans per operation (see record.Work), if known: a drain ends as soon as all have come
	Order          config.Order              // the order of the load among the runs of its block
	Samples        string                    // prefix of the files with every duration of a self-driving workload; "": not kept
	Captures       int                       // the block, for the names of captured packets that are kept; 0: they are not kept
	KeepTraces     int                       // the block, for the name of the file of spans; 0: they are not kept
	Drain          time.Duration             // of a measured run: the shortest drain, as another variant of the experiment may need it
	Seed           uint64
	Profile        config.Profile // of a measured run: the time of each operation under a profiler
	Causes         *profile.Rules // they sort its samples
	Cold           string         // the language of the programs whose start is profiled; "": only timed
	Faults         config.Faults
	Deaf           []string // processes that did not end when asked in an earlier run: they get less time

	twice int // calibration: the phase, from 1, to make twice as often; 0 is none
}

// PhaseRequest is one operation's part of a run.
type PhaseRequest struct {
	Operation program.Operation
	Load      config.Load       // of this phase, resolved: one rate, or one number of connections
	Parameter map[string]string // the varied parameters, e.g. {"connections": "4"}; nil if none
	Turns     []int             // the places of its windows among those of all runs of the block, from 0; nil: one window, at once
	Window    time.Duration     // of each of them
	AtOnce    AtOnce            // whether all runs of the block have their full load at once, with only latency in turn
	Together  time.Duration     // duration of the load at once
	Search    Searcher          // nil: the load is given
	Watched   time.Duration     // above 0: apply the load this long, slice by slice, and measure nothing
}

// AtOnce selects whether the runs of a block have their load at the same time.
type AtOnce int

// The treatments of a phase with turns.
const (
	InTurn AtOnce = iota // all of it is measured in turn
	IfRoom               // latency is measured in turn, and the rest at once if together the runs leave the CPUs room
	Always               // the same, with or without room
)

// Searcher chooses the rates of the search for a capacity. It is pure: the same probes give the same answer.
type Searcher interface {
	// Next returns the probe after these probes (with Purpose and Rate), or false at the end of the search.
	Next(probes []record.Probe) (record.Probe, bool)
	// Held reports whether the rate of the latest probe was held, as far as known before the durations of its operations are
	// collected.
	Held(record.Probe) bool
	// Judge returns a probe, once all its results are known, with its verdict: whether it was held and passed.
	Judge(record.Probe) record.Probe
	// Result returns the result of the probes.
	Result(probes []record.Probe) record.Search
}

// Asked returns the phase's operation. If the phase varies or searches something, a rate of the operation's own does not count.
func (p PhaseRequest) Asked() program.Operation {
	o := p.Operation
	if p.Parameter != nil || p.Search != nil || p.Load.Relative != nil {
		o.Rate = 0
	}
	return o
}

// samplesFile returns the name of the file for a phase's durations within the results folder; "" if they are not kept.
func (s *stage) samplesFile(request PhaseRequest) string {
	if s.request.Samples == "" {
		return ""
	}
	name := s.request.Samples + "-" + fileName(request.Operation.Name)
	for _, parameter := range slices.Sorted(maps.Keys(request.Parameter)) {
		name += "-" + fileName(parameter) + "-" + fileName(request.Parameter[parameter])
	}
	return path.Join(record.SamplesFolder, name+".csv.gz")
}

// by returns the properties of the run's driver.
func (s *stage) by() program.DriverRow { return s.request.Plan.Driver.Row() }

// fileName makes a name fit for a folder or a cgroup. Names of variants stay unchanged: those of a block live at the same time.
func fileName(name string) string {
	out := []byte(name)
	for i, b := range out {
		if !(b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '-' || b == '_' || b == '.' || b == '+') {
			out[i] = '-'
		}
	}
	return string(out)
}

// Length estimates the duration of a run: by the load's settings, the usual time to start, drain and stop, and the tracer's
// file; a measured run is drained for at least drain. A phase is an operation at one level of the load. A search takes as many
// probes as it needs: the run may take as little as shortest, and as much as longest.
func Length(p *config.Plan, l config.Load, phases int, kind record.Kind, drain time.Duration) (shortest, longest Lasting) {
	few, many := probes{all: 1}, probes{all: 1}
	if l.Capacity != nil {
		few, many = probesOf(*l.Capacity)
	}
	return lasting(p, l, phases, kind, drain, few), lasting(p, l, phases, kind, drain, many)
}

// Drain returns how long the last spans of a variant, or its work for them, may take after its last operation: by its plan, or
// by its calibrations if clearly longer. A variant that exports nothing needs no time.
func Drain(p *config.Plan, calibrations []record.Record) time.Duration {
	if !prepare.Exports(p) {
		return 0
	}
	held, beyond := p.Delay, margin // a cold tracer is late
	most := max(p.Delay, p.MayDelay)
	if most > p.Delay { // the plan gives no limit
		beyond = 0
	}
	for _, r := range calibrations { // they bypass the hops
		for _, phase := range r.Phases {
			last := time.Duration(phase.DrainSeconds*float64(time.Second)) - most - margin // less the silence at the drain's end
			if phase.Quiet && phase.Sink.Spans > 0 && last > p.Delay+beyond {
				held = max(held, last)
			}
		}
	}
	return held + p.Passing + poll
}

// Held returns how long a span may wait on its way: by the plan; without a limit there, by the calibrations or, if they saw
// nothing, the default of SDKs.
func Held(p *config.Plan, calibrations []record.Record) time.Duration {
	switch {
	case p.MayDelay <= p.Delay || !prepare.Exports(p):
		return p.Passed()
	case !slices.ContainsFunc(calibrations, sawLast):
		return p.Patience()
	}
	return Drain(p, calibrations) - poll
}

// sawLast reports whether a calibration saw the last of its spans come.
func sawLast(r record.Record) bool {
	return slices.ContainsFunc(r.Phases, func(p record.Phase) bool { return p.Quiet && p.Sink.Spans > 0 })
}

// Lasting estimates the duration of a run, by the parts that the runs of a block take in turn and together.
type Lasting struct {
	Alone  time.Duration // while the others wait
	Load   time.Duration // its windows: in turn, or woven with those of the others
	Beside time.Duration // at the same time as the others
}

// All returns the duration of a run made by itself.
func (l Lasting) All() time.Duration { return l.Alone + l.Load + l.Beside }

// And returns the durations of two, one after the other.
func (l Lasting) And(next Lasting) Lasting {
	return Lasting{l.Alone + next.Alone, l.Load + next.Load, l.Beside + next.Beside}
}

// probes are the numbers of all probes of a search, and of its long, confirming ones.
type probes struct{ all, long int }

// lasting estimates the duration of a run whose windows take n probes.
func lasting(p *config.Plan, l config.Load, phases int, kind record.Kind, least time.Duration, n probes) Lasting {
	const stop = 200 * time.Millisecond
	out := Lasting{Alone: startup(p) + p.Settle, Beside: stop}
	drain := time.Duration(0)
	if prepare.Exports(p) {
		drain = p.Passed()/2 + 100*time.Millisecond
		first := Lasting{Alone: p.Patience() + margin} // for the first operation
		if kind == record.Measured {
			first = Lasting{Beside: first.Alone} // while the others of the block start
		}
		out = out.And(first).And(firstExports(p, kind))
	}
	if kind == record.Measured {
		drain = max(drain, least, calmFor)
	}
	if kind == record.Calibration {
		made := time.Duration(0) // requests take next to none
		if rate := p.Driver.Row().CalibrationRate; rate > 0 {
			made = time.Duration(calibrationOperations / rate * float64(time.Second))
		}
		if p.Undeclared {
			out.Alone += p.Patience() + margin
		}
		once := out.All() + time.Duration(phases+1)*(p.Patience()+margin) + time.Duration(phases)*made
		if p.Buffers > 0 { // once more for each phase, with twice as much of it
			once += time.Duration(phases) * (once + made)
		}
		return Lasting{Alone: once}
	}
	if kind != record.Pilot {
		out.Beside += 2 * l.Idle
	}
	window, after := l.Duration, drain
	if l.Capacity != nil { // each probe is drained before the next run's turn
		window, after = time.Duration(n.all)*(l.Duration+drain), 0
		if l.Capacity.Confirm > l.Duration {
			window += time.Duration(n.long) * (l.Capacity.Confirm - l.Duration)
		}
	}
	each := time.Duration(phases)
	return out.And(Lasting{Alone: l.WarmupAll + each*l.Warmup, Load: each * window, Beside: each * (drain + after)})
}

// startup estimates how long the processes take to start and to get calm: an interpreter or a virtual machine reads what it runs
// first. Further workers do so beside each other, on few CPUs.
func startup(p *config.Plan) time.Duration {
	const compiled, loaded, framework = 500 * time.Millisecond, 1500 * time.Millisecond, 8 * time.Second
	out, java := compiled, p.Language == "java"
	if program.Programs[p.Language] != nil {
		out = loaded
	}
	for _, one := range p.Processes {
		if one.Service != nil {
			continue
		}
		if language := prepare.LanguageOf(one.Run, one.Dir); language != "" {
			out, java = loaded, java || language == "java"
		}
	}
	if java && p.Driver.Row().Generator { // a service, as of Spring
		if out = framework; prepare.Exports(p) { // an agent looks at each class that is loaded
			out *= 2
		}
	}
	if out += p.Startup; prepare.Workers(p.Processes) > 1 {
		out += out / 2
	}
	return out
}

// firstExports estimates what the first exports of a program take beyond those of its first operation: of further workers, each of
// which is reached and has its own, and of a setup, whose spans a calibration learns.
func firstExports(p *config.Plan, kind record.Kind) (out Lasting) {
	more := time.Duration(0)
	if prepare.Workers(p.Processes) > 1 {
		more = cold
	}
	if kind == record.Measured {
		return Lasting{Beside: 2 * more} // at the start, and in the first drain
	}
	each := p.Patience()*3/2 + margin + more
	if more > 0 && kind == record.Calibration && p.Driver.Row().Generator && p.Buffers == 0 {
		out.Alone += mostRounds * each
	}
	if kind == record.Calibration && len(p.Setup) > 0 {
		out.Alone += 2 * each
	}
	out.Alone += more
	return out
}

// Between estimates the time that a run has the turn without applying load: each window ends when its spans have come; if their
// number is unknown, when none comes any more; without a rate, when the program is calm.
func Between(p *config.Plan, l config.Load, windows int) time.Duration {
	each := p.Patience()/2 + poll
	varies := func(n program.Number) bool { return n.Low != n.High }
	switch {
	case l.Closed() && p.Driver.Row().Unthrottled(0):
		each = calmAfterPiece + look
	case !prepare.Exports(p):
		return 0
	case p.To != "":
		each = p.Patience()
	case p.Sampling != 1 || p.Buffers > 0 || slices.ContainsFunc(slices.Collect(maps.Values(p.Spans)), varies):
		each = p.Patience() + margin
	}
	return time.Duration(windows) * each
}

// probesOf returns how few and how many probes a search commonly takes, from the simulation in docs/capacity.md. If short
// probes mislead, all that follow are long: many is the most that calls-lossless was seen to take.
func probesOf(c config.RateSearch) (few, many probes) {
	switch c.Goal {
	case config.GoalCPU:
		return probes{all: 3}, probes{all: 14}
	case config.GoalLossless:
		return probes{all: 5, long: 1}, probes{all: 16, long: 6}
	}
	return probes{all: 5}, probes{all: 14}
}
