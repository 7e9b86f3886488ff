// Package ledger owns the account of spans: from the operations that were
// started, what the sink counted and what the tracer admits it says where every
// span went. It is pure. It must not know how anything was received, nor what a
// result is used for.
package ledger

import (
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// Lines of a ledger that belong to no operation, and the one for all together.
const (
	Start = "(start)" // before the first phase: readiness probes, the tracer's own start
	Stop  = "(stop)"  // while the processes stopped, less what is put down to operations
	All   = "(run)"   // the whole life of the processes
)

// AppToSink is the hop from the traced processes straight to the sink.
const AppToSink = "app → sink"

// The names of the entries, in the order of a span's way.
const (
	Expected    = "expected"
	NotExported = "not-exported" // by intent: the variant has no exporter
	SampledOut  = "sampled-out"
	Forgone     = "held-back" // by a limit of the tracer's own: so it says over the wire
	Dropped     = "dropped"   // as the tracer says
	FailedSend  = "failed-export"
	LostAtStop  = "lost-at-stop" // still with the tracer when its process stopped: it had neither sent nor dropped them, by its own word
	Merged      = "merged"       // into others that were delivered: not lost
	Delivered   = "delivered"    // each span once
	Duplicated  = "duplicated"
	Unaccounted = "unaccounted" // negative: more came than expected

	// Background is of spans in traces that no operation begins: what the program does besides
	// (timers, health checks). They are in no other entry, and make up for no loss.
	Background = "other-work"

	// SaysSent is on the page of All only: what the tracer says that it gave to exports. It stands beside what was delivered, and is
	// never netted against it: many count before they know what becomes of an export.
	SaysSent = "says-sent"

	// AdmittedBeyond is on the page of All only: drops that the tracer counts and that
	// the sink does not miss. They are in no other entry, and are no loss.
	AdmittedBeyond = "said-beyond"
)

// How an entry is known.
const (
	Counted  = "counted"
	Inferred = "inferred"
	Declared = "declared"
)

// bandConfidence is the binomial band that randomly sampled traces must be in.
const bandConfidence = 0.999

// PerOperation is how many spans and traces one operation makes.
type PerOperation struct {
	Low, High float64 // spans; they differ where the number varies
	Traces    float64 // traces that it begins; 0 counts as 1
	How       string  // Declared or Inferred; "" is: not known

	Agreed   uint64            // operations that were seen to make this number, each of them; 0: the number is taken as it stands, or it varies
	Roots    map[string]int    // names of the roots of its traces, each with the most spans that such a trace has; nil: not known
	Services map[string]uint64 // spans of each service, by its name; nil: not known
	Parents  bool              // the parent of every span comes, where nothing is lost
}

func (p PerOperation) known() bool { return p.How != "" }

func (p PerOperation) exact() bool {
	return p.known() && p.Low == p.High && p.Low == float64(int64(p.Low))
}

func (p PerOperation) traces() float64 {
	if p.Traces <= 0 {
		return 1
	}
	return p.Traces
}

// Tracing is what the tracing of a variant is meant to do.
type Tracing struct {
	Silent   bool                    // no span is sent, by intent
	Sampling float64                 // sampled share, 0 to 1
	Holds    int                     // spans that the tracer may keep until a buffer is full: they come with a later operation
	Besides  int                     // spans that the program makes when it starts, beside those of requests; 0 where it is not known
	Spans    map[string]PerOperation // by operation, or by the name of an operation at its level
}

// per is how many spans an operation of the stretch makes: at its level where that is
// known, otherwise as the operation does at any.
func (t Tracing) per(s Stretch) PerOperation {
	if per, known := t.Spans[s.Level]; known && s.Level != "" {
		return per
	}
	return t.Spans[s.Operation]
}

// random reports whether chance decides how many traces are sampled.
func (t Tracing) random() bool { return !t.Silent && t.Sampling > 0 && t.Sampling < 1 }

// ByChance reports whether chance decides how many traces are sampled, so that what was lost
// can only be told of many runs together.
func (t Tracing) ByChance() bool { return t.random() }

// none reports whether no span may arrive.
func (t Tracing) none() bool { return t.Silent || t.Sampling <= 0 }

// Run is one run as it is seen from the end of one hop.
type Run struct {
	Start    Stretch
	First    string // what was made once before the first phase, as Spans calls it; "" is none
	Phases   []Stretch
	Stop     Stretch
	Admitted record.Admitted
	Hops     []record.Hop // what the hops say of the life of the processes, in the order of a span's way
	Unquiet  bool         // the sink still received when the account was closed: more may have come, so that nothing is exact
}

// Stretch is a part of a run: the operations made in it and what arrived.
type Stretch struct {
	Operation string
	Level     string // name of the operation at its level, where it has levels: Tracing.Spans may have a number of its own under it
	Started   uint64
	Completed uint64        // answered as expected: these made all their spans
	Resent    uint64        // sent twice: these may have made their spans twice
	Sink      record.Counts // from its beginning to the quiet after it
	Hops      []record.Hop  // what the hops say of the same time
}

// FromRecord returns the run of a record, as seen by the sink. A phase's
// warm-up and window are one stretch: the account covers the processes' life.
func FromRecord(r *record.Record) Run {
	run := Run{
		Start:    Stretch{Operation: Start, Started: r.Start.Probes, Completed: r.Start.Probes, Sink: r.Start.Sink, Hops: r.Start.Hops},
		First:    record.Work(r.Start.FirstOperation, r.Start.FirstParameter),
		Stop:     Stretch{Operation: Stop, Sink: r.Stop.Sink, Hops: r.Stop.Hops},
		Admitted: r.Tracer,
		Hops:     r.Hops,
		Unquiet:  r.Stop.Unquiet,
	}
	for i := range r.Phases {
		p := &r.Phases[i]
		run.Phases = append(run.Phases, Stretch{
			Operation: p.Operation,
			Level:     levelName(cell.AtOf(p.Operation, p.Parameter)),
			Started:   p.Warmup.Started + p.Load.Started,
			Completed: p.Warmup.Completed + p.Load.Completed,
			Resent:    p.Warmup.Resent + p.Load.Resent,
			Sink:      p.WarmupSink.Plus(p.Sink),
			Hops:      p.Hops,
		})
	}
	return run
}

// levelName is the name of an operation at a level of what is varied between phases,
// "call, depth 8"; "" where nothing is.
func levelName(at cell.At) string {
	if at.Level.IsZero() {
		return ""
	}
	return at.String()
}

// Account returns the ledgers of one variant on one hop, summed over its runs:
// one an operation in the given order, then Start and Stop where spans came
// there or were expected, then All where there was anything to account for.
//
// With every span sampled each run is settled by itself, so that a loss in one
// cannot hide behind a surplus in another. With random sampling the runs are
// settled together: chance evens out over many traces.
func Account(variant, hop string, operations []string, t Tracing, runs []Run) []finding.Ledger {
	if t.random() && len(runs) > 1 {
		runs = []Run{together(runs)}
	}
	book := newBook(operations, t)
	for i, run := range runs {
		book.enter(settle(run, t))
		all := book.pages[All]
		all.hops = hopsOf(all.hops, run.Hops, i == 0)
		all.says(run.Admitted.Sent, i == 0)
	}
	return book.ledgers(variant, hop)
}

// checked reports whether ids were checked, so that duplicates are known. An
// empty count has nothing to check.
func checked(c record.Counts) bool {
	return c.Spans == 0 || c.Checking && c.Evicted == 0 && c.Unchecked == 0
}

// unchecked is how many spans came whose ids were not checked: duplicates among them look
// like other spans.
func unchecked(c record.Counts) uint64 {
	if c.Checking && c.Evicted == 0 {
		return c.Unchecked
	}
	return c.Spans
}

// together merges runs into one.
func together(runs []Run) Run {
	sum := Run{Start: Stretch{Operation: Start}, Stop: Stretch{Operation: Stop}}
	place := map[[2]string]int{}
	for i, r := range runs {
		sum.Hops = hopsOf(sum.Hops, r.Hops, i == 0)
		sum.Unquiet = sum.Unquiet || r.Unquiet
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
		sum.Admitted.Dropped = plus(sum.Admitted.Dropped, r.Admitted.Dropped)
		sum.Admitted.Failed = plus(sum.Admitted.Failed, r.Admitted.Failed)
		sum.Admitted.Sent = plus(sum.Admitted.Sent, r.Admitted.Sent)
	}
	return sum
}

func join(a, b Stretch) Stretch {
	sum := Stretch{a.Operation, a.Level, a.Started + b.Started, a.Completed + b.Completed, a.Resent + b.Resent, a.Sink.Plus(b.Sink), record.HopsPlus(a.Hops, b.Hops)}
	sum.Sink.Checking = checked(a.Sink) && checked(b.Sink)
	return sum
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
