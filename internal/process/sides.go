package process

// Two sides of a machine, for two runs at the same time.

import (
	"fmt"
	"slices"
)

// Sides splits CPUs into two sides of the same size, the hardware threads of a
// core on the same side where that is possible. No CPUs are all that tracetax
// may use.
func Sides(cpus []int) (a, b []int, err error) {
	allowed, siblings := allowedCPUs()
	if len(cpus) == 0 {
		cpus = allowed
	}
	return sides(cpus, siblings)
}

func sides(cpus []int, siblings map[int][]int) (a, b []int, err error) {
	if len(cpus) < 2 {
		return nil, nil, fmt.Errorf("two sides need two CPUs, and there is %d: do without the duet", len(cpus))
	}
	ordered := coresFromEnd(cpus, siblings)
	half := len(ordered) / 2
	// Where a half would cut a core in two, smaller sides may not.
	for n := half; n > 0; n-- {
		a, b = ordered[:n], ordered[len(ordered)-n:]
		if !shareCore(a, b, siblings) {
			break
		}
	}
	if shareCore(a, b, siblings) {
		a, b = ordered[:half], ordered[len(ordered)-half:]
	}
	return slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)), nil
}

func shareCore(a, b []int, siblings map[int][]int) bool {
	return slices.ContainsFunc(a, func(cpu int) bool {
		return slices.ContainsFunc(siblings[cpu], func(s int) bool { return slices.Contains(b, s) })
	})
}
