package traces

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/lab/graphs/topology"
	"github.com/tracetax/tracetax/lab/graphs/traces/formats"
)

// Why a trace is left out.
const (
	parentMissing = "parent missing"
	spanMissing   = "span of the called service missing"
	severalRoots  = "several roots"
	oneID         = "different spans of one id"
	likelyParent  = "a parent that is only likely"
	noAnswer      = "a call without an answer"
	circle        = "spans in a circle"
	noService     = "no service"
	tooManyCalls  = "over 1,000 calls"
	tooManySpans  = "over 50,000 spans"
	rareShape     = "rare shapes"
	noRoom        = "no room in a topology"
)

// method is what can be called, as the spans name it.
type method struct {
	node     string // the service, or the store
	store    bool   // nobody's spans tell what it does
	protocol string
	verb     string
	name     string
}

// call is a call in one trace, or the trace's own.
type call struct {
	method     uint32 // of Import's methods
	start, end int64  // as who calls has it
	late       bool   // it ended behind what called it
	failed     bool
	own        int64 // ns that no call took which was awaited; of a store all
	request    int32 // bytes; -1: not known
	answer     int32
	calls      []call // by their start
}

// tree reads traces one after the other.
type tree struct {
	*Import
	methods   []method
	methodIDs map[method]uint32
	systems   map[string]string // of the stores: what their clients take them for

	spans    []*span
	services []string // of each span: its own, or that of whoever made it
	kids     [][]int32
	parents  []int32 // -1: none
	made     int     // calls of the trace
	loose    loose
	fates    fates
}

// loose counts spans that are not as they should be.
type loose struct {
	services  int // without a service
	doubles   int // of an id that another one of the trace has
	backwards int // that end before they begin
	untimed   int // of 1970
	unnamed   int // of clients that do not say whom they call
}

func newTree(im *Import) *tree {
	return &tree{Import: im, methodIDs: map[method]uint32{}, systems: map[string]string{}, fates: newFates()}
}

// read returns the root call of a trace, or why there is none.
func (t *tree) read(places []uint32) (root call, why string) {
	if len(places) > formats.MostSpans {
		return call{}, tooManySpans
	}
	t.spans = t.spans[:0]
	for _, place := range places {
		s := t.at(place)
		switch {
		case s.guessed:
			return call{}, likelyParent
		case s.cut:
			return call{}, noAnswer
		}
		t.spans = append(t.spans, s)
	}
	slices.SortStableFunc(t.spans, func(a, b *span) int { return cmp.Compare(a.start, b.start) })
	top, why := t.link()
	if why != "" {
		return call{}, why
	}
	t.made = 0
	t.fates.lost = false
	root = t.served(top, -1)
	if kind := t.what(top).kind; (kind == formats.Client || kind == formats.Producer) && len(root.calls) == 1 {
		if only := root.calls[0]; !t.methods[only.method].store { // a load generator's span: the load comes from tracetax
			root, t.made = only, t.made-1
		}
	}
	if t.spans[top].parent != 0 && t.fates.lostAbove(root.method) {
		return call{}, parentMissing
	}
	if t.fates.lost {
		return call{}, spanMissing
	}
	root.late = false
	if t.made > topology.MostCalls {
		return call{}, tooManyCalls
	}
	return root, ""
}

func (t *tree) what(i int32) *what { return &t.whats[t.spans[i].what] }

// sides are the spans of a trace by their ids. Zipkin's two spans of one call have one id, and are on different sides.
type sides struct {
	client, server map[uint64]int32 // client: and all that serve nothing
	doubles        map[int32]bool   // spans that are there already
	clash          bool             // two spans of one side have one id, and differ
}

// prepare makes room for the spans of a trace, and sorts them by their ids.
func (t *tree) prepare() sides {
	of := sides{map[uint64]int32{}, map[uint64]int32{}, map[int32]bool{}, false}
	n := len(t.spans)
	t.kids, t.services, t.parents = slices.Grow(t.kids[:0], n)[:n], slices.Grow(t.services[:0], n)[:n], slices.Grow(t.parents[:0], n)[:n]
	for i, s := range t.spans {
		t.kids[i], t.parents[i] = t.kids[i][:0], -1
		side := of.client
		if kind := t.what(int32(i)).kind; kind == formats.Server || kind == formats.Consumer || s.shared {
			side = of.server
		}
		if other, is := side[s.id]; is {
			first := t.spans[other]
			of.clash = of.clash || first.what != s.what || first.parent != s.parent || first.start != s.start
			of.doubles[int32(i)] = true
			t.loose.doubles++
			continue
		}
		side[s.id] = int32(i)
		if s.start < thisCentury {
			t.loose.untimed++
		}
		if s.end < s.start {
			t.loose.backwards++
		}
	}
	return of
}

// link finds the parents of all spans and the root of the trace.
func (t *tree) link() (root int32, why string) {
	of := t.prepare()
	if of.clash {
		return 0, oneID
	}
	var bare, orphans []int32
	for i, s := range t.spans {
		i := int32(i)
		if of.doubles[i] {
			continue
		}
		parent, is := of.client[s.id]
		if !is || parent == i {
			parent, is = t.parentOf(i, of)
		}
		switch {
		case is:
			t.kids[parent], t.parents[i] = append(t.kids[parent], i), parent
		case s.parent == 0:
			bare = append(bare, i)
		default:
			orphans = append(orphans, i)
		}
	}
	switch roots := append(bare, orphans...); {
	case len(bare) > 1 || len(bare) == 0 && len(orphans) > 1:
		return 0, severalRoots
	case len(roots) > 1:
		return 0, parentMissing
	case len(roots) == 0:
		return 0, circle
	default:
		root = roots[0]
	}
	switch {
	case t.what(root).service == "":
		return 0, noService
	case t.inherit(root) < len(t.spans)-len(of.doubles):
		return 0, circle
	}
	return root, ""
}

// parentOf is the span that a span names as its parent: of two with one id the one of its own service.
func (t *tree) parentOf(i int32, of sides) (int32, bool) {
	id := t.spans[i].parent
	c, isClient := of.client[id]
	s, isServer := of.server[id]
	if isClient && (!isServer || t.what(c).service == t.what(i).service && t.what(s).service != t.what(i).service) {
		return c, true
	}
	return s, isServer
}

// inherit gives spans without a service that of their parent, and returns how many spans the root leads to.
func (t *tree) inherit(root int32) int {
	reached, next := 0, []int32{root}
	t.services[root] = t.what(root).service
	for len(next) > 0 {
		i := next[len(next)-1]
		next, reached = next[:len(next)-1], reached+1
		for _, kid := range t.kids[i] {
			if t.services[kid] = t.what(kid).service; t.services[kid] == "" {
				t.services[kid] = t.services[i]
				t.loose.services++
			}
			next = append(next, kid)
		}
	}
	return reached
}

// times are the begin and the end of a span; one of negative length has none.
func (t *tree) times(i int32) (start, end int64) {
	s := t.spans[i]
	return s.start, max(s.start, s.end)
}

// served is the call that a span answers; client is the span of who calls, -1 where there is none.
func (t *tree) served(i, client int32) call {
	w := *t.what(i)
	m := method{node: t.services[i], protocol: w.protocol, verb: w.verb, name: w.name}
	c := call{failed: t.spans[i].failed, request: t.spans[i].request, answer: t.spans[i].answer}
	start, end := t.times(i)
	c.start, c.end = start, end
	if client >= 0 {
		of, by := t.what(client), t.spans[client]
		if m.protocol == "" && of.protocol != "" {
			m.protocol = of.protocol
		}
		if of.kind != formats.Producer { // who sends a message does not await what becomes of it
			c.start, c.end = t.times(client)
		}
		c.failed = c.failed || by.failed
		c.request, c.answer = max(c.request, by.request), max(c.answer, by.answer)
	}
	c.method = t.methodID(m)
	if t.parents[i] >= 0 {
		t.fates.called(c.method)
	}
	c.calls = t.collect(nil, i, i)
	slices.SortStableFunc(c.calls, func(a, b call) int { return cmp.Compare(a.start, b.start) })
	for k := range c.calls {
		c.calls[k].late = c.calls[k].end > end && c.calls[k].start >= thisCentury
	}
	c.own = alone(start, end, c.calls)
	return c
}

// alone is the time between start and end in which no call was under way.
func alone(start, end int64, calls []call) int64 {
	rest, at := end-start, start
	for i := range calls {
		if calls[i].late {
			continue
		}
		from, to := max(calls[i].start, at), min(calls[i].end, end)
		if to > from {
			rest -= to - from
			at = to
		}
	}
	return max(0, rest)
}

func (t *tree) methodID(m method) uint32 {
	id, known := t.methodIDs[m]
	if !known {
		id = uint32(len(t.methods))
		t.methodIDs[m], t.methods = id, append(t.methods, m)
	}
	return id
}

// isServed reports whether a span answers a call that its parent, or whoever its parent is of, makes.
func (t *tree) isServed(kid, parent int32) bool {
	other := t.services[kid] != t.services[parent]
	switch t.what(kid).kind {
	case formats.Server, formats.Consumer:
		return other || t.isClient(parent, -1)
	case formats.Client, formats.Producer:
		return other && len(t.kids[kid]) > 0
	}
	return other
}

// isClient reports whether a span is the call of another program; under is the span that serves, which calls nobody by itself.
func (t *tree) isClient(i, under int32) bool {
	if i == under {
		return false
	}
	w := t.what(i)
	switch w.kind {
	case formats.Client, formats.Producer:
		return true
	case formats.Unknown:
		return w.system != "" && len(t.kids[i]) == 0 || len(t.kids[i]) == 1 && t.services[t.kids[i][0]] != t.services[i]
	}
	return w.system != "" && len(t.kids[i]) == 0
}

// collect appends the calls that are made in the span i and in those within it. by is the span that serves.
func (t *tree) collect(out []call, i, by int32) []call {
	if w := t.what(i); i == by && t.parents[i] < 0 && (w.kind == formats.Client || w.kind == formats.Producer) { // a root that calls
		return t.clients(out, i)
	}
	for _, kid := range t.kids[i] {
		switch {
		case t.isServed(kid, i):
			t.made++
			out = append(out, t.served(kid, -1))
		case t.isClient(kid, by):
			out = t.clients(out, kid)
		default:
			out = t.collect(out, kid, by)
		}
	}
	return out
}

// clients appends the calls of a client's span: those that were served, else those of the spans within it, else one of a store.
func (t *tree) clients(out []call, client int32) []call {
	var within []int32
	served := 0
	for _, kid := range t.kids[client] {
		if t.isServed(kid, client) {
			served++
		} else {
			within = append(within, kid)
		}
	}
	for _, kid := range t.kids[client] {
		if !t.isServed(kid, client) {
			continue
		}
		t.made++
		if served == 1 {
			out = append(out, t.served(kid, client))
		} else {
			out = append(out, t.served(kid, -1))
		}
	}
	if served > 0 {
		t.fates.served(t.spans[client].what)
	}
	before := len(out)
	if w := t.what(client); w.system == "" || served > 0 {
		for _, kid := range within {
			if t.isClient(kid, -1) {
				out = t.clients(out, kid)
			} else {
				out = t.collect(out, kid, client)
			}
		}
	}
	if served == 0 && len(out) == before {
		t.made++
		out = append(out, t.unserved(client))
	}
	return out
}

// unserved is the call of a store, or of a service that makes no spans.
func (t *tree) unserved(i int32) call {
	w := *t.what(i)
	m := method{node: w.peer, store: true, protocol: w.protocol, name: w.name}
	if p := t.parents[i]; m.node == "" && p >= 0 && t.services[p] != t.services[i] { // it stands for what is called
		m.node = t.services[i]
	}
	if m.node == "" {
		m.node = "elsewhere"
		t.loose.unnamed++
	}
	if w.system != "" {
		t.systems[m.node], m.protocol = w.system, ""
	}
	s := t.spans[i]
	if !s.failed {
		t.fates.unserved(s.what)
	}
	c := call{method: t.methodID(m), failed: s.failed, request: s.request, answer: s.answer}
	c.start, c.end = t.times(i)
	c.own = c.end - c.start
	return c
}
