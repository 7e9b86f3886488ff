package load

import (
	"testing"
	"time"
)

// Three loads that began at slightly different moments never have an operation in the same slice, make all of their operations,
// and make them in bunches; a load as a whole has its rate, period by period.
func TestSlicesAreApart(t *testing.T) {
	const of, length, rate = 3, 20 * time.Millisecond, 1000.0
	ready := time.Unix(1_700_000_000, 123_456_789)
	owner := map[int64]int{} // by edge: who had the slice
	for place := range of {
		began, slices := Slices{Of: of, Place: place, Length: length}.Begin(ready.Add(time.Duration(place) * time.Millisecond))
		if wait := began.Sub(ready); wait < 0 || wait > of*length+3*time.Millisecond {
			t.Errorf("load %d begins %v after it is ready; want at most a period", place, wait)
		}
		as := all(newSchedule(Task{Operations: make([]Request, 1), Rate: rate, Duration: 3 * time.Second, Seed: 5, Own: uint64(place), Slices: &slices}.WithDefaults()).next)
		if len(as) != 3000 {
			t.Fatalf("load %d: %d operations, want 3000", place, len(as))
		}
		periods := map[int64]int{}
		last := time.Duration(-1)
		for _, a := range as {
			if a.At < last {
				t.Fatalf("load %d: an operation at %v comes after one at %v", place, a.At, last)
			}
			last = a.At
			slice := sliceAt(slices, float64(a.At))
			periods[slice/of]++
			slice += slices.First * of // numbered by the clock
			if other, taken := owner[slice]; taken && other != place {
				t.Fatalf("slice %d has operations of loads %d and %d", slice, other, place)
			}
			owner[slice] = place
		}
		for number, n := range periods {
			if n != 60 {
				t.Errorf("load %d: %d operations in period %d, want 60", place, n, number)
			}
		}
	}
}

// Each load has each turn in a third of the periods, and follows itself in as many as chance has it: nothing that comes once in
// some periods meets the same load each time.
func TestSlicesTakeTurnsAtRandom(t *testing.T) {
	const of, periods = 3, 3000
	for place := range of {
		s := Slices{Of: of, Place: place, Length: 20 * time.Millisecond, First: 4_000_000_000}
		var turns, pairs [of]int
		for period := range int64(periods) {
			turns[s.turn(period)]++
			pairs[(s.turn(period+1)-s.turn(period)+of)%of]++
		}
		for i := range of {
			if turns[i] < 900 || turns[i] > 1100 || pairs[i] < 900 || pairs[i] > 1100 {
				t.Errorf("load %d: turns %v of %d periods, and %v steps to the next one; want about 1000 each", place, turns, periods, pairs)
			}
		}
	}
}

// sliceAt finds the slice of a time by its edges.
func sliceAt(s Slices, at float64) int64 {
	slice := int64(at/float64(s.Length)) - 2
	for s.edge(slice+1) <= at {
		slice++
	}
	return slice
}

// The edges are no multiples of anything: their distances from a grid of 4 ms, a kernel's tick, are spread over all of it.
func TestSlicesKeepNoStep(t *testing.T) {
	const tick = float64(4 * time.Millisecond)
	s := Slices{Of: 2, Length: 20 * time.Millisecond, First: 4_000_000_000}
	var quarters [4]int
	for slice := range int64(4000) {
		at := s.edge(slice) + tick*1000
		within := at - tick*float64(int64(at/tick))
		quarters[int(4*within/tick)]++
	}
	for i, n := range quarters {
		if n < 850 || n > 1150 {
			t.Errorf("quarter %d of a tick has %d of 4000 edges, want about 1000", i, n)
		}
	}
}
