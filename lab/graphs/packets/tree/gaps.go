package tree

import (
	"math"
	"math/bits"
)

// Gaps are counted in steps of half an octave, from a µs to half a minute.
const (
	lowestBit = 10 // 2^10 ns
	steps     = 52
)

// gaps counts how long it takes from one step of a program to the next.
type gaps struct {
	counts [steps]float32
	all    float32
}

// step is the place of a gap in ns.
func step(gap int64) int {
	if gap < 1<<lowestBit {
		return 0
	}
	octave := bits.Len64(uint64(gap)) - 1
	half := int(uint64(gap)>>(octave-1)) & 1
	return min(2*(octave-lowestBit)+half+1, steps-1)
}

// width is the length of a step in ns.
func width(step int) float64 {
	if step == 0 {
		return 1 << lowestBit
	}
	return math.Ldexp(1, lowestBit+(step-1)/2-1)
}

func (g *gaps) add(gap int64, weight float32) {
	g.counts[step(gap)] += weight
	g.all += weight
}

// fade leaves a part of the counts.
func (g *gaps) fade(part float32) {
	g.all *= part
	for i := range g.counts {
		g.counts[i] *= part
	}
}

// Of few gaps each stands for those beside it too, and a part of all for any gap at all.
const (
	besideShare = 0.2
	anyGaps     = 1.0
)

// density is the logarithm of the density of a gap, per ns, by step.
type density [steps]float32

func (g *gaps) density() *density {
	if g.all == 0 {
		return unknown
	}
	var out density
	for i := range out {
		n := (1 - 2*besideShare) * float64(g.counts[i])
		if i > 0 {
			n += besideShare * float64(g.counts[i-1])
		}
		if i < steps-1 {
			n += besideShare * float64(g.counts[i+1])
		}
		out[i] = float32(math.Log((n+anyGaps/steps)/(float64(g.all)+anyGaps)) - math.Log(width(i)))
	}
	return &out
}

// unknown is the density of a gap while none was seen: longer ones are likelier, and the call that waits longest goes on first.
var unknown = func() *density {
	var out density
	for i := range out {
		out[i] = float32(math.Log(width(i))) - 30
	}
	return &out
}()
