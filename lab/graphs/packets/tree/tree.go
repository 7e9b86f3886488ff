// Package tree owns the parents of calls that were read from packets: which call made which, the means that tell it, programs of
// methods learnt from calls, and scores of answers against known ones. It is pure. It must not know how packets are read, nor what is
// made of the answers.
package tree

import (
	"net/netip"
	"slices"

	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// How names the means that found a parent.
type How string

// The means. Root, ID and Alone are certain; nothing else is.
const (
	Root    How = "root"    // the caller serves no call in the capture: there is no parent
	ID      How = "id"      // the call names the call that was served
	Alone   How = "alone"   // its caller served one call then, or one of its trace
	Likely  How = "likely"  // it fits the program and the gaps of this call best: the more calls are served at once, the less that says
	Unknown How = "unknown" // none, or several alike
)

// Certain reports whether it is a fact and not a guess.
func (h How) Certain() bool { return h == Root || h == ID || h == Alone }

// Parent is the call that made a call.
type Parent struct {
	Index int // among the calls; -1 of a root and of an unknown one
	How   How
}

// Ignored are ids that are not looked at, as though packets had none.
type Ignored int

const (
	Nothing Ignored = iota
	State           // ids of calls: traces are known
	IDs             // ids of traces too: time alone is known
)

// Options say what is known beside the calls.
type Options struct {
	Name     func(netip.Addr) string // of the process that alone has an address: cart, cart-2; "": its address. nil: all have their addresses
	Programs *Programs               // of another capture; nil is none
	Topology *topology.Graph         // whose nodes the processes are; nil is none
	Missing  int64                   // packets and bytes that the capture lacks: over 0 nothing is certain by time alone
	Ignore   Ignored
}

// Counts are the parents by the means that found them, and the calls that are odd.
type Counts struct {
	Root, ID, Alone, Likely, Unknown int
	Unended                          int // calls without an end
	Backwards                        int // that end before they begin: clocks disagree, and nothing is certain by time alone
	Lost                             int // whose ids name a call that is not there; their parents are unknown
}

// Parents finds the parent of each call. The calls are sorted by Asked, those of one moment in their order in the capture.
func Parents(calls []packets.Call, opt Options) ([]Parent, Counts) {
	w, known := certain(calls, &opt)
	w.guess(known)
	return w.parents()
}

// Learn adds what is certain of these calls to opt.Programs, and returns both; opt.Programs stays as it is.
func Learn(calls []packets.Call, opt Options) *Programs {
	_, known := certain(calls, &opt)
	return known
}

// certain finds what is certain, and what can be learnt of it.
func certain(calls []packets.Call, opt *Options) (*work, *Programs) {
	known := opt.Programs.clone()
	w := &work{book: newBook(calls, opt, known), opt: opt}
	w.certain()
	if opt.Topology != nil {
		known.expect(opt.Topology)
	}
	w.before = known.clone()
	w.facts(known)
	return w, known
}

// How often guesses are made of some calls of each server, each with what the one before has taught; and how much of what was known
// before counts then.
const (
	rounds   = 3
	some     = 4000
	ofBefore = 0.05
)

// guess finds the likeliest parents of the calls that are open. The gaps of a capture are those of its crowd, and some steps may have
// none: so they are learnt from guesses of its first calls.
func (w *work) guess(known *Programs) {
	if !slices.ContainsFunc(w.opens, func(n int32) bool { return n > 0 }) {
		return
	}
	w.quotas(known, w.before)
	learnt := w.before.clone()
	w.facts(learnt)
	learnt.settle()
	for range rounds {
		until := w.likeliest(learnt, whileLearning, some)
		learnt = w.before.clone()
		learnt.fade(ofBefore)
		w.facts(learnt)
		w.guesses(learnt, until)
		learnt.settle()
	}
	w.likeliest(learnt, afterwards, len(w.entries))
}

// likeliest goes through the calls of all servers that are open, of each up to a number. It returns when it ended.
func (w *work) likeliest(known *Programs, effort effort, most int) (until []int64) {
	until = make([]int64, len(w.servers))
	for s := range w.servers {
		if w.opens[s] > 0 {
			until[s] = w.likely(&w.servers[s], known, effort, most)
		}
	}
	return until
}

// parents are the answers.
func (w *work) parents() ([]Parent, Counts) {
	out, counts := make([]Parent, len(w.found)), Counts{Unended: w.unended, Backwards: w.backwards, Lost: w.lost}
	sure := w.opt.Missing == 0 && w.backwards == 0
	for i, f := range w.found {
		out[i] = Parent{int(f.parent), Unknown}
		switch {
		case f.state == root:
			out[i].How = Root
			counts.Root++
		case f.state == byID:
			out[i].How = ID
			counts.ID++
		case f.state == alone && sure:
			out[i].How = Alone
			counts.Alone++
		case f.parent != nobody:
			out[i].How = Likely
			counts.Likely++
		default:
			counts.Unknown++
		}
	}
	return out, counts
}
