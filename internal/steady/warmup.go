// How long a warm-up has to be: what the pilots that watched one come to.

package steady

import (
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// LeastWarmup is the shortest warm-up that is found.
const LeastWarmup = time.Second

// Watched is how long a pilot makes its load, to find a warm-up of at most so long: a
// third longer, so there is something that it can be steady over.
func Watched(most time.Duration) time.Duration { return most + most/3 }

// The figures that a warm-up is read from.
const (
	ofCPU  = "CPU per operation"
	ofTime = "time per operation"
)

// Warmup is what the pilot of a variant says of the warm-up of an operation.
type Warmup struct {
	Variant, Operation string

	Length time.Duration // of the warm-up; the most that it may be where Steady is false
	Steady bool
	Figure string  // the one that takes longest to get steady
	Drift  float64 // by which it still changed after that, relatively; 0 where it did not, or where it is not known
}

// Warmups returns what the good pilots of a history say, in its order, for a warm-up of at
// most so long.
func Warmups(history []record.Record, most time.Duration) []Warmup {
	var out []Warmup
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

// LongestWarmup is the pilot with the longest warm-up, which all variants and operations get; of
// equal ones the first that never got steady, or else the first. It is false where there
// are no pilots.
func LongestWarmup(pilots []Warmup) (Warmup, bool) {
	if len(pilots) == 0 {
		return Warmup{}, false
	}
	longest := pilots[0]
	for _, p := range pilots[1:] {
		if p.longer(longest) {
			longest = p
		}
	}
	return longest, true
}

func (p Warmup) longer(than Warmup) bool {
	if p.Length != than.Length {
		return p.Length > than.Length
	}
	return than.Steady && !p.Steady
}

// read reads the warm-up of one operation off its slices.
func read(progress []record.Slice, most time.Duration) Warmup {
	out, read := Warmup{Length: LeastWarmup, Steady: true, Figure: ofCPU}, false
	for _, figure := range []string{ofCPU, ofTime} {
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
		p := Warmup{Length: most, Steady: found.Steady, Figure: figure, Drift: found.Drift}
		if found.Steady {
			p.Length = LeastWarmup
			if found.From > 0 {
				p.Length = max(LeastWarmup, ends[found.From-1])
			}
		}
		if p.longer(out) {
			out = p
		}
	}
	if !read {
		return Warmup{Length: most, Figure: ofCPU}
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
		if figure == ofTime {
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
