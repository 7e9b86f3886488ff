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
	Name     func(netip.Addr) string // the service that alone has an address; "": its address. nil: all have their addresses
	Programs *Programs               // of another capture; nil is none
	Topology *topology.Graph         // whose nodes the services are; nil is none
	Missing  bool                    // the capture lacks packets: nothing is certain by time alone
	Ignore   Ignored
}

// Parents finds the parent of each call. The calls are sorted by Asked, those of one moment in their order in the capture. It also
// returns opt.Programs with what is certain of these calls added; opt.Programs stays as it is. Where a call ends before it begins,
// clocks disagree, and nothing is certain by time alone.
func Parents(calls []packets.Call, opt Options) ([]Parent, *Programs) {
	known := opt.Programs.clone()
	w := &work{book: newBook(calls, &opt, known)}
	w.certain()
	if opt.Topology != nil {
		known.expect(opt.Topology)
	}
	before := known.clone()
	w.facts(known)
	if slices.Contains(w.open, true) {
		w.guess(before, known)
	}
	if opt.Missing || w.backwards {
		for i := range w.found {
			if f := &w.found[i]; f.How == Alone {
				f.How = Likely
			}
		}
	}
	return w.found, known
}

// How often guesses are made of some calls of each server, each with what the one before has taught; and how much of what was known
// before counts then.
const (
	rounds   = 3
	some     = 4000
	ofBefore = 0.05
)

// guess finds the likeliest parents of the calls that are open. The gaps of a capture are those of its crowd, and some steps may have
// none: so they are learnt from guesses of its first calls. known has before and the facts of these calls.
func (w *work) guess(before, known *Programs) {
	w.quotas(known, before)
	before.fade(ofBefore)
	w.facts(before)
	learnt := before.clone()
	learnt.settle()
	for range rounds {
		until := w.likeliest(learnt, whileLearning, some)
		learnt = before.clone()
		w.guesses(learnt, until)
		learnt.settle()
	}
	w.likeliest(learnt, afterwards, len(w.entries))
}

// likeliest goes through the calls of all servers, of the open ones of each up to a number. It returns when it ended.
func (w *work) likeliest(known *Programs, effort effort, most int) (until []int64) {
	until = make([]int64, len(w.servers))
	for s := range w.servers {
		if w.servers[s].opens {
			until[s] = w.likely(&w.servers[s], known, effort, most)
		}
	}
	return until
}
