// What the conductor is asked for.

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

// Request is one run to be made.
type Request struct {
	Kind           record.Kind
	Name           string // unique in the experiment: names logs and cgroups
	Plan           *config.Plan
	Folders        prepare.Folders
	First          program.Operation         // made once, before all others
	FirstParameter map[string]string         // at which level, where the spans that it makes depend on that
	Phases         []PhaseRequest            // in their order
	Load           config.Load               // of the run as a whole: idle window, time-out; and of the first operation
	Checking       bool                      // the sink looks at ids
	Begun          record.Begun              // how the traces of operations are told from others
	Spans          map[string]program.Number // spans per operation (see record.Work), where known: lets a drain end as soon as all have come
	Order          config.Order              // how the load goes through the runs of its block
	Samples        string                    // what the files begin with that keep every duration of a self-driving workload; "": none are kept
	Drain          time.Duration             // of a measured run: no drain is shorter, for another variant of the experiment may need so long
	Seed           uint64
	Profile        config.Profile // of a measured run: how long each operation is made again under a profiler
	Causes         *profile.Rules // by which its samples are sorted
	Cold           string         // the language of the programs whose start is profiled; "": it is timed
	Faults         config.Faults
	Deaf           []string // processes that did not end when asked in an earlier run: they are not waited for again

	twice int // calibration: the phase, from 1, that is made twice as often; 0 is none
}

// PhaseRequest is one operation's part of a run.
type PhaseRequest struct {
	Operation program.Operation
	Load      config.Load       // of this phase, resolved: one rate, or one number of connections
	Parameter map[string]string // what is varied between phases, e.g. {"connections": "4"}; nil where nothing is
	Turns     []int             // the places of its windows among those of all runs of the block, from 0; nil: one window, at once
	Window    time.Duration     // of each of them
	AtOnce    AtOnce            // whether all runs of the block have their full load at once, and in turn for latency alone
	Together  time.Duration     // for how long they have it at once
	Search    Searcher          // nil: the load is given
	Watched   time.Duration     // above 0: the load is made for so long and watched slice by slice, and nothing is measured
}

// AtOnce says whether the runs of a block have their load at the same time.
type AtOnce int

// What is done with a phase whose turns are given.
const (
	InTurn AtOnce = iota // all of it is measured in turn
	IfRoom               // latency is measured in turn, and the rest at once if together the runs leave the CPUs room
	Always               // the same, whatever they leave
)

// Searcher chooses the rates of the search for a capacity. It is pure: the same
// probes give the same answer.
type Searcher interface {
	// Next returns what to probe after these probes (Purpose and Rate are set), or
	// false where the search has ended.
	Next(probes []record.Probe) (record.Probe, bool)
	// Held says whether the rate of a probe that has just been made was held, as far as is
	// known before the durations of its operations are collected.
	Held(record.Probe) bool
	// Judge says of a probe, when all that came of it is known, whether it was held and passed.
	Judge(record.Probe) record.Probe
	// Result says what the probes come to.
	Result(probes []record.Probe) record.Search
}

// Asked is the phase's operation. What is varied or searched for is the
// phase's to say: a rate of the operation's own does not count then.
func (p PhaseRequest) Asked() program.Operation {
	o := p.Operation
	if p.Parameter != nil || p.Search != nil || p.Load.Relative != nil {
		o.Rate = 0
	}
	return o
}

// samplesFile names the file of a phase's durations within the results folder; ""
// where they are not kept.
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

// by is what there is to know of how the run's operations are made.
func (s *stage) by() program.DriverRow { return s.request.Plan.Driver.Row() }

// fileName makes a name fit for a folder or a cgroup. Names of variants stay as they are: those of a block live at the same time.
func fileName(name string) string {
	out := []byte(name)
	for i, b := range out {
		if !(b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '-' || b == '_' || b == '.' || b == '+') {
			out[i] = '-'
		}
	}
	return string(out)
}

// Length is about how long a run takes: what the load's settings say, and what
// starting, draining and stopping commonly add, with the tracer as its file says; a measured run is drained for as long as
// drain at least. A phase is an operation at one level of the load. A phase that searches takes as many probes as the search
// needs, so the run may take as short and as long as this.
func Length(p *config.Plan, l config.Load, phases int, kind record.Kind, drain time.Duration) (shortest, longest Lasting) {
	few, many := probes{all: 1}, probes{all: 1}
	if l.Capacity != nil {
		few, many = probesOf(*l.Capacity)
	}
	return lasting(p, l, phases, kind, drain, few), lasting(p, l, phases, kind, drain, many)
}

// Drain is how long the last spans of a variant, or what it does for them, may take after its last operation: as long as
// its plan says, or as its calibrations saw, where that is clearly longer. A variant that exports nothing needs no time.
func Drain(p *config.Plan, calibrations []record.Record) time.Duration {
	if !prepare.Exports(p) {
		return 0
	}
	held, beyond := p.Delay, margin // a cold tracer is late
	most := max(p.Delay, p.MayDelay)
	if most > p.Delay { // the plan does not say for how long
		beyond = 0
	}
	for _, r := range calibrations { // which go past the hops
		for _, phase := range r.Phases {
			last := time.Duration(phase.DrainSeconds*float64(time.Second)) - most - margin // which is the silence at the drain's end
			if phase.Quiet && phase.Sink.Spans > 0 && last > p.Delay+beyond {
				held = max(held, last)
			}
		}
	}
	return held + p.Passing + poll
}

// Held is for how long a span may wait on its way: as long as the plan says; where it does not, as long as the calibrations
// saw or, where they saw nothing, as SDKs hold one where nobody says for how long.
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

// Lasting is about how long a run takes, by what the runs of a block that is made together do in turn.
type Lasting struct {
	Alone  time.Duration // while the others wait
	Load   time.Duration // its windows: in turn, or woven with those of the others
	Beside time.Duration // at the same time as the others
}

// All is how long a run takes that is made by itself.
func (l Lasting) All() time.Duration { return l.Alone + l.Load + l.Beside }

// And is one after the other.
func (l Lasting) And(next Lasting) Lasting {
	return Lasting{l.Alone + next.Alone, l.Load + next.Load, l.Beside + next.Beside}
}

// probes are how many a search takes, and how many of them are of the length that confirms.
type probes struct{ all, long int }

// lasting is about how long a run takes whose windows are so many probes.
func lasting(p *config.Plan, l config.Load, phases int, kind record.Kind, least time.Duration, n probes) Lasting {
	const start, stop = 500 * time.Millisecond, 200 * time.Millisecond
	out := Lasting{Alone: start + p.Startup + p.Settle, Beside: stop}
	drain := time.Duration(0)
	if prepare.Exports(p) {
		drain = p.Passed()/2 + 100*time.Millisecond
		out.Alone += p.Patience() + margin // of the first operation
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
	if l.Capacity != nil { // each probe is drained before it is another one's turn
		window, after = time.Duration(n.all)*(l.Duration+drain), 0
		if l.Capacity.Confirm > l.Duration {
			window += time.Duration(n.long) * (l.Capacity.Confirm - l.Duration)
		}
	}
	each := time.Duration(phases)
	return out.And(Lasting{Alone: l.WarmupAll + each*l.Warmup, Load: each * window, Beside: each * (drain + after)})
}

// Between is about how long a run has the turn without making load: each of its windows ends when its spans have come, or
// where nobody knows how many will come, when none comes any more; as fast as a program goes, when it is calm.
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

// probesOf is how few and how many probes a search commonly takes; docs/capacity.md
// has the simulation that these come from. Where short ones mislead, all that follow are long:
// the most that calls-lossless was seen to take is given.
func probesOf(c config.RateSearch) (few, many probes) {
	switch c.Goal {
	case config.GoalCPU:
		return probes{all: 3}, probes{all: 14}
	case config.GoalLossless:
		return probes{all: 5, long: 1}, probes{all: 16, long: 6}
	}
	return probes{all: 5}, probes{all: 14}
}
