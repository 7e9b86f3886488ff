// This file has the work that is done.

package noise

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
		for range 5000 { // four chains, so that the core's units are busy
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
