package traces

// fates count what usually becomes of calls, to find traces that lack spans: those of a process that ended too early, or was not asked.
type fates struct {
	known   bool           // all traces have been counted
	clients map[uint32]two // spans of clients, by what they are: those that somebody served, and the others that did not fail
	methods map[uint32]two // methods: how often a call has one, and a trace whose parent is elsewhere begins with it
	lost    bool           // the trace that is read now lacks a span that such a trace usually has
}

// two numbers: of what is usual, and of what is not.
type two struct{ yes, no int }

func newFates() fates { return fates{clients: map[uint32]two{}, methods: map[uint32]two{}} }

// note counts; it returns what all traces have, once that is known.
func (f *fates) note(in map[uint32]two, of uint32, yes, no int) two {
	n := in[of]
	if !f.known {
		n.yes, n.no = n.yes+yes, n.no+no
		in[of] = n
	}
	return n
}

func (f *fates) served(client uint32) { f.note(f.clients, client, 1, 0) }

// unserved is for a client's span that nobody served: where most of its kind are served, a span is missing.
func (f *fates) unserved(client uint32) {
	if n := f.note(f.clients, client, 0, 1); f.known && n.yes > n.no {
		f.lost = true
	}
}

func (f *fates) called(method uint32) { f.note(f.methods, method, 1, 0) }

// seldom is the share of a method's calls below which traces that begin with it, below a parent that is elsewhere, lack their beginning.
const seldom = 0.1

// lostAbove reports whether a trace lacks its beginning, as its first method tells, which names a parent that is not in the trace.
func (f *fates) lostAbove(method uint32) bool {
	n := f.note(f.methods, method, 0, 1)
	return f.known && float64(n.no) < seldom*float64(n.yes)
}
