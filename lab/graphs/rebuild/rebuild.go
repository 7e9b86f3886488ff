// Package rebuild owns traces that are made of captured packets: it reads captures a window of time at a time, has the parents of
// their calls found, and writes spans, a table of calls and counts. It must not know how packets are read or parents are found.
package rebuild

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/capture"
	"github.com/tracetax/tracetax/lab/graphs/packets/tree"
	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// Input is a capture: one run's files, or those of a user.
type Input struct {
	Title  string // the variant and block of a run; "" of a user's files
	Files  []string
	Names  *Names
	Phases []record.CapturePhase
	// Topology tells what each method calls, where it is known; nil is not.
	Topology *topology.Graph
	// Score has the parents that can be found without ids compared with those that ids of calls tell. A phase is then one
	// window, with all its calls in memory.
	Score bool
}

// Outputs are where traces go; nil is nowhere.
type Outputs struct {
	Spans io.Writer // lines of JSON, each a request as OTLP has it
	Calls io.Writer // CSV
	// Run is how many captures' calls precede in the same files.
	Run int
}

const (
	// mostScored are those of a window that is scored.
	mostScored = 1_000_000
	// mostCalls are the calls of a window. With their headers they are some tens of megabytes.
	mostCalls = 10_000
	// A call holds a window open until it is stale. Longer ones have no parent, since the candidates are forgotten by then.
	stale = 30 * time.Second
	// A call may have made another one until so long after its end.
	grace = time.Second
	// A capture that began within connections may lack callers for so long.
	settling = 5 * time.Second
)

// rebuilder rebuilds the traces of one capture.
type rebuilder struct {
	names   *Names
	phases  []record.CapturePhase
	graph   *topology.Graph
	scorer  *scorer // nil: nothing is compared
	spans   *spanWriter
	table   *callWriter
	known   *tree.Programs
	window  int       // most calls of one
	began   time.Time // of the first call
	cut     time.Time // before it all calls have parents
	pending []packets.Call
	carried []call
	hosts   hosts               // that served calls so far
	unread  map[netip.Addr]bool // addresses whose calls could not be read
	open    map[[16]byte]*trace
	further []*trace // that have the id of an open one
	number  int64    // of the last call
	most    int      // calls of one window
	midway  bool     // the capture began within connections
	late    bool     // calls are missing from the capture
	stale   bool     // a call that lasts long is missing from the window
	out     Summary
}

// call is a call with its place in a trace.
type call struct {
	packets.Call
	number   int64
	how      tree.How
	parent   int64 // its number; 0 is none
	above    int   // the parent's place in the window; -1 is none
	trace    [16]byte
	client   [8]byte // ids of its spans
	server   [8]byte
	above8   [8]byte // the parent's server span; zeros: none
	by       string  // the process that made it, as its parent tells; "" without one
	of       *trace
	old      bool // it was in an earlier window
	keep     bool
	doubted  bool // it may have made more or fewer calls than it has
	assigned bool
}

// trace holds what is known of a trace that goes on.
type trace struct {
	id          [16]byte
	likely, cut bool
	rooted      bool
}

// Run rebuilds the traces of one capture.
func Run(in Input, to Outputs) (*Summary, error) {
	return newRebuilder(in).run(in, to)
}

func newRebuilder(in Input) *rebuilder {
	r := &rebuilder{names: in.Names, phases: in.Phases, graph: in.Topology, window: mostCalls,
		hosts: newHosts(), open: map[[16]byte]*trace{}}
	if in.Score {
		r.window, r.scorer = mostScored, &scorer{}
	}
	return r
}

func (r *rebuilder) run(in Input, to Outputs) (_ *Summary, err error) {
	r.out.Title, r.out.Files = in.Title, in.Files
	for _, p := range in.Phases {
		r.out.Phases = append(r.out.Phases, Phase{Operation: p.Operation, Level: p.Level})
	}
	r.spans, r.table = newSpanWriter(to.Spans, r.names, to.Run), newCallWriter(to.Calls, in.Title, to.Run > 0)
	var readers []*capture.Reader
	for _, name := range in.Files {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("reading a capture: %w", err)
		}
		defer func() { _ = file.Close() }() // it was only read
		reader, err := capture.NewReader(name, file)
		if err != nil {
			return nil, err
		}
		readers = append(readers, reader)
	}
	opt := packets.Options{Serves: r.names.Serves, Tick: r.tick, Patience: stale}
	counts, err := packets.Read(readers, opt, func(c packets.Call) error {
		if to.Calls == nil {
			c.Fields = nil
		}
		r.pending = append(r.pending, c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.out.Counts = counts
	r.late, r.midway, r.unread = r.late || counts.Gaps(), counts.Before > 0, counts.Unread
	if err := r.flush(time.Time{}, 0); err != nil {
		return nil, err
	}
	r.settle()
	r.out.Shared = r.hosts.several(r.names)
	if r.scorer != nil {
		r.scorer.into(&r.out)
	}
	return &r.out, errors.Join(r.spans.flush(), r.table.flush())
}

// tick ends a window where enough calls are together: at a moment when none is open, or else before the oldest that is.
func (r *rebuilder) tick(p packets.Progress) error {
	r.late = r.late || p.Counts.Gaps()
	r.stale = r.stale || p.Stale > 0
	r.midway = r.midway || p.Counts.Before > 0
	r.unread = p.Counts.Unread
	for _, phase := range r.phases { // nothing goes on from one to the next
		if after := phase.End.Add(1); after.After(r.cut) && !after.After(p.Oldest) {
			return r.tickOver(after, 0, p)
		}
	}
	quiet := !p.Oldest.Before(p.Now)
	if len(r.pending) < r.window && (!quiet || len(r.pending) < r.window/4) {
		return nil
	}
	before := 0
	for i := range r.pending {
		if r.pending[i].Asked.Before(p.Oldest) {
			before++
		}
	}
	if before < r.window/4 {
		return nil // a long call holds it open
	}
	return r.tickOver(p.Oldest, grace, p)
}

// tickOver ends a window. A call that is stale then may have made calls of the next one.
func (r *rebuilder) tickOver(cut time.Time, grace time.Duration, p packets.Progress) error {
	err := r.flush(cut, grace)
	r.stale = p.Stale > 0
	return err
}

// settle counts the traces that were open at the end.
func (r *rebuilder) settle() {
	for _, t := range r.open {
		r.out.Traces.add(t)
	}
	for _, t := range r.further {
		r.out.Traces.add(t)
	}
}

// count counts a call by how its parent is known, and in its phase.
func (r *rebuilder) count(c *call) {
	switch c.how {
	case tree.Root:
		r.out.Parents.Roots++
	case tree.ID:
		r.out.Parents.ID++
	case tree.Alone:
		r.out.Parents.Alone++
	case tree.Likely:
		r.out.Parents.Likely++
	default:
		r.out.Parents.Unknown++
	}
	if c.Ended() && c.AnsweredAll.Before(c.Asked) {
		r.out.Backwards++
	}
	if i := r.phaseAt(c.Asked); i >= 0 {
		r.out.Phases[i].Calls++
		if c.how == tree.Root {
			r.out.Phases[i].Traces++
		}
	}
}

// phaseAt is the phase of a moment; -1 is none.
func (r *rebuilder) phaseAt(at time.Time) int {
	return slices.IndexFunc(r.phases, func(p record.CapturePhase) bool { return !at.Before(p.Begin) && !at.After(p.End) })
}

// phaseOf is the phase in which the new calls of a window end; -1 is none.
func (r *rebuilder) phaseOf(all []call) int {
	for i := range all {
		if c := &all[len(all)-1-i]; !c.old {
			return r.phaseAt(c.Asked)
		}
	}
	return -1
}
