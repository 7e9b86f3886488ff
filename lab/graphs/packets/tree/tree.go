// Package tree owns the question which call made which: of calls that were read from packets, the parent of each, with the means by
// which it is known, and how often such answers are right. It is pure. It must not know how packets are read, nor what is made of
// the answers.
package tree

import (
	"net/netip"

	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// How says by which means a parent is known.
type How string

// The means. Root, ID and Alone are certain; nothing else is.
const (
	Root    How = "root"    // the caller serves no call in the capture: there is no parent
	ID      How = "id"      // the call names the call that was served
	Alone   How = "alone"   // its caller served one call then, or one of its trace
	Likely  How = "likely"  // it fits the program and the gaps of this call best
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
	Name     func(netip.Addr) string // of the process that alone has this address: cart, cart-2; "" is a stranger. nil: each server is its address
	Programs *Programs               // of another capture; nil is none
	Topology *topology.Graph         // whose nodes the processes are; nil is none
	Missing  int64                   // packets and bytes that the capture lacks: over 0 nothing is certain by time alone
	Ignore   Ignored
}

// Counts are how many parents are known by which means, and what is odd about the calls.
type Counts struct {
	Root, ID, Alone, Likely, Unknown int
	Unended                          int // calls without an end
	Backwards                        int // that end before they begin: clocks disagree, and nothing is certain by time alone
	Lost                             int // whose ids name a call that is not there; their parents are unknown
}

// Parents finds the parent of each call. The calls are sorted by Asked, those of one moment in their order in the capture.
func Parents(calls []packets.Call, opt Options) ([]Parent, Counts) {
	out := make([]Parent, len(calls))
	return out, Counts{}
}

// Programs are what methods do when they are called: the calls that they make, in order, and the gaps between their steps.
type Programs struct{}

// Learn adds to opt.Programs what is certain of these calls, and returns both; opt.Programs stays as it is.
func Learn(calls []packets.Call, parents []Parent, opt Options) *Programs { return &Programs{} }
