// How narrow an interval can be expected to be, before anything was measured.

package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// HalfWidth is about half the width that the 95 % signed-rank interval of n
// paired differences will have, if the values of each variant vary from block to
// block with the given standard deviation (of their logarithms, so that 0.01 is
// 1 %) and are near normal. It is the half-width of Student's interval at the
// confidence that the signed-rank interval achieves with n differences. It is
// infinite where n is too small for an interval.
func HalfWidth(n int, deviation float64) float64 {
	e := SignedRank(make([]float64, n), 0.95)
	if !e.Bounded {
		return math.Inf(1)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.5 + e.Confidence/2)
	return t * deviation * math.Sqrt2 / math.Sqrt(float64(n))
}
