// This file says where the figures of a record stand: in which phase, of which process.

package export

import (
	"slices"
	"strconv"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// The phases of a run in the tables, in the order of time. Warm-up and window together have a name too.
const (
	inStart   = "start" // from the first fork to the first phase
	inIdle    = "idle"
	inAfter   = "idle after"  // the last phase
	inSlice   = "slice"       // of a warm-up that is watched
	inTurn    = "turn"        // a part of a window, where the load goes from one run of a block to the next
	inAway    = "away"        // the parts in which other runs had the load
	inCalm    = "undisturbed" // of a window that has disturbed turns: without these
	inWarmup  = "warm-up"
	inTimed   = "timed" // in turn, for latency alone
	inWindow  = "window"
	inBoth    = "warm-up and window" // and what was profiled
	inProfile = "profiled"           // once more under a profiler
	inEarlier = "earlier probe"      // of a search that does not count
	inProbe   = "probe"
	inStop    = "stop"
	inRun     = "run" // all of it
)

// Whose figures those are that belong to no process of the workload.
const (
	sinkProcess = "tracetax-sink"
	loadProcess = "tracetax-load"
	ofTracer    = "tracer"  // by its own word
	ofHarness   = "harness" // tracetax itself
)

// whose is the process that a figure is of.
type whose struct{ process, role, service string }

var (
	ofSink = whose{process: sinkProcess, role: string(role.Sink)}
	ofLoad = whose{process: loadProcess, role: string(role.Load)}
	ofApp  = whose{role: string(role.App)} // as a self-driving workload says
)

// load is a stretch of load, and where it stands.
type load struct {
	at   at
	load record.Load
}

// loadsOf are all stretches of load of a run.
func loadsOf(r *record.Record) []load {
	var all []load
	for i := range r.Phases {
		p := &r.Phases[i]
		all = append(all, load{in(p, inWarmup), p.Warmup})
		if watched(r) {
			continue
		}
		if p.Timed != nil {
			all = append(all, load{in(p, inTimed), p.Timed.Load})
		}
		all = append(all, load{in(p, inWindow), p.Load})
		if u := p.Undisturbed; u != nil {
			all = append(all, load{in(p, inCalm), u.Load})
		}
		for n, probe := range probes(p) {
			all = append(all, load{probe.at, probe.Load})
			all[len(all)-1].at.part = n + 1
		}
	}
	return all
}

// probeAt is a probe, and where it stands.
type probeAt struct {
	at at
	*record.Probe
}

// probes are those of a phase's search, and before them those of an earlier one.
func probes(p *record.Phase) []probeAt {
	if p.Capacity == nil {
		return nil
	}
	var all []probeAt
	for i := range p.Capacity.Before {
		all = append(all, probeAt{in(p, inEarlier), &p.Capacity.Before[i]})
	}
	for i := range p.Capacity.Probes {
		all = append(all, probeAt{in(p, inProbe), &p.Capacity.Probes[i]})
	}
	return all
}

// in is a stretch of an operation's phase.
func in(p *record.Phase, stretch string) at {
	return at{operation: p.Operation, parameter: p.Parameter, position: strconv.Itoa(p.Position), phase: stretch}
}

// figuresOf are all figures of a record.
func figuresOf(r *record.Record) []figure {
	roles := rolesOf(r)
	t := taken{failed: r.Failed()}
	start, stop, run := at{phase: inStart}, at{phase: inStop}, at{phase: inRun}
	t.take(start, whose{}, r.Start)
	t.received(r, start, r.Start.Sink)
	t.hops(start, roles, r.Start.Hops)
	t.usage(at{phase: inIdle}, r.Start.Idle)
	if r.Cold != nil {
		t.take(start, whose{}, *r.Cold)
	}
	for i := range r.Phases {
		t.phase(r, &r.Phases[i], roles)
	}
	t.usage(at{phase: inAfter}, r.Stop.Idle)
	t.take(stop, whose{}, r.Stop)
	t.received(r, stop, r.Stop.Sink)
	t.hops(stop, roles, r.Stop.Hops)
	for _, m := range r.Memory {
		t.take(run, whose{m.Process, string(m.Role), m.Service}, m)
	}
	t.take(run, whose{role: ofTracer}, r.Tracer)
	if r.Packets != nil {
		t.take(run, whose{role: ofTracer}, *r.Packets)
	}
	if r.Kept != nil {
		t.take(run, whose{role: ofHarness}, *r.Kept)
	}
	t.received(r, run, r.Life)
	t.hops(run, roles, r.Hops)
	if r.Backend != nil {
		t.take(run, ofBackend(r.Backend), *r.Backend)
	}
	t.take(run, whose{role: ofHarness}, r.Harness)
	return t.figures
}

// watched reports whether the phases of a run are warm-ups that were watched: they have no window.
func watched(r *record.Record) bool { return r.Purpose == record.ForWarmup }

// phase takes the figures of one operation.
func (t *taken) phase(r *record.Record, p *record.Phase, roles map[string]role.Role) {
	for i, s := range p.Progress {
		slice := in(p, inSlice)
		slice.part = i + 1
		t.take(slice, ofLoad, s)
	}
	turns := p.Windows
	if p.Timed != nil {
		turns = append(slices.Clone(p.Timed.Windows), turns...)
		t.load(in(p, inTimed), p.Timed.Load)
	}
	if p.Away != nil {
		t.take(in(p, inAway), whose{}, *p.Away)
	}
	for i, w := range turns {
		turn := in(p, inTurn)
		turn.part = i + 1
		t.take(turn, ofLoad, w)
	}
	t.load(in(p, inWarmup), p.Warmup)
	t.received(r, in(p, inWarmup), p.WarmupSink)
	if watched(r) {
		t.take(in(p, inWarmup), whose{}, *p)
		t.hops(in(p, inWarmup), roles, p.Hops)
		return
	}
	t.hops(in(p, inBoth), roles, p.Hops)
	t.take(in(p, inWindow), whose{}, *p)
	t.load(in(p, inWindow), p.Load)
	t.received(r, in(p, inWindow), p.Sink)
	t.usage(in(p, inWindow), p.Usage)
	if u := p.Undisturbed; u != nil {
		calm := in(p, inCalm)
		t.load(calm, u.Load)
		if u.Usage != nil { // otherwise only times are without disturbed windows
			t.take(calm, whose{}, *u)
			t.received(r, calm, u.Sink)
			t.usage(calm, u.Usage)
		}
	}
	for _, one := range p.Profiled {
		again := in(p, inProfile)
		t.take(again, whose{}, one)
		t.load(again, one.Load)
		t.received(r, again, one.Sink)
		t.usage(again, one.Usage)
		for _, of := range one.Profiles {
			t.take(again, whose{process: of.Process, role: string(roles[of.Process])}, of)
		}
	}
	if p.Capacity == nil {
		return
	}
	t.take(in(p, inWindow), whose{}, *p.Capacity)
	t.add(in(p, inWindow), whose{}, "target", "", targetUnits[p.Capacity.Goal], p.Capacity.Target) // as it was asked for
	for n, probe := range probes(p) {
		probe.at.part = n + 1
		t.take(probe.at, whose{}, *probe.Probe)
		t.load(probe.at, probe.Load)
		t.received(r, probe.at, probe.Sink)
		t.usage(probe.at, probe.Usage)
	}
}

// targetUnits are the units of a search's target, by its goal.
var targetUnits = map[string]string{"cpu": "1", "latency": "s", "lossless": "count"}

func (t *taken) load(a at, l record.Load) {
	t.take(a, ofLoad, l)
	if l.Driven != nil {
		t.take(a, ofApp, *l.Driven)
	}
	for _, part := range l.Parts {
		t.add(a, ofLoad, "part_started", part.Operation, "count", float64(part.Started))
		t.add(a, ofLoad, "part_completed", part.Operation, "count", float64(part.Completed))
		t.add(a, ofLoad, "part_sampled", part.Operation, "count", float64(part.Sampled))
	}
}

func (t *taken) usage(a at, all []record.Usage) {
	for _, u := range all {
		t.take(a, whose{u.Process, string(u.Role), u.Service}, u)
	}
}

func (t *taken) hops(a at, roles map[string]role.Role, all []record.Hop) {
	for _, h := range all {
		t.take(a, whose{process: h.Name, role: string(roles[h.Name])}, h)
	}
}

// rolesOf are the roles of the processes that a record has figures of.
func rolesOf(r *record.Record) map[string]role.Role {
	roles := map[string]role.Role{}
	for _, u := range r.Start.Idle {
		roles[u.Process] = u.Role
	}
	for _, m := range r.Memory {
		roles[m.Process] = m.Role
	}
	return roles
}
