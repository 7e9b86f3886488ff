package experiment

import (
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/steady"
)

// Schedule is the plan of an experiment, before anything is made ready.
type Schedule struct {
	Calibrated []string      // variants that are run once beforehand
	Piloted    []string      // variants whose capacity is searched for beforehand
	Warmed     []string      // variants whose warm-up is found beforehand
	Blocks     [][]string    // the variants of each block, in their order
	Runs       []Planned     // all of these, in their order
	Least      int           // blocks that are made in any case
	Phases     int           // phases of a run
	Together   bool          // the variants of a block live at the same time
	Woven      bool          // and have their load at the same time, too
	Windows    []Windows     // of each phase of a run, where the load goes from one to the next
	Length     time.Duration // about, if all blocks are made and searches are long; fetching and building not counted
	Shortest   time.Duration // about, if only Least blocks are made and searches are short
}

// Windows are how often a variant has the load in a phase, and for how long each time.
type Windows struct {
	Operation string
	Number    int
	Length    time.Duration
}

// Planned is a run that would be made, if none fails.
type Planned struct {
	Kind             record.Kind
	Purpose          record.Purpose // of a pilot
	Block            int            // from 1; 0 before the first block
	Variant          string
	Shortest, Length time.Duration // about
}

// Foresee returns the schedule of an experiment. An error is one of its file.
func Foresee(e *config.Experiment) (Schedule, error) {
	var s Schedule
	plans, lasting := make([]*config.Plan, len(e.Variants)), map[string]lengths{}
	phases, drain := len(e.Operations)*len(e.Load.Steps()), time.Duration(0)
	for i, v := range e.Variants {
		plan, err := e.Plan(v)
		if err != nil {
			return s, err
		}
		plans[i], drain = plan, max(drain, run.Held(plan, nil))
	}
	if e.Design.Order == config.Windows || e.Design.Order == config.Paired {
		s.Windows = windowsOf(e, plans)
	}
	for _, plan := range plans {
		lasting[plan.Variant] = lengthsOf(e, plan, phases, drain).turning(run.Between(plan, e.Load, s.turns(e)))
	}
	var inTurn time.Duration
	if e.Design.Order == config.Paired {
		for name, of := range lasting {
			lasting[name] = of.atOnce(e, phases, len(e.Variants), drain)
		}
		inTurn = time.Duration(phases*(len(e.Variants)-1)) * warmupOf(e)
	}
	p := planOf(e, plans)
	s.Warmed = p.Warmed
	s.Calibrated, s.Piloted, s.Least, s.Phases, s.Together = p.Calibrated, p.Piloted, p.Least, phases, p.Together
	s.Woven = e.Design.Order == config.Woven
	var before, block span
	for _, name := range p.Calibrated {
		before = before.and(s.add(Planned{Kind: record.Calibration, Variant: name}, lasting[name].calibration))
	}
	for _, name := range p.Piloted {
		before = before.and(s.add(Planned{Kind: record.Pilot, Purpose: record.ForRate, Variant: name}, lasting[name].rate))
	}
	for _, name := range p.Warmed {
		before = before.and(s.add(Planned{Kind: record.Pilot, Purpose: record.ForWarmup, Variant: name}, lasting[name].warmup))
	}
	for number, order := range p.Orders() {
		s.Blocks, block = append(s.Blocks, order), span{}
		for _, name := range order {
			block = block.beside(e.Design.Order, s.add(Planned{Kind: record.Measured, Block: number, Variant: name}, lasting[name].measured))
		}
	}
	pauses := time.Duration(max(0, e.Design.Sittings-1)) * e.Design.Pause
	before = before.and(span{run.Lasting{Alone: inTurn}, run.Lasting{Alone: inTurn}})
	s.Length = before.long.All() + time.Duration(rounds(e, p.Most))*block.long.All() + pauses
	s.Shortest = before.short.All() + time.Duration(rounds(e, p.Least))*block.short.All() + pauses
	return s, nil
}

// rounds returns how often blocks are begun, as many at the same time as there are places.
func rounds(e *config.Experiment, blocks int) int {
	places := e.Target.Places()
	return (blocks + places - 1) / places
}

// windowsOf are the windows of each phase.
func windowsOf(e *config.Experiment, plans []*config.Plan) []Windows {
	var delay time.Duration
	for _, plan := range plans {
		delay = max(delay, run.Held(plan, nil))
	}
	var out []Windows
	for _, operation := range e.Operations {
		for _, level := range e.Load.Steps() {
			asked := run.PhaseRequest{Operation: operation, Load: level.Load, Parameter: level.Parameter}.Asked()
			number, length := e.Windows(level.Load.For(operation), asked, delay)
			out = append(out, Windows{operation.Name, number, length})
		}
	}
	return out
}

// add plans a run that takes so long, and returns that.
func (s *Schedule) add(run Planned, length span) span {
	run.Shortest, run.Length = length.short.All(), length.long.All()
	s.Runs = append(s.Runs, run)
	return length
}

// lengths are how long the runs of a variant take, by what they are for.
type lengths struct{ calibration, rate, warmup, measured span }

func lengthsOf(e *config.Experiment, plan *config.Plan, phases int, drain time.Duration) lengths {
	learnt := 0
	if learns(e, plan) {
		learnt = len(e.Operations) * depths(e.Load)
	}
	out := lengths{calibration: lengthOf(plan, e.Load, learnt, record.Calibration, 0), measured: measuredLength(plan, e.Average(), phases, drain)}
	for _, o := range e.Operations {
		if e.Profile.Profiles(o.Name) {
			again := run.Lasting{Alone: time.Duration(len(e.Load.Steps())) * (e.Profile.Length() + drain)}
			out.measured = out.measured.and(span{again, again})
		}
	}
	if e.Load.Relative != nil {
		out.rate = lengthOf(plan, pilotLoad(e.Load), len(e.Operations), record.Pilot, 0)
	}
	if e.Load.WarmupMost > 0 {
		out.warmup = lengthOf(plan, watchedLoad(e.Load), len(e.Operations), record.Pilot, 0)
	}
	return out
}

// turning adds the time for which a measured run has the turn but makes no load.
func (l lengths) turning(between time.Duration) lengths {
	more := run.Lasting{Load: between}
	l.measured = l.measured.and(span{more, more})
	return l
}

// atOnce are the lengths where the load is made a second time, by all variants at once. From the second block on that they have
// room is known, and they warm up at once, too.
func (l lengths) atOnce(e *config.Experiment, phases, together int, drain time.Duration) lengths {
	warm := time.Duration(phases) * warmupOf(e)
	more := run.Lasting{Alone: -warm, Beside: time.Duration(phases)*(config.AtOnce(together, e.Average().Duration)+drain) + warm}
	l.measured = l.measured.and(span{more, more})
	return l
}

// warmupOf is how long each phase is warmed up at the rate of the load; 0 where that is found beforehand, or is faster: then variants
// warm up in turn.
func warmupOf(e *config.Experiment) time.Duration {
	if e.Load.WarmupMost > 0 || e.Load.WarmupRate > 0 {
		return 0
	}
	return e.Load.Warmup
}

// turns returns the number of windows of a run in all its phases; 0 if it has none, or searches instead.
func (s *Schedule) turns(e *config.Experiment) (n int) {
	if e.Load.Capacity != nil {
		return 0
	}
	for _, w := range s.Windows {
		n += w.Number
	}
	return n
}

// learns reports whether it is learnt beforehand how many spans a variant makes. A quick
// experiment takes the workload's word where it needs nothing else of a calibration: what
// readiness requests make, or what a tracer has in its buffer.
func learns(e *config.Experiment, plan *config.Plan) bool {
	if !prepare.Exports(plan) {
		return false
	}
	if !e.Design.Quick || plan.Driver.Row().Generator || plan.Buffers > 0 || len(e.Load.Depths) > 0 {
		return true
	}
	return slices.ContainsFunc(e.Operations, func(o program.Operation) bool { _, declared := plan.Spans[o.Name]; return !declared })
}

// depths is at how many depths an operation is made: each makes spans of its own number.
func depths(l config.Load) int {
	if len(l.Depths) > 0 {
		return len(l.Depths)
	}
	return 1
}

// span is the least and the most time that something may take.
type span struct{ short, long run.Lasting }

func lengthOf(plan *config.Plan, l config.Load, phases int, kind record.Kind, drain time.Duration) span {
	var out span
	out.short, out.long = run.Length(plan, l, phases, kind, drain)
	return out
}

// and is one after the other.
func (a span) and(b span) span { return span{a.short.And(b.short), a.long.And(b.long)} }

// beside is both in one block: one after the other, or made together.
func (a span) beside(order config.Order, b span) span {
	if !order.Together() {
		return a.and(b)
	}
	both := func(a, b run.Lasting) run.Lasting {
		out := a.And(b)
		if out.Beside = max(a.Beside, b.Beside); order == config.Woven {
			out.Load = max(a.Load, b.Load)
		}
		return out
	}
	return span{both(a.short, b.short), both(a.long, b.long)}
}

// planOf is an experiment as the design sees it; plans are those of its variants.
func planOf(e *config.Experiment, plans []*config.Plan) design.Plan {
	p := design.Plan{
		Seed: e.Design.Seed, Least: e.Design.Blocks, Most: max(e.Design.Blocks, e.Design.Most),
		Levels: len(e.Load.Steps()), Depths: depths(e.Load), Together: e.Design.Order.Together(),
	}
	for _, plan := range plans {
		p.Variants = append(p.Variants, plan.Variant)
		if learns(e, plan) || len(plan.Verify) > 0 {
			p.Calibrated = append(p.Calibrated, plan.Variant)
		}
	}
	if e.Load.Relative != nil {
		p.Piloted = p.Variants
	}
	if e.Load.WarmupMost > 0 {
		p.Warmed = p.Variants
	}
	for _, operation := range e.Operations {
		p.Operations = append(p.Operations, operation.Name)
	}
	return p
}

// measuredLength returns the length of a measured run, whatever warm-up is found.
func measuredLength(plan *config.Plan, l config.Load, phases int, drain time.Duration) span {
	if l.WarmupMost == 0 {
		return lengthOf(plan, l, phases, record.Measured, drain)
	}
	short, long := l, l
	short.Warmup, long.Warmup = steady.LeastWarmup, l.WarmupMost
	return span{lengthOf(plan, short, phases, record.Measured, drain).short, lengthOf(plan, long, phases, record.Measured, drain).long}
}

// watchedLoad is the load of a pilot that finds the warm-up, as far as it decides the pilot's length.
func watchedLoad(l config.Load) config.Load {
	return config.Load{Warmup: steady.Watched(l.WarmupMost)}
}
