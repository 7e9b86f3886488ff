// This file checks whether processes wait without sleeping.

package warn

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
)

// The thresholds of spinning.
const (
	spinShare = 5.0    // involuntary context switches over voluntary ones
	spinRate  = 2000.0 // involuntary ones a second; a program that only computes is preempted some hundred times
)

// findSpinning looks for processes that yield their CPU over and over while they have nothing to do: that counts as CPU
// used, and what tracing adds disappears in it. Searches go to where nothing waits.
func (s *looker) findSpinning() []hit {
	return s.perCell(spinShare, func(p *dataset.Phase) float64 {
		worst := 0.0
		if p.Capacity != nil {
			return 0
		}
		for _, u := range p.Usage {
			rate, known := dataset.Over(float64(u.Involuntary), u.Seconds)
			if !known || rate <= spinRate || u.Role.Harness() {
				continue
			}
			worst = max(worst, float64(u.Involuntary)/max(1, float64(u.ContextSwitches)-float64(u.Involuntary)))
		}
		return worst
	}, func(worst float64) string {
		return fmt.Sprintf("up to %.0f times as many involuntary as voluntary context switches: part of the CPU is waiting", worst)
	})
}
