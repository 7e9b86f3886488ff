package rebuild

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/tree"
)

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
	if r.late || r.stale {
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
		r.hosts.add(all[i].From, all[i].To)
	}
	for i := range all {
		if all[i].Asked.Before(r.cut) && !all[i].old { // it came after its window
			parents[i] = tree.Parent{Index: -1, How: tree.Unknown}
		}
		r.place(all, parents, i)
	}
	r.doubt(all)
	for i := range all {
		if all[i].old {
			continue
		}
		r.count(&all[i])
		if err := r.table.add(&all[i]); err != nil {
			return err
		}
		if len(r.phases) > 0 && r.phaseAt(all[i].Asked) < 0 { // a look whether a process is ready, and the like
			r.out.Outside++
			continue
		}
		if err := r.spans.add(&all[i]); err != nil {
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
	case c.how == tree.Root && (r.hosts.serves(c.From.Addr()) || r.unread[c.From.Addr()]):
		c.how, c.above = tree.Unknown, -1 // it served calls before this window, or such as could not be read
	case c.how == tree.Alone && r.midway && c.Asked.Sub(r.began) < settling:
		c.how = tree.Likely
	}
	c.client, c.server = id(c.number, 1), id(c.number, 2)
	id, has := traceOf(c.Trace)
	if c.above >= 0 {
		r.place(all, parents, c.above)
		p := &all[c.above]
		if c.how == tree.Alone && r.doubtful(c, p) {
			c.how = tree.Likely
		}
		c.parent, c.above8, c.of, c.by = p.number, p.server, p.of, r.names.server(p.To).name
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
		r.further = append(r.further, c.of)
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
		c.keep = c.until().After(since) || c.above >= 0 && all[c.above].keep
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
	r.further = slices.DeleteFunc(r.further, func(t *trace) bool {
		if !kept[t] {
			r.out.Traces.add(t)
		}
		return !kept[t]
	})
}

// until is the time until which a call may have made others.
func (c *call) until() time.Time {
	if !c.Ended() {
		return c.Asked.Add(stale)
	}
	return c.AnsweredAll
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
