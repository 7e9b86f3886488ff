//go:build !otel

// What of a call's context its calls carry on, by PASS_TRACEPARENT. With "on" the header traceparent goes on as it came. With "call"
// each call has an id of its own in it, and tracestate names the id of the call that is served, as tt=ID: packets then tell which
// call made which.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// Names of headers, as gRPC and Thrift's carrier have them too.
const (
	parentHeader = "traceparent"
	stateHeader  = "tracestate"
)

// Places in a value of traceparent, 00-TRACE-ID-FLAGS.
const (
	idAt, idEnd    = 36, 52
	shortest       = 55
	mostEntries    = 32 // of tracestate, by W3C Trace Context
	stateKey       = "tt="
	hexadecimal    = "0123456789abcdef"
	parentSections = "00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-ff"
)

// passing is a part of traceparent that goes on.
type passing int

const (
	passNothing passing = iota
	passAsCame          // on
	passIDs             // call
)

// passes and badPassing are the value of PASS_TRACEPARENT, and what is wrong with it.
var passes, badPassing = passingOf(os.Getenv("PASS_TRACEPARENT"))

func passingOf(value string) (passing, error) {
	switch value {
	case "", "off":
		return passNothing, nil
	case "on":
		return passAsCame, nil
	case "call":
		return passIDs, nil
	}
	return passNothing, fmt.Errorf("PASS_TRACEPARENT is %q: "+
		"choose on (traceparent goes on as it came), call (each call has an id of its own) or off", value)
}

// passed holds the headers of a call while it is served.
type passed struct {
	parent string   // its traceparent
	states []string // its headers tracestate, which are one list
}

type passedKey struct{}

// withPassed keeps what a call came with, where it is passed on.
func (p passing) withPassed(ctx context.Context, parent string, states []string) context.Context {
	if p == passAsCame && parent != "" || p == passIDs && valid(parent) {
		return context.WithValue(ctx, passedKey{}, &passed{parent, states})
	}
	return ctx
}

// next returns the headers for the next call of a served call: "" is none.
func (p passing) next(ctx context.Context) (parent, state string) {
	of, _ := ctx.Value(passedKey{}).(*passed)
	if of == nil {
		return "", ""
	}
	if p != passIDs {
		return of.parent, ""
	}
	return withID(of.parent, newID()), stateOf(of.parent, of.states)
}

// newID is a number by chance, without a lock or a call of the kernel; 0 is no id.
func newID() uint64 {
	for {
		if id := rand.Uint64(); id != 0 {
			return id
		}
	}
}

// withID is a traceparent with another id.
func withID(parent string, id uint64) string {
	var room [shortest]byte
	out := append(room[:0], parent...)
	for i := idEnd - 1; i >= idAt; i-- {
		out[i] = hexadecimal[id&15]
		id >>= 4
	}
	return string(out)
}

// stateOf puts the id of the served call before the entries of others. Of more than W3C allows the last ones go.
func stateOf(parent string, states []string) string {
	out, entries := stateKey+parent[idAt:idEnd], 1
	for _, header := range states {
		for entry := range strings.SplitSeq(header, ",") {
			entry = strings.Trim(entry, " \t")
			if entry != "" && !strings.HasPrefix(entry, stateKey) && entries < mostEntries {
				out += "," + entry
				entries++
			}
		}
	}
	return out
}

// valid reports whether a traceparent has a trace and an id where they belong. A later version may be longer.
func valid(parent string) bool {
	if len(parent) < shortest || parent[:2] == "ff" {
		return false
	}
	if len(parent) > shortest && (parent[:2] == "00" || parent[shortest] != '-') {
		return false
	}
	for i := range shortest {
		if dash := parentSections[i] == '-'; dash != (parent[i] == '-') || !dash && strings.IndexByte(hexadecimal, parent[i]) < 0 {
			return false
		}
	}
	return strings.Trim(parent[3:35], "0") != "" && strings.Trim(parent[idAt:idEnd], "0") != ""
}
