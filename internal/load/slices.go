// Loads that share the time in slices of a few milliseconds.
//
// Programs whose operations come between each other's find the CPU's caches full of the others' code and data. That makes each of
// them dearer, but not alike: two programs of one binary keep its code warm for each other, and a larger program has more to
// fetch again. In slices each program makes all the operations of a period one after the other, at a rate that is higher by
// the number of loads, while the others have none. Over a period every load has its own rate: what collects data over time,
// as an exporter of spans does, works as it would with the load spread out.

package load

import (
	"math/rand/v2"
	"time"
)

// Slices places a load among others that share the time with it. Generators of one machine agree by its clock, those of several
// machines by the clock of the process that spreads tasks over them.
type Slices struct {
	Of     int           `json:"of"`              // loads, from 2
	Place  int           `json:"place"`           // of this one, from 0
	Length time.Duration `json:"length"`          // ns, of a slice on average
	First  int64         `json:"first,omitempty"` // the period in which the load begins, counted by the clock; the generator sets it, or Spread
}

// period is the time in which each load has one slice.
func (s Slices) period() time.Duration { return time.Duration(s.Of) * s.Length }

// Begin returns the beginning of the first period that starts at a time or later, and the slices as of then.
func (s Slices) Begin(earliest time.Time) (time.Time, Slices) {
	period := int64(s.period())
	now := earliest.UnixNano()
	s.First = (now + period - 1) / period
	return earliest.Add(time.Duration(s.First*period - now)), s
}

// moment returns the start of an operation that would start at a time if the load were spread out: both in ns since the load's
// beginning.
func (s Slices) moment(at float64) float64 {
	period := float64(s.period())
	number := int64(at / period)
	slice := number*int64(s.Of) + s.turn(number)
	from, to := s.edge(slice), s.edge(slice+1)
	return from + (at/period-float64(number))*(to-from)
}

// turn returns the index of this load's slice in a period, from 0. Each period has a random order, the same for all loads: in a
// fixed one, an event once a period, or once in several, would always meet the same load.
func (s Slices) turn(period int64) (turn int64) {
	number := uint64(s.First + period)
	own := drawn(number, uint64(s.Place))
	for other := range s.Of {
		if drawn(number, uint64(other)) < own {
			turn++
		}
	}
	return turn
}

// drawn returns a random number of a load in a period.
func drawn(period, place uint64) uint64 {
	var p rand.PCG
	p.Seed(period, place+1)
	return p.Uint64()
}

// shift is the largest shift of a slice's edges, as a share of its length: slices must not keep step with a timer.
const shift = 0.2

// edge returns the begin of a slice, in ns since the load's beginning. All loads have the same edges.
func (s Slices) edge(slice int64) float64 {
	of := uint64(s.First*int64(s.Of) + slice)
	moved := shift * (2*rand.New(rand.NewPCG(of, 0)).Float64() - 1)
	return (float64(slice) + moved) * float64(s.Length)
}
