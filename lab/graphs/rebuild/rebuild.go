// Package rebuild owns traces that are made of captured packets: it reads captures a window of time at a time, has the parents of
// their calls found, and writes spans, a table of calls and counts. It must not know how packets are read or parents are found.
package rebuild

import (
	"errors"
	"fmt"
	"io"
	"maps"
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
	Title   string // the variant and block of a run; "" of a user's files
	Files   []string
	Names   *Names
	Phases  []record.CapturePhase
	Dropped int64 // packets that the kernel dropped, by the word of what captured them
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
	Input
	spans   *spanWriter
	table   *callWriter
	known   *tree.Programs
	without [2]*tree.Programs // known without ids of calls, and without any
	window  int               // most calls of one
	began   time.Time         // of the first call
	cut     time.Time         // before it all calls have parents
	pending []packets.Call
	carried []call
	hosts   hosts               // that served calls so far
	unread  map[netip.Addr]bool // addresses whose calls could not be read
	open    map[[16]byte]*trace
	further []*trace // that have the id of an open one
	number  int64    // of the last call
	midway  bool     // the capture began within connections
	gaps    bool     // calls may be missing from the capture
	stale   bool     // a call that lasts long is missing from the window
	out     Summary
}

// call is a call with its place in a trace.
type call struct {
	packets.Call
	number int64
	how    tree.How // "": it has no place yet
	parent int64    // its number; 0 is none
	above  int      // the parent's place in the window; -1 is none
	trace  [16]byte
	of     *trace
	old    bool // it was in an earlier window
	keep   bool

	by      string // the process that made it, as its parent tells; "" without one
	doubted bool   // it may have made more or fewer calls than it has
}

// trace holds what is known of a trace that goes on.
type trace struct {
	likely, cut bool
	rooted      bool
	until       time.Time // when its last call ended
}

// Run rebuilds the traces of one capture.
func Run(in Input, to Outputs) (*Summary, error) { return newRebuilder(in, to).run() }

func newRebuilder(in Input, to Outputs) *rebuilder {
	r := &rebuilder{Input: in, window: mostCalls, hosts: newHosts(), open: map[[16]byte]*trace{}, gaps: in.Dropped > 0,
		spans: newSpanWriter(to.Spans, in.Names, to.Run), table: newCallWriter(to.Calls, in.Title, to.Run > 0)}
	r.out.Title, r.out.Files = in.Title, in.Files
	for _, p := range in.Phases {
		r.out.Phases = append(r.out.Phases, Phase{Operation: p.Operation, Level: p.Level})
	}
	if in.Score {
		r.window, r.out.Score = mostScored, &Score{}
	}
	return r
}

func (r *rebuilder) run() (*Summary, error) {
	var readers []*capture.Reader
	for _, name := range r.Files {
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
	opt := packets.Options{Serves: r.Names.Serves, Tick: r.tick, Patience: stale}
	counts, err := packets.Read(readers, opt, func(c packets.Call) error {
		if r.table.to == nil {
			c.Fields = nil
		}
		r.pending = append(r.pending, c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.see(&counts)
	if err := r.flush(time.Time{}, 0); err != nil {
		return nil, err
	}
	for _, t := range slices.AppendSeq(r.further, maps.Values(r.open)) {
		r.out.Traces.add(t)
	}
	r.out.Counts = counts
	r.out.Dropped += r.Dropped
	r.out.Shared = r.hosts.several(r.Names)
	return &r.out, errors.Join(r.spans.flush(), r.table.flush())
}

// see notes what the capture lacks.
func (r *rebuilder) see(c *packets.Counts) {
	r.gaps, r.midway, r.unread = r.gaps || c.Gaps(), c.Before > 0, c.Unread
}

// tick ends a window where enough calls are together: at a moment when none is open, or else before the oldest that is.
func (r *rebuilder) tick(p packets.Progress) error {
	r.see(p.Counts)
	r.stale = r.stale || p.Stale > 0
	for _, phase := range r.Phases { // nothing goes on from one to the next
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

// count counts a call by the means that found its parent, and in its phase. It reports whether its spans are wanted: a run's call in
// no phase is a look whether a process is ready, and the like.
func (r *rebuilder) count(c *call) bool {
	switch p := &r.out.Parents; c.how {
	case tree.Root:
		p.Roots++
	case tree.ID:
		p.ID++
	case tree.Alone:
		p.Alone++
	case tree.Likely:
		p.Likely++
	default:
		p.Unknown++
	}
	if c.Ended() && c.AnsweredAll.Before(c.Asked) {
		r.out.Backwards++
	}
	if len(r.Phases) == 0 {
		return true
	}
	i := r.phaseAt(c.Asked)
	if i < 0 {
		r.out.Outside++
		return false
	}
	r.out.Phases[i].Calls++
	if c.how == tree.Root {
		r.out.Phases[i].Traces++
	}
	return true
}

// phaseAt is the phase of a moment; -1 is none.
func (r *rebuilder) phaseAt(at time.Time) int {
	return slices.IndexFunc(r.Phases, func(p record.CapturePhase) bool { return !at.Before(p.Begin) && !at.After(p.End) })
}
