package traces

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/lab/graphs/topology"
	"github.com/tracetax/tracetax/lab/graphs/traces/formats"
)

// method is a method of a service or a store.
type method struct {
	place
	asked
}

// place is a service or a store, under the name that the spans have for it. A store has no spans of its own.
type place struct {
	node  string
	store bool
}

// call is a call in one trace, or the trace's own.
type call struct {
	method     uint32
	start, end int64 // as the caller has them
	late       bool  // it ended after its caller
	failed     bool
	own        int64    // ns without an awaited call
	bytes      [2]int32 // as those of a span
	calls      []call   // by their start
}

// size is the number of calls that a call leads to.
func (c *call) size() int {
	n := len(c.calls)
	for i := range c.calls {
		n += c.calls[i].size()
	}
	return n
}

// branch is a span in its trace.
type branch struct {
	*span
	*label
	of     string // its service, or the one of the span above
	above  *branch
	below  []*branch
	double bool // another one has its id
}

// root returns the first call of a trace, or the reason to leave the trace out.
func (r *reading) root(of trace) (root call, why string) {
	if of.spans > formats.MostSpans {
		return call{}, "over 50,000 spans"
	}
	r.branches = r.branches[:0]
	for place := of.last; place > 0; place = r.at(place).before {
		s := r.at(place)
		switch {
		case s.guessed:
			return call{}, "a parent that is only likely"
		case s.cut:
			return call{}, "a call without an answer"
		}
		r.branches = append(r.branches, branch{span: s, label: &r.labels.all[s.label]})
	}
	slices.Reverse(r.branches)
	slices.SortStableFunc(r.branches, func(a, b branch) int { return cmp.Compare(a.start, b.start) })
	top, why := r.link()
	if why != "" {
		return call{}, why
	}
	r.fates.lost = false
	root = r.served(top, nil)
	if top.calling() && len(root.calls) == 1 && !r.shapes.methods.all[root.calls[0].method].store {
		root = root.calls[0] // a load generator made the span above: here the load comes from tracetax
	}
	root.late = false
	switch {
	case top.parent != 0 && r.fates.lostAbove(root.method):
		return call{}, "parent missing"
	case r.fates.lost:
		return call{}, "span of the called service missing"
	}
	if root.size() > topology.MostCalls {
		return call{}, "over 1,000 calls"
	}
	return root, ""
}

// sides are the spans of a trace by their ids. Zipkin's two spans of one call have one id, and are on different sides.
type sides struct{ client, server map[uint64]*branch } // client: and all that serve nothing

// link finds the span above each one, and the root of the trace.
func (r *reading) link() (root *branch, why string) {
	of, singles := sides{map[uint64]*branch{}, map[uint64]*branch{}}, 0
	for i := range r.branches {
		b := &r.branches[i]
		side := of.client
		if b.serving() || b.shared {
			side = of.server
		}
		other := side[b.id]
		if b.double = other != nil; b.double {
			if other.span.label != b.span.label || other.parent != b.parent || other.start != b.start {
				return nil, "different spans of one id"
			}
			r.left.Spans["an id that another span has"]++
			continue
		}
		side[b.id] = b
		singles++
		if b.start < thisCentury {
			r.loose.untimed++
		}
		if b.end < b.start {
			r.loose.backwards++
		}
	}
	var bare, orphans []*branch
	for i := range r.branches {
		b := &r.branches[i]
		if b.double {
			continue
		}
		if b.above = of.client[b.id]; b.above == nil || b.above == b {
			b.above = of.parent(b)
		}
		switch {
		case b.above != nil:
			b.above.below = append(b.above.below, b)
		case b.parent == 0:
			bare = append(bare, b)
		default:
			orphans = append(orphans, b)
		}
	}
	switch roots := append(bare, orphans...); {
	case len(bare) > 1 || len(bare) == 0 && len(orphans) > 1:
		return nil, "several roots"
	case len(roots) > 1:
		return nil, "parent missing"
	case len(roots) == 0:
		return nil, "spans in a circle"
	default:
		root = roots[0]
	}
	switch {
	case root.service == "":
		return nil, "no service"
	case r.inherit(root) < singles:
		return nil, "spans in a circle"
	}
	return root, ""
}

// parent returns the span that a span names as its parent, nil without one. Of two with one id it takes the one of the same service.
func (of sides) parent(b *branch) *branch {
	client, server := of.client[b.parent], of.server[b.parent]
	if client != nil && (server == nil || client.service == b.service && server.service != b.service) {
		return client
	}
	return server
}

// inherit gives spans without a service the one of the span above. It returns the number of spans from b on.
func (r *reading) inherit(b *branch) int {
	if b.of = b.service; b.of == "" {
		b.of = b.above.of
		r.left.Spans["no service"]++
	}
	n := 1
	for _, kid := range b.below {
		n += r.inherit(kid)
	}
	return n
}

// times are the begin and the end of a span; one of negative length has none.
func (b *branch) times() (start, end int64) { return b.start, max(b.start, b.end) }

// served makes the call that a span answers. client is the caller's span, nil without one.
func (r *reading) served(b, client *branch) call {
	m := method{place{node: b.of}, b.asked}
	start, end := b.times()
	c := call{start: start, end: end, failed: b.failed, bytes: b.bytes}
	if client != nil {
		m.protocol = cmp.Or(m.protocol, client.protocol)
		if client.kind != formats.Producer { // the sender of a message awaits no answer
			c.start, c.end = client.times()
		}
		c.failed = c.failed || client.failed
		for i := range c.bytes {
			c.bytes[i] = max(c.bytes[i], client.bytes[i])
		}
	}
	c.method = r.shapes.methods.of(m)
	if b.above != nil {
		r.fates.called(c.method)
	}
	if b.above == nil && b.calling() {
		c.calls = r.clients(nil, b)
	} else {
		c.calls = r.within(nil, b, nil)
	}
	slices.SortStableFunc(c.calls, func(a, b call) int { return cmp.Compare(a.start, b.start) })
	for i := range c.calls {
		c.calls[i].late = c.calls[i].end > end && c.calls[i].start >= thisCentury
	}
	c.own = alone(start, end, c.calls)
	return c
}

// alone returns the ns between start and end without an awaited call.
func alone(start, end int64, calls []call) int64 {
	rest, at := end-start, start
	for i := range calls {
		from, to := max(calls[i].start, at), min(calls[i].end, end)
		if !calls[i].late && to > from {
			rest -= to - from
			at = to
		}
	}
	return max(0, rest)
}

// isServed reports whether a span answers a call that begins at the span above.
func (b *branch) isServed() bool {
	other := b.of != b.above.of
	switch {
	case b.serving():
		return other || b.above.isClient()
	case b.calling():
		return other && len(b.below) > 0
	}
	return other
}

// isClient reports whether a span calls another program.
func (b *branch) isClient() bool {
	store := b.system != "" && len(b.below) == 0
	return b.calling() || store || b.kind == formats.Unknown && len(b.below) == 1 && b.below[0].of != b.of
}

// within appends the calls that are made in a span and in those below it. client is the caller's span of those served at once below.
func (r *reading) within(out []call, b, client *branch) []call {
	for _, kid := range b.below {
		switch {
		case kid.isServed():
			out = append(out, r.served(kid, client))
		case kid.isClient():
			out = r.clients(out, kid)
		default:
			out = r.within(out, kid, nil)
		}
	}
	return out
}

// clients appends the calls of a client's span: those that were served, those of the spans below it, or else one of a store.
func (r *reading) clients(out []call, client *branch) []call {
	before, served, by := len(out), 0, client
	for _, kid := range client.below {
		if kid.isServed() {
			served++
		}
	}
	if served > 0 {
		r.fates.served(client.span.label)
	}
	if served > 1 { // its times and bytes are those of several calls
		by = nil
	}
	if client.system == "" || served > 0 { // a store's client may speak HTTP
		out = r.within(out, client, by)
	}
	if len(out) == before {
		out = append(out, r.unserved(client))
	}
	return out
}

// unserved makes the call of a store, or of a service that makes no spans.
func (r *reading) unserved(b *branch) call {
	m := method{place{b.peer, true}, asked{protocol: b.protocol, name: b.name}}
	if m.node == "" && b.above != nil && b.above.of != b.of { // it stands for the called service
		m.node = b.of
	}
	if m.node == "" {
		m.node = "elsewhere"
		r.loose.unnamed++
	}
	if b.system != "" {
		r.systems[m.node], m.protocol = b.system, ""
	}
	if !b.failed {
		r.fates.unserved(b.span.label)
	}
	c := call{method: r.shapes.methods.of(m), failed: b.failed, bytes: b.bytes}
	c.start, c.end = b.times()
	c.own = c.end - c.start
	return c
}
