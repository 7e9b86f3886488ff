// How much work on one CPU slows work on another: what they share (a core, a cache, the memory, the host) cannot be kept
// apart by binding programs to CPUs.

package machine

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/tracetax/tracetax/internal/stats"
)

// Slowdown is how much longer a fixed piece of work takes on one CPU while another
// CPU does the same kind of work. Ratios less 1: 0.1 is a tenth longer.
type Slowdown struct {
	Work   string  `json:"work"`          // "arithmetic" or "memory"
	CPU    Change  `json:"cpu"`           // in CPU time of the thread: what is charged to a program
	Wall   Change  `json:"wall"`          // in time that passed: the thread was also kept from its CPU
	Rounds int     `json:"rounds"`        // alone and beside, each
	Alone  float64 `json:"alone_seconds"` // CPU time of the work, alone
}

// Change is a relative change with its 95 % interval.
type Change struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// NoiseOptions of a measurement. The zero value of a field is its default.
type NoiseOptions struct {
	CPU, Other int           // where the work and its neighbour are done
	Rounds     int           // alone and beside, each; 10
	Length     time.Duration // of the work, alone; 30 ms
}

// MeasureNoise does the work alone and beside a busy neighbour, in turn, for each kind
// of work. It takes about 4 × Rounds × Length, and more where the machine is busy.
func MeasureNoise(ctx context.Context, o NoiseOptions) ([]Slowdown, error) {
	if o.Rounds == 0 {
		o.Rounds = 10
	}
	if o.Length == 0 {
		o.Length = 30 * time.Millisecond
	}
	if o.CPU == o.Other {
		return nil, fmt.Errorf("measuring what CPUs do to each other: there is only CPU %d", o.CPU)
	}
	var out []Slowdown
	for _, kind := range kinds {
		samples, err := measure(ctx, o, kind)
		if err != nil {
			return nil, fmt.Errorf("measuring what work on CPU %d does to CPU %d: %w", o.Other, o.CPU, err)
		}
		one, err := slowdown(kind.name, samples)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// taken is the cost of one piece of work.
type taken struct{ cpu, wall time.Duration }

// round is the work alone and beside a neighbour, one shortly after the other.
type round struct{ alone, beside taken }

// slowdown makes the estimate of the rounds.
func slowdown(work string, rounds []round) (Slowdown, error) {
	s := Slowdown{Work: work, Rounds: len(rounds)}
	var alone []float64
	for _, r := range rounds {
		alone = append(alone, r.alone.cpu.Seconds())
	}
	s.Alone = stats.Center(alone)
	var err error
	if s.CPU, err = change(rounds, func(t taken) time.Duration { return t.cpu }); err != nil {
		return s, err
	}
	s.Wall, err = change(rounds, func(t taken) time.Duration { return t.wall })
	return s, err
}

func change(rounds []round, of func(taken) time.Duration) (Change, error) {
	var alone, beside []float64
	for _, r := range rounds {
		alone, beside = append(alone, of(r.alone).Seconds()), append(beside, of(r.beside).Seconds())
	}
	logs, err := stats.LogRatios(alone, beside)
	if err != nil {
		return Change{}, fmt.Errorf("comparing the work alone and beside another: %w", err)
	}
	e := stats.SignedRank(logs, 0.95)
	if !e.Bounded {
		return Change{Estimate: math.Expm1(e.Center), Low: math.Inf(-1), High: math.Inf(1)}, nil
	}
	return Change{Estimate: math.Expm1(e.Center), Low: math.Expm1(e.Low), High: math.Expm1(e.High)}, nil
}

// This file has the work that is done.

// kind is a kind of work: make returns a piece of it, which is done over and over.
type kind struct {
	name string
	make func() func()
}

// kinds are the two ends of what programs do: a piece is some tens of µs.
var kinds = []kind{{"arithmetic", arithmetic}, {"memory", memory}}

// arithmetic stays in registers: it is slowed by what shares the core.
func arithmetic() func() {
	state := uint64(1)
	return func() {
		x, y, z, w := state, state+1, state+2, state+3
		for range 5000 { // four chains, so the core's units are busy
			x = x*6364136223846793005 + 1442695040888963407
			y = y*6364136223846793005 + 1442695040888963407
			z ^= z<<13 ^ x>>7
			w += w<<7 ^ y>>9
		}
		state = x ^ y ^ z ^ w
	}
}

// walked is the size of what memory walks over: more than a core's own cache.
const walked = 16 << 20

// memory jumps about in more than a core's own cache holds, and where to depends on
// what was read: it is slowed by what shares the last cache, the memory and the way
// there.
func memory() func() {
	values := make([]uint32, walked/4)
	for i := range values {
		values[i] = uint32(i)
	}
	const bits = 22 // of an index: 2²² values of 4 bytes
	at := uint32(1)
	return func() {
		for range 1000 {
			at = at*1664525 + 1013904223 + values[at>>(32-bits)]
		}
	}
}
