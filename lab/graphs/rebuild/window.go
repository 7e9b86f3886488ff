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
	calls := make([]packets.Call, len(all))
	for i := range all {
		calls[i] = all[i].Call
	}
	opt := tree.Options{Name: r.Names.serviceAt, Programs: r.known, Topology: r.Topology, Missing: r.gaps || r.stale}
	parents, known := tree.Parents(calls, opt)
	r.known = known
	if r.Score {
		r.rate(calls, opt, parents, r.phaseAt(all[len(all)-1].Asked))
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
		c := &all[i]
		if c.old {
			continue
		}
		if err := r.table.add(c); err != nil {
			return err
		}
		if r.count(c) {
			if err := r.spans.add(c); err != nil {
				return err
			}
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

// place gives a call its trace, after its parent.
func (r *rebuilder) place(all []call, parents []tree.Parent, i int) {
	c := &all[i]
	if c.how != "" {
		return
	}
	c.how, c.above = parents[i].How, parents[i].Index
	c.trace, _ = c.IDs()
	has := c.trace != [16]byte{}
	switch {
	case c.how == tree.Root && r.served(c, r.open[c.trace]):
		c.how, c.above = tree.Unknown, -1
	case c.how == tree.Alone && r.midway && c.Asked.Sub(r.began) < settling:
		c.how = tree.Likely
	}
	if c.above >= 0 {
		r.place(all, parents, c.above)
		p := &all[c.above]
		if c.how == tree.Alone && r.doubtful(c, p) {
			c.how = tree.Likely
		}
		c.parent, c.of, c.by = p.number, p.of, r.Names.server(p.To).name
		if !has {
			c.trace = p.trace
		}
	} else if !has {
		binary.BigEndian.PutUint64(c.trace[:], mix(uint64(c.Asked.UnixNano())))
		binary.BigEndian.PutUint64(c.trace[8:], mix(uint64(c.number)))
	}
	if c.of == nil {
		c.of = r.open[c.trace]
	}
	if c.of == nil {
		c.of = &trace{}
		r.open[c.trace] = c.of
	}
	if c.how == tree.Root && c.of.rooted { // a second one of this id
		c.of = &trace{}
		r.further = append(r.further, c.of)
	}
	if until := c.until(); until.After(c.of.until) {
		c.of.until = until
	}
	c.of.rooted = c.of.rooted || c.how == tree.Root
	c.of.likely = c.of.likely || c.how == tree.Likely
	c.of.cut = c.of.cut || c.how == tree.Unknown || !c.Ended()
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

// spanOf is the id of one of a call's two spans, the same whenever a capture is read.
func spanOf(number int64, kind int) (out [8]byte) {
	binary.BigEndian.PutUint64(out[:], max(1, mix(uint64(number)<<2|uint64(kind))))
	return out
}

// mix spreads a number over 64 bits, no two alike (splitmix64).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
