// This file is what the tracing of a variant is meant to do, and how many spans an operation makes under it.

package ledger

import (
	"maps"
	"math"

	"github.com/tracetax/tracetax/internal/record"
)

// Tracing is what the tracing of a variant is meant to do.
type Tracing struct {
	Silent   bool                    // no span is sent, by intent
	Decides  bool                    // the tracer leaves out traces once they are there, and is to say how many spans
	Sampling float64                 // sampled share, 0 to 1
	Follows  bool                    // the sampler leaves a trace at what its caller decided, which is the load generator
	Buffers  int                     // spans that the tracer may keep until a buffer is full: they come with a later operation
	Late     bool                    // nobody knows how long it holds spans back: they may come with a later operation
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

// PerOperation is how many spans and traces one operation makes.
type PerOperation struct {
	Low, High float64 // spans; they differ where the number varies
	Traces    float64 // traces that it begins; 0 counts as 1
	How       string  // Declared or Inferred; "" is: not known

	Agreed   uint64            // operations that were seen to make this number, each of them; 0: the number is taken as it stands, or it varies
	Roots    map[string]int    // names of the roots of its traces, each with the most spans that such a trace has; nil: not known
	ByID     bool              // all of its traces have the ids that the load generator chose
	Services map[string]uint64 // spans of each service, by its name; nil: not known
	Cold     cold              // what the first of a process makes besides
	Later    bool              // learnt of the runs themselves, for the calibration did not show it: never exact
	Parents  bool              // the parent of every span comes, where nothing is lost
}

func (p PerOperation) known() bool { return p.How != "" }

func (p PerOperation) exact() bool {
	return p.known() && p.Low == p.High && p.Low == float64(int64(p.Low))
}

// perTrace is how many spans each trace of an operation has; 0 where that is not known, or they need not be alike: of several
// traces it is known only by the most that the traces of each root have.
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

// Nameless is what operations make, without the names of their roots: where those that come have others, they tell nothing.
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
		case per.High == 0, name == record.ProbeOperation && per.Roots == nil && per.Low == 0: // it may make none
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

// Begun is how the traces of operations are told from others: by the ids that the load generator chose, where those of all
// operations have them.
func (t Tracing) Begun() record.Begun {
	b := record.Begun{Roots: t.Roots()}
	for name, per := range t.Spans {
		if per.High == 0 || name == record.ProbeOperation && per.Roots == nil && per.Low == 0 {
			continue
		}
		if b.ByID = per.ByID; !b.ByID {
			break
		}
	}
	return b
}
