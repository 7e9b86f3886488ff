// Package rebuild owns traces that are made of captured packets: it reads captures a window of time at a time, has the parents of
// their calls found, and writes spans, a table of calls and counts. It must not know how packets are read or parents are found.
package rebuild

import (
	"cmp"
	"encoding/binary"
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
	// window, whose calls are all in memory.
	Score bool
}

// Outputs are where traces go; nil is nowhere.
type Outputs struct {
	Spans io.Writer // lines of JSON, each a request as OTLP has it
	Calls io.Writer // CSV
	// Further is that another capture's calls precede in the same table.
	Further bool
}

const (
	// mostScored are those of a window that is scored.
	mostScored = 1_000_000
	// mostCalls are the calls of a window. With their headers they are some tens of megabytes.
	mostCalls = 10_000
	// stale is how long a call holds a window open. Calls that last longer have no parent: those that may be it are forgotten.
	stale = 30 * time.Second
	// grace is how long after its end a call may still have made one.
	grace = time.Second
	// settling is how long a capture that began within connections may lack calls that began before it.
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
	servers map[netip.Addr]bool // addresses at which calls were served so far
	open    map[[16]byte]*trace
	number  int64 // of the last call
	most    int   // calls of one window
	midway  bool  // the capture began within connections
	late    bool  // calls are missing among those of a window
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
	of       *trace
	old      bool // it was in an earlier window
	keep     bool
	assigned bool
}

// trace is what is known of a trace that is not over.
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
		servers: map[netip.Addr]bool{}, open: map[[16]byte]*trace{}}
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
	r.spans, r.table = newSpanWriter(to.Spans, r.names), newCallWriter(to.Calls, in.Title, to.Further)
	var readers []*capture.Reader
	for _, name := range in.Files {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("reading a capture: %w", err)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
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
	r.late, r.midway = r.late || counts.Gaps(), counts.Before > 0
	if err := r.flush(time.Time{}, 0); err != nil {
		return nil, err
	}
	r.settle()
	if r.scorer != nil {
		r.scorer.into(&r.out)
	}
	return &r.out, errors.Join(r.spans.flush(), r.table.flush())
}

// tick ends a window where enough calls are together: at a moment when none is open, or else before the oldest that is.
func (r *rebuilder) tick(p packets.Progress) error {
	r.late = r.late || p.Counts.Gaps() || p.Stale > 0
	r.midway = r.midway || p.Counts.Before > 0
	for _, phase := range r.phases { // nothing goes on from one to the next
		if after := phase.End.Add(1); after.After(r.cut) && !after.After(p.Oldest) {
			return r.flush(after, 0)
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
	return r.flush(p.Oldest, grace)
}

// flush finds the parents of all calls that were asked before a moment, and writes them; zero is all. Those that ended so long
// before it are not kept for the next window.
func (r *rebuilder) flush(cut time.Time, grace time.Duration) error {
	all := r.take(cut)
	if len(all) == 0 {
		r.cut = cut
		return nil
	}
	r.most = max(r.most, len(all))
	calls := make([]packets.Call, len(all))
	for i := range all {
		calls[i] = all[i].Call
	}
	opt := tree.Options{Name: r.names.Name, Programs: r.known, Topology: r.graph}
	if r.late {
		opt.Missing = 1
	}
	parents, _ := tree.Parents(calls, opt)
	if !cut.IsZero() {
		r.known = tree.Learn(calls, opt)
	}
	if r.scorer != nil {
		r.scorer.rate(calls, opt, r.phaseOf(all))
	}
	for i := range all {
		r.servers[all[i].To.Addr()] = true
	}
	for i := range all {
		if all[i].Asked.Before(r.cut) && !all[i].old { // it came after its window
			parents[i] = tree.Parent{Index: -1, How: tree.Unknown}
		}
		r.place(all, parents, i)
	}
	for i := range all {
		if all[i].old {
			continue
		}
		r.count(&all[i])
		if err := errors.Join(r.spans.add(&all[i]), r.table.add(&all[i])); err != nil {
			return err
		}
	}
	r.carry(all, cut, grace)
	return nil
}

// take takes the calls that were asked before a moment, with those that may be their parents, in the order of their beginnings.
func (r *rebuilder) take(cut time.Time) []call {
	all, rest := r.carried, r.pending[:0]
	for _, c := range r.pending {
		if cut.IsZero() || c.Asked.Before(cut) {
			all = append(all, call{Call: c, above: -1})
		} else {
			rest = append(rest, c)
		}
	}
	clear(r.pending[len(rest):])
	r.pending, r.carried = rest, nil
	slices.SortStableFunc(all, func(a, b call) int {
		return cmp.Or(a.Asked.Compare(b.Asked), cmp.Compare(a.number, b.number), a.AskedAll.Compare(b.AskedAll))
	})
	if r.began.IsZero() && len(all) > 0 {
		r.began = all[0].Asked
	}
	for i := range all {
		if !all[i].old {
			r.number++
			all[i].number = r.number
		}
	}
	return all
}

// place gives a call its trace and its ids, after its parent.
func (r *rebuilder) place(all []call, parents []tree.Parent, i int) {
	c := &all[i]
	if c.assigned {
		return
	}
	c.assigned, c.how, c.above = true, parents[i].How, parents[i].Index
	switch {
	case c.how == tree.Root && r.servers[c.From.Addr()]:
		c.how, c.above = tree.Unknown, -1 // it served calls before this window
	case c.how == tree.Alone && r.midway && c.Asked.Sub(r.began) < settling:
		c.how = tree.Likely
	}
	c.client, c.server = id(c.number, 1), id(c.number, 2)
	id, has := traceOf(c.Trace)
	if c.above >= 0 {
		r.place(all, parents, c.above)
		p := &all[c.above]
		c.parent, c.above8, c.of = p.number, p.server, p.of
		if !has {
			id, has = p.trace, true
		}
	}
	if !has {
		binary.BigEndian.PutUint64(id[:], mix(uint64(c.Asked.UnixNano())))
		binary.BigEndian.PutUint64(id[8:], mix(uint64(c.number)))
	}
	c.trace = id
	if c.of == nil {
		c.of = r.open[id]
	}
	if c.of == nil {
		c.of = &trace{id: id}
		r.open[id] = c.of
	}
	switch {
	case c.how == tree.Root && c.of.rooted: // a second one of this id
		c.of = &trace{id: id, rooted: true}
		r.out.Traces.add(c.of)
	case c.how == tree.Root:
		c.of.rooted = true
	case c.how == tree.Likely:
		c.of.likely = true
	case c.how == tree.Unknown:
		c.of.cut = true
	}
	if !c.Ended() {
		c.of.cut = true
	}
}

// carry keeps the calls that may have made calls of the next window, and all that they made, which tells their programs.
func (r *rebuilder) carry(all []call, cut time.Time, grace time.Duration) {
	if cut.IsZero() {
		return
	}
	r.cut = cut
	since := cut.Add(-min(grace, cut.Sub(all[0].Asked)/4))
	for i := range all {
		c := &all[i]
		ended := c.AnsweredAll
		if !c.Ended() {
			ended = c.Asked.Add(stale)
		}
		c.keep = ended.After(since) || c.above >= 0 && all[c.above].keep
	}
	kept := map[*trace]bool{}
	for i := range all {
		if c := &all[i]; c.keep {
			c.old, c.above, c.Fields = true, -1, nil
			kept[c.of] = true
			r.carried = append(r.carried, *c)
		}
	}
	for id, t := range r.open {
		if !kept[t] {
			r.out.Traces.add(t)
			delete(r.open, id)
		}
	}
}

// settle counts the traces that were open at the end.
func (r *rebuilder) settle() {
	for _, t := range r.open {
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

// traceOf is the trace of a traceparent.
func traceOf(parent string) (id [16]byte, has bool) {
	if len(parent) < 55 || parent[2] != '-' || parent[35] != '-' {
		return id, false
	}
	for i := range 32 {
		digit := parent[3+i]
		switch {
		case digit >= '0' && digit <= '9':
			digit -= '0'
		case digit|0x20 >= 'a' && digit|0x20 <= 'f':
			digit = digit | 0x20 - 'a' + 10
		default:
			return [16]byte{}, false
		}
		id[i/2] = id[i/2]<<4 | digit
	}
	return id, id != [16]byte{}
}

// id is the id of a call's span, the same whenever a capture is read.
func id(number int64, which uint64) (out [8]byte) {
	binary.BigEndian.PutUint64(out[:], max(1, mix(uint64(number)<<2|which)))
	return out
}

// mix spreads a number over 64 bits, no two alike (splitmix64).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
