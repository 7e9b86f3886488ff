// This file is a run as the account sees it: the stretches of a record, and several runs merged into one.

package ledger

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/record"
)

// Run is one run as it is seen from the end of one hop.
type Run struct {
	Start    Stretch
	First    string // what was made once before the first phase, as Spans calls it; "" is none
	Phases   []Stretch
	Stop     Stretch
	Reported record.Reported
	Hops     []record.Hop // counts of the hops over the life of the processes, in the order of a span's way
	Backend  string       // that spans went to, in the place of the sink; "" is the sink. It counts spans, and knows no traces
	gaps     set          // losses that the tracer did not report of some of several runs that are one
	Unquiet  bool         // the sink still received when the account was closed: more may have come, so nothing is exact
}

// Stretch is a part of a run: the operations made in it and what arrived.
type Stretch struct {
	Operation string
	Level     string // name of the operation at its level, where it has levels: Tracing.Spans may have a number of its own under it
	Started   uint64
	Completed uint64        // answered as expected: these made all their spans
	Traced    *uint64       // traces that chance decided for, as the tracer reports; nil: unreported
	Flagged   *uint64       // operations whose traces the load generator asked to sample; nil: it did not decide for all
	Resent    uint64        // sent twice: these may have made their spans twice
	Chosen    bool          // the load generator chose the ids of the traces of all of them
	Parts     []record.Part // of a mix: the counts of each operation in it; nil: it is none, or unknown
	Sink      record.Counts // from its beginning to the quiet after it
	Unquiet   bool          // the sink still received at its end: spans of it may have come with a later one
	Hops      []record.Hop  // counts of the hops in the same time
	Setup     uint64        // of the start: requests of the setup
	Firsts    uint64        // at most so many of its traces are first ones of a worker, or of a connection of its pool
}

// FromRecord returns the run of a record, as seen by the sink. A phase's
// warm-up, window and what was profiled are one stretch: the account covers the processes' life.
func FromRecord(r *record.Record) Run {
	run := Run{
		Start:    Stretch{Operation: Start, Started: r.Start.Probes, Completed: r.Start.Probes - min(r.Start.Probes, r.Start.FailedProbes), Sink: r.Start.Sink, Hops: r.Start.Hops, Setup: r.Start.SetupRequests},
		First:    record.Work(r.Start.FirstOperation, r.Start.FirstParameter),
		Stop:     Stretch{Operation: Stop, Sink: r.Stop.Sink, Hops: r.Stop.Hops},
		Reported: r.Tracer,
		Hops:     r.Hops,
		Unquiet:  r.Stop.Unquiet,
	}
	if r.Backend != nil {
		run.Backend = r.Backend.Name
	}
	firsts := uint64(0)
	for _, workers := range r.Start.Workers {
		firsts += uint64(workers)
	}
	for i := range r.Phases {
		p := &r.Phases[i]
		made := record.Counted(p.Made()...)
		firsts += made.Connected
		run.Phases = append(run.Phases, Stretch{
			Operation: p.Operation,
			Level:     levelName(cell.AtOf(p.Operation, p.Parameter)),
			Started:   made.Started,
			Completed: made.Completed,
			Traced:    p.Traced,
			Resent:    made.Resent,
			Flagged:   Flagged(made),
			Chosen:    p.Load.Started > 0 && made.Identified == made.Started,
			Parts:     made.Parts,
			Sink:      p.Came(),
			Unquiet:   !p.Quiet,
			Hops:      p.Hops,
			Firsts:    firsts,
		})
	}
	return run
}

// Flagged returns the number of operations of stretches of load whose traces the generator asked to sample; nil if it did not
// decide for all of them.
func Flagged(loads ...record.Load) *uint64 {
	var flagged, started, identified uint64
	for _, l := range loads {
		flagged, started, identified = flagged+l.Sampled, started+l.Started, identified+l.Identified
	}
	if identified != started {
		return nil
	}
	return &flagged
}

// begun identifies the traces of operations in the run: by ids only if the load generator chose all of them.
func (r Run) begun(t Tracing) record.Begun {
	b := t.Begun()
	b.ByID = b.ByID && !slices.ContainsFunc(r.Phases, func(s Stretch) bool { return !s.Chosen && s.Started > 0 })
	return b
}

// levelName is the name of an operation at a level of what is varied between phases,
// "call, depth 8"; "" where nothing is.
func levelName(at cell.At) string {
	if at.Level.IsZero() {
		return ""
	}
	return at.String()
}

// together merges runs into one.
func together(runs []Run) Run {
	sum := Run{Start: Stretch{Operation: Start}, Stop: Stretch{Operation: Stop}}
	place := map[[2]string]int{}
	for i, r := range runs {
		sum.Hops = hopsOf(sum.Hops, r.Hops, i == 0)
		sum.Unquiet, sum.Backend = sum.Unquiet || r.Unquiet, r.Backend
		sum.Start = join(sum.Start, r.Start)
		sum.Stop = join(sum.Stop, r.Stop)
		for _, s := range r.Phases {
			name := [2]string{s.Operation, s.Level}
			i, seen := place[name]
			if !seen {
				i = len(sum.Phases)
				place[name] = i
				sum.Phases = append(sum.Phases, Stretch{Operation: s.Operation, Level: s.Level})
			}
			sum.Phases[i] = join(sum.Phases[i], s)
		}
		sum.Reported.Dropped = plus(sum.Reported.Dropped, r.Reported.Dropped)
		sum.Reported.Failed = plus(sum.Reported.Failed, r.Reported.Failed)
		sum.gaps |= losses &^ reported(r.Reported)
		if i == 0 {
			sum.Reported.Sampled, sum.Reported.Sent = r.Reported.Sampled, r.Reported.Sent
			continue
		}
		sum.Reported.Sampled = ofBoth(sum.Reported.Sampled, r.Reported.Sampled)
		sum.Reported.Sent = ofBoth(sum.Reported.Sent, r.Reported.Sent)
	}
	return sum
}

func join(a, b Stretch) Stretch {
	sum := Stretch{
		Operation: a.Operation, Level: a.Level, Started: a.Started + b.Started, Completed: a.Completed + b.Completed, Resent: a.Resent + b.Resent,
		Chosen: (a.Chosen || a.Started == 0) && b.Chosen, Unquiet: a.Unquiet || b.Unquiet, Sink: a.Sink.Plus(b.Sink), Hops: record.HopsPlus(a.Hops, b.Hops),
		Parts: record.Counted(record.Load{Started: a.Started, Parts: a.Parts}, record.Load{Started: b.Started, Parts: b.Parts}).Parts,
	}
	sum.Sink.Checking = checked(a.Sink) && checked(b.Sink)
	return sum
}

// ofBoth adds up; nil if one is nil.
func ofBoth(a, b *uint64) *uint64 {
	if a == nil || b == nil {
		return nil
	}
	return plus(a, b)
}

func plus(a, b *uint64) *uint64 {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	sum := *a + *b
	return &sum
}

// The intended tracing of a variant, and the number of spans of an operation under it.

// Tracing is the intended tracing of a variant.
type Tracing struct {
	Silent   bool                    // no span is sent, by intent
	Decides  bool                    // the tracer leaves out finished traces, and is to report the number of their spans
	Sampling float64                 // sampled share, 0 to 1
	Follows  bool                    // the sampler leaves a trace at what its caller decided, which is the load generator
	Buffers  int                     // spans that the tracer may keep until a buffer is full: they come with a later operation
	Late     bool                    // it holds spans back for an unknown time: they may come with a later operation
	Besides  int                     // spans that the program makes when it starts, beside those of requests; 0 where it is not known
	Spans    map[string]PerOperation // by operation, or by the name of an operation at its level
}

// per returns the number of spans of an operation of the stretch: at its level if that is known,
// otherwise at any.
func (t Tracing) per(s Stretch) PerOperation {
	if per, known := t.Spans[s.Level]; known && s.Level != "" {
		return per
	}
	return t.Spans[s.Operation]
}

// random reports whether chance decides how many traces are sampled.
func (t Tracing) random() bool { return !t.Silent && t.Sampling > 0 && t.Sampling < 1 }

// ByChance reports whether chance decides how many traces are sampled. Losses then show only over many runs together.
func (t Tracing) ByChance() bool { return t.random() }

// none reports whether no span may arrive.
func (t Tracing) none() bool { return t.Silent || t.Sampling <= 0 }

// PerOperation is the number of spans and traces of one operation.
type PerOperation struct {
	Low, High float64 // spans; they differ where the number varies
	Traces    float64 // traces that it begins; 0 counts as 1
	How       string  // Declared or Inferred; "" is: not known

	Agreed   uint64            // operations that were seen to make this number, each of them; 0: the number is taken as it stands, or it varies
	Above    int               // how many spans more some of its traces have, at most: those of the least number are most of them; 0: all have as many
	share    float64           // of its traces, those that have more, at most, by all runs; 0: not known
	Roots    map[string]int    // names of the roots of its traces, each with the most spans that such a trace has, without those above; nil: not known
	ByID     bool              // all of its traces have the ids that the load generator chose
	Services map[string]uint64 // spans of each service, by its name; nil: not known
	Requests uint64            // of the setup: those that make this number together, and no other number of them does
	Cold     cold              // what the first of a process makes besides
	Later    bool              // learnt of the runs themselves, for the calibration did not show it: never exact
	Shown    bool              // the runs show it against their calibration: never exact
	Parents  bool              // the parent of every span comes, where nothing is lost
}

func (p PerOperation) known() bool { return p.How != "" }

func (p PerOperation) exact() bool {
	return p.known() && p.Low == p.High && p.Low == float64(int64(p.Low))
}

// perTrace returns the number of spans of each trace of an operation; 0 if it is unknown, or may differ: of several traces
// only the largest of each root is known.
func (p PerOperation) perTrace() float64 {
	each := p.Low / p.traces()
	if !p.exact() || each != math.Trunc(each) || p.traces() != 1 && p.Roots == nil {
		return 0
	}
	for _, most := range p.Roots {
		if p.traces() != 1 && float64(most) != each {
			return 0
		}
	}
	return each
}

func (p PerOperation) traces() float64 {
	if p.Traces <= 0 {
		return 1
	}
	return p.Traces
}

// Nameless returns the numbers without the names of roots, which are no help if the roots that come have others.
func Nameless(spans map[string]PerOperation) map[string]PerOperation {
	out := maps.Clone(spans)
	for name, per := range out {
		per.Roots = nil
		out[name] = per
	}
	return out
}

// Roots returns the names of the roots that any operation begins; nil where that is not known of
// all of them. Each has the most spans that a trace of it has.
func (t Tracing) Roots() map[string]int {
	var all map[string]int
	for name, per := range t.Spans {
		switch {
		case per.High == 0, per.isBeside(name):
			continue
		case per.Roots == nil:
			return nil
		case all == nil:
			all = map[string]int{}
		}
		for root, most := range per.Roots {
			all[root] = max(all[root], most)
		}
	}
	return all
}

// isBeside reports whether a number, of requests that are no operations, shows nothing of the traces of any: a probe may make
// none, and a setup is over before the first operation.
func (p PerOperation) isBeside(name string) bool {
	return name == record.SetupOperation || name == record.ProbeOperation && p.Roots == nil && p.Low == 0
}

// Begun identifies the traces of operations: by the ids that the load generator chose, if all operations have them.
func (t Tracing) Begun() record.Begun {
	b := record.Begun{Roots: t.Roots()}
	for name, per := range t.Spans {
		if per.High == 0 || per.isBeside(name) {
			continue
		}
		if b.ByID = per.ByID; !b.ByID {
			break
		}
	}
	return b
}

// A mix of operations is settled by its parts: the number of operations of each is known, and with it the number of spans,
// however much the parts differ.

// ofParts is the sum over the parts of a mix.
type ofParts struct {
	expected, sampled between // spans of all operations, and of those that the load generator asked to sample
	how               string  // as of PerOperation
	exact             bool    // whether each part is known to make a number that does not vary
}

// partsOf returns the sum for a stretch of a mix; false if it is none, or the number of spans of a part is unknown.
func (t Tracing) partsOf(s Stretch) (sum ofParts, known bool) {
	sum.exact, sum.how = true, Declared
	for _, part := range s.Parts {
		per := t.Spans[part.Operation]
		if part.Started == 0 {
			continue
		}
		if !per.known() {
			return sum, false
		}
		failed := part.Started - min(part.Started, part.Completed)
		if per.How != Declared { // what a calibration showed of a few operations, some of many may not make
			sum.how = per.How
			if per.Agreed > 0 {
				failed += uint64(rare(per.Agreed) * float64(part.Started))
			}
		}
		sum.expected = sum.expected.plus(between{per.Low * float64(part.Started-min(part.Started, failed)), (per.High + float64(per.Above)) * float64(part.Started)})
		sum.sampled = sum.sampled.plus(between{per.Low * float64(part.Sampled-min(part.Sampled, failed)), (per.High + float64(per.Above)) * float64(part.Sampled)})
		sum.exact = sum.exact && per.exact() && per.How == Declared
	}
	return sum, len(s.Parts) > 0
}

// Mixed returns the number of spans of an operation of a mix, from its parts; false if it is unknown for one of them.
func Mixed(spans map[string]PerOperation, parts []string) (all PerOperation, known bool) {
	for i, name := range parts {
		per := spans[name]
		if !per.known() {
			return PerOperation{}, false
		}
		if i == 0 {
			all = per
			continue
		}
		if all = all.and(per); per.How == Inferred {
			all.How = Inferred
		}
	}
	return all, len(parts) > 0
}
