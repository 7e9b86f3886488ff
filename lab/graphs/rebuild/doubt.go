package rebuild

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/tree"
)

// hosts are the addresses at which calls are served, and what tells whether one process has such an address.
type hosts struct {
	port   map[netip.Addr]uint16     // of the first call that it served
	shared map[netip.Addr]bool       // it serves at several ports, or is called from itself: it may be that of several processes
	calls  map[netip.Addr]bool       // it makes calls, too
	callee map[netip.Addr]netip.Addr // whom an address of loopback calls
	crowds map[netip.Addr]bool       // of these, the ones that call several
	strays map[errand]bool           // calls that were made while nothing was served
}

// errand is a call as its caller knows it, without what differs from one to the next.
type errand struct {
	from, to         netip.Addr
	protocol, method string
}

func newHosts() hosts {
	return hosts{port: map[netip.Addr]uint16{}, shared: map[netip.Addr]bool{}, calls: map[netip.Addr]bool{},
		callee: map[netip.Addr]netip.Addr{}, crowds: map[netip.Addr]bool{}, strays: map[errand]bool{}}
}

func (h *hosts) add(from, to netip.AddrPort) {
	if !h.calls[from.Addr()] && h.serves(from.Addr()) {
		h.calls[from.Addr()] = true
	}
	if from.Addr().IsLoopback() {
		if one, has := h.callee[from.Addr()]; has && one != to.Addr() {
			h.crowds[from.Addr()] = true
		}
		h.callee[from.Addr()] = to.Addr()
	}
	port, known := h.port[to.Addr()]
	if !known {
		h.port[to.Addr()] = to.Port()
	}
	if known && port != to.Port() || from.Addr() == to.Addr() {
		h.shared[to.Addr()] = true
	}
}

// serves reports whether calls were served at an address.
func (h *hosts) serves(at netip.Addr) bool {
	_, is := h.port[at]
	return is
}

// several counts the addresses that call, and may be those of several processes.
func (h *hosts) several(names *Names) int {
	n := 0
	for at := range h.shared {
		if h.calls[at] && names.alone[at] == "" {
			n++
		}
	}
	for at := range h.crowds {
		if !h.shared[at] && names.alone[at] == "" && !names.run {
			n++
		}
	}
	return n
}

func errandOf(c *call) errand {
	method := c.Method
	if at := strings.IndexAny(method, "0123456789"); at >= 0 {
		method = method[:at]
	}
	return errand{c.From.Addr(), c.To.Addr(), c.Protocol, method}
}

// served reports whether the caller of what seems to be a root may have served another call: some of its calls, or its trace, say so, or
// its address is the one that processes of a machine have in common.
func (r *rebuilder) served(c *call, of *trace) bool {
	at := c.From.Addr()
	switch {
	case r.hosts.serves(at) || r.unread[at]:
		return true
	case of != nil && of.rooted && !of.until.Before(c.Asked):
		return true
	case !at.IsLoopback() || r.Names.alone[at] != "":
		return false
	case r.Names.run:
		return !c.traced() && r.phaseAt(c.Asked) >= 0
	}
	return r.hosts.crowds[at]
}

// doubtful reports whether another call may have made c than the one that was alone in being served: another process may have the same
// address, and of an unknown protocol two calls may look like one.
func (r *rebuilder) doubtful(c, parent *call) bool {
	at := c.From.Addr()
	return parent.Protocol == packets.Turns || r.hosts.shared[at] && r.Names.alone[at] == ""
}

// doubt takes back what is not as certain as it seems: that a call was made for the one that was served, where the caller makes such
// calls by itself, and that a trace is whole, where another call may be of it.
func (r *rebuilder) doubt(all []call) {
	r.whileServed(all, func(c *call, now []int, before bool) {
		unseen := r.gaps || !before || c.Asked.Before(r.cut) || r.midway && c.Asked.Sub(r.began) < settling // it may have served others
		if c.how == tree.Unknown && len(now) == 0 && !c.traced() && !unseen && (len(r.Phases) == 0 || r.phaseAt(c.Asked) >= 0) {
			r.hosts.strays[errandOf(c)] = true
		}
	})
	last := map[netip.AddrPort]int{} // calls by their caller's end
	for i := range all {
		c := &all[i]
		if c.how == tree.Alone && !c.old && len(r.hosts.strays) > 0 && !c.traced() && r.hosts.strays[errandOf(c)] {
			c.how = tree.Likely
		}
		if j, has := last[c.From]; has && !c.old && all[j].Sequence == c.Sequence && all[j].To != c.To && !all[j].until().Before(c.Asked) {
			r.out.Translated++
			c.doubted, c.of.likely = true, true
			all[j].doubted, all[j].of.likely = true, true
		}
		last[c.From] = i
	}
	r.whileServed(all, func(c *call, now []int, _ bool) {
		if c.how != tree.Likely && c.how != tree.Unknown {
			return
		}
		for _, j := range now {
			if mayBelong(c, &all[j]) {
				all[j].doubted, all[j].of.likely = true, true
			}
		}
	})
}

// whileServed calls each for every call whose caller serves calls, with the places of those that it served then, and whether it served
// any until then.
func (r *rebuilder) whileServed(all []call, each func(c *call, now []int, before bool)) {
	serving := map[netip.Addr][]int{}
	for i := range all {
		c, from, to := &all[i], all[i].From.Addr(), all[i].To.Addr()
		if r.hosts.calls[from] {
			now, before := serving[from]
			if len(now) > 0 {
				now = slices.DeleteFunc(now, func(j int) bool { return all[j].until().Before(c.Asked) })
				serving[from] = now
			}
			each(c, now, before)
		}
		if r.hosts.calls[to] {
			serving[to] = append(serving[to], i)
		}
	}
}

// traced reports whether a call has the id of a trace with it.
func (c *call) traced() bool {
	id, _ := c.IDs()
	return id != [16]byte{}
}

// mayBelong reports whether the ids of two calls allow them to be of one trace.
func mayBelong(c, of *call) bool {
	a, _ := c.IDs()
	b, _ := of.IDs()
	return a == [16]byte{} || b == [16]byte{} || a == b
}
