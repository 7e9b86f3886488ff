// Package warmup owns the question how long a warm-up has to be: what the pilots that
// watched one come to. It is pure, beside record and stats: the same records give the same
// answer. It does not know how a pilot is made, nor what follows from the answer.
package warmup

import (
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// Least is the shortest warm-up that is found.
const Least = time.Second

// Watched is how long a pilot makes its load, to find a warm-up of at most so long: a
// third longer, so there is something that it can be steady over.
func Watched(most time.Duration) time.Duration { return most + most/3 }

// Figures that a warm-up is read from.
const (
	CPU  = "CPU per operation"
	Time = "time per operation"
)

// Pilot is what the pilot of a variant says of an operation.
type Pilot struct {
	Variant, Operation string

	Length time.Duration // of the warm-up; the most that it may be where Steady is false
	Steady bool
	Figure string  // the one that takes longest to get steady
	Drift  float64 // by which it still changed after that, relatively; 0 where it did not, or where it is not known
}

// Pilots returns what the good pilots of a history say, in its order, for a warm-up of at
// most so long.
func Pilots(history []record.Record, most time.Duration) []Pilot {
	var out []Pilot
	for i := range history {
		r := &history[i]
		if r.Kind != record.Pilot || r.Purpose != record.ForWarmup || r.Failed() {
			continue
		}
		for j := range r.Phases {
			p := read(r.Phases[j].Progress, most)
			p.Variant, p.Operation = r.Variant, r.Phases[j].Operation
			out = append(out, p)
		}
	}
	return out
}

// Longest is the pilot with the longest warm-up, which all variants and operations get; of
// equal ones the first that never got steady, or else the first. It is false where there
// are no pilots.
func Longest(pilots []Pilot) (Pilot, bool) {
	if len(pilots) == 0 {
		return Pilot{}, false
	}
	longest := pilots[0]
	for _, p := range pilots[1:] {
		if p.longer(longest) {
			longest = p
		}
	}
	return longest, true
}

func (p Pilot) longer(than Pilot) bool {
	if p.Length != than.Length {
		return p.Length > than.Length
	}
	return than.Steady && !p.Steady
}

// read reads the warm-up of one operation off its slices.
func read(progress []record.Slice, most time.Duration) Pilot {
	out, read := Pilot{Length: Least, Steady: true, Figure: CPU}, false
	for _, figure := range []string{CPU, Time} {
		values, ends := series(progress, figure)
		if values == nil {
			continue // the time in an open loop, or the CPU where nothing reads it
		}
		read = true
		cuts := 0
		for cuts < len(ends) && ends[cuts] <= most {
			cuts++
		}
		found := stats.SteadyFrom(values, cuts)
		p := Pilot{Length: most, Steady: found.Steady, Figure: figure, Drift: found.Drift}
		if found.Steady {
			p.Length = Least
			if found.From > 0 {
				p.Length = max(Least, ends[found.From-1])
			}
		}
		if p.longer(out) {
			out = p
		}
	}
	if !read {
		return Pilot{Length: most, Figure: CPU}
	}
	return out
}

// series is a figure over the slices, and how long the load was made until the end of
// each. A slice in which no operation was completed is one with the next. It is nil where the
// figure was not read.
func series(progress []record.Slice, figure string) (values []float64, ends []time.Duration) {
	var open record.Slice
	var asked, all float64
	for _, s := range progress {
		asked += s.AskedSeconds
		open.Operations += s.Operations
		open.CPUSeconds += s.CPUSeconds
		open.TimeSeconds += s.TimeSeconds
		if open.Operations == 0 {
			continue
		}
		value := open.CPUSeconds
		if figure == Time {
			value = open.TimeSeconds
		}
		all += value
		values = append(values, value/float64(open.Operations))
		ends = append(ends, time.Duration(asked*float64(time.Second)))
		open = record.Slice{}
	}
	if all == 0 {
		return nil, nil
	}
	return values, ends
}
