package ring

import (
	"crypto/rand"
	"encoding/binary"
)

// ids are numbers of 64 bits that look random. No two are alike: a number is a one-to-one function of a counter.
type ids struct {
	counter uint64
	trace   uint64 // the first half of each trace's id
}

func newIDs() ids {
	var seed [16]byte
	_, _ = rand.Read(seed[:]) // it never fails: it ends the program instead
	return ids{binary.LittleEndian.Uint64(seed[:]), binary.LittleEndian.Uint64(seed[8:]) | 1}
}

// next returns a number that is not 0.
func (i *ids) next() uint64 {
	for {
		i.counter += 0x9e3779b97f4a7c15 // odd: it comes round after 2⁶⁴ steps
		x := i.counter
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9 // the finalizer of SplitMix64 (Steele, Lea, Flood, 2014)
		x = (x ^ x>>27) * 0x94d049bb133111eb
		if x ^= x >> 31; x != 0 {
			return x
		}
	}
}
