// How many variants have room in memory at the same time, by what each used before the first block.

package experiment

import (
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// Room that is left for what a program holds under load, times what it held when it was seen.
const (
	roomAfterCalibration = 2.0 // in which it made few operations
	roomAfterPilot       = 1.25
)

// fit is how many variants can live at the same time, the baseline among them, whichever the others are: 0 is all of them, or
// that it is not known, and 1 that they are run one after the other.
func (l *Loop) fit(history []record.Record) int {
	if l.Memory == 0 || !l.Experiment.Design.Order.Together() {
		return 0
	}
	needs := make([]float64, len(l.Cells))
	for i, c := range l.Cells {
		needs[i] = needed(history, c.Variant.Name)
	}
	most := slices.Max(needs)
	for i := range needs {
		if needs[i] == 0 { // nobody has seen it: the others are no smaller for all that is known
			needs[i] = most
		}
	}
	baseline, others := needs[0], needs[1:]
	slices.Sort(others)
	sum, fits := baseline, 1
	for _, need := range slices.Backward(others) {
		if sum += need; sum > float64(l.Memory) {
			return fits
		}
		fits++
	}
	return 0
}

// needed is what the processes of a variant are taken to need, in bytes: the most that they held in a run before the
// first block, and some room; 0 is not known.
func needed(history []record.Record, variant string) float64 {
	most := 0.0
	for i := range history {
		r := &history[i]
		room := roomAfterPilot
		switch {
		case r.Variant != variant || r.Failed() || r.Kind == record.Measured:
			continue
		case r.Kind == record.Calibration:
			room = roomAfterCalibration
		}
		sum := 0.0
		for _, m := range r.Memory {
			sum += room * float64(m.Peak)
		}
		most = max(most, sum)
	}
	return most
}
