//go:build !linux

package process

// Placement where CPUs can't be chosen.

// allowedCPUs is not known, and nothing can be bound.
func allowedCPUs() ([]int, map[int][]int) { return nil, nil }

// Pin does nothing: CPUs can't be chosen here, as Placement says.
func Pin([]int) error { return nil }

const placementWithout = "none"
