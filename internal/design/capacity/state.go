package capacity

// What a search says next: a probe, or its end.

import "github.com/tracetax/tracetax/internal/record"

// state is where a search stands: a probe to make, or an outcome.
type state struct {
	purpose string // "" where the search has ended
	rate    float64

	outcome record.Outcome
	found   float64 // the rate, where outcome is Found
	note    string
}

func probe(purpose string, rate float64) state { return state{purpose: purpose, rate: rate} }

func end(outcome record.Outcome, note string) state { return state{outcome: outcome, note: note} }
