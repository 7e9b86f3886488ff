//go:build amd64 || arm64

package ring

// hasTicks: this build can read the processor's counter. On arm64 that is untried.
const hasTicks = true

// ticks reads the processor's counter, not before what precedes it.
func ticks() uint64
