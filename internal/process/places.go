package process

// Which CPUs the app gets, and which the rest of the harness.

import (
	"math"
	"slices"
)

// Placement is who gets which CPUs.
type Placement struct {
	App     []int // nil where processes can't be bound
	Harness []int // everything else: load, sink, database, tracetax itself
	Shared  bool  // the app has no CPU to itself
}

// Places gives the app as many CPUs as its quota needs (at least one) and
// everything else the others, out of those that tracetax itself may use. Where
// there are enough, the other hardware threads of the app's cores stay empty.
// It has to be asked before Pin.
func Places(appCPUs float64) Placement {
	allowed, siblings := allowedCPUs()
	return place(allowed, siblings, appCPUs)
}

// place is Places for a known machine; siblings lists, for each CPU, the
// hardware threads of its core.
func place(allowed []int, siblings map[int][]int, appCPUs float64) Placement {
	if len(allowed) == 0 {
		return Placement{Shared: true}
	}
	if len(allowed) == 1 {
		return Placement{App: allowed, Harness: allowed, Shared: true}
	}
	n := min(max(1, int(math.Ceil(appCPUs))), len(allowed)-1)
	// From the end: the kernel and its interrupts like the first CPU best.
	byCore := coresFromEnd(allowed, siblings)
	app := slices.Clone(byCore[:n])
	rest := slices.Clone(byCore[n:])
	quiet := slices.DeleteFunc(slices.Clone(rest), func(cpu int) bool {
		return slices.ContainsFunc(siblings[cpu], func(s int) bool { return slices.Contains(app, s) })
	})
	if len(quiet) > 0 {
		rest = quiet
	}
	slices.Sort(app)
	slices.Sort(rest)
	return Placement{App: app, Harness: rest}
}

// coresFromEnd orders CPUs from the last, the threads of a core together.
func coresFromEnd(allowed []int, siblings map[int][]int) []int {
	var ordered []int
	for _, cpu := range slices.Backward(slices.Sorted(slices.Values(allowed))) {
		for _, s := range append([]int{cpu}, siblings[cpu]...) {
			if slices.Contains(allowed, s) && !slices.Contains(ordered, s) {
				ordered = append(ordered, s)
			}
		}
	}
	return ordered
}
