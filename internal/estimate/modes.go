package estimate

import (
	"math"

	"github.com/tracetax/tracetax/internal/stats"
)

// ModeShare is the share of the larger mode by which modes must differ to matter.
const ModeShare = 0.01

// Apart reports whether modes differ by more than a share of the larger, and by more than
// matters, also where the other side is zero and there is no ratio to judge them by.
func Apart(modes []stats.Mode, share, matters float64) bool {
	if len(modes) < 2 {
		return false
	}
	least, most := modes[0].Center, modes[len(modes)-1].Center
	return most-least > math.Max(matters, share*math.Max(math.Abs(least), math.Abs(most)))
}
