package derive

import (
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

const (
	// disturbing is how far above the middle window others' share is in a disturbed one.
	disturbing = 0.2
	// leastRounds is the least number of rounds with a middle one.
	leastRounds = 3
	// leavable: at most one round in this many is left out.
	leavable = 5
)

// Block is what was read of all runs of a block in the windows of a phase.
type Block struct {
	CPUs CPUs
	Logs []readings.Log  // by run
	Seen []readings.Look // before the first window, and after each
}

// Outside is others' use in the window of a run.
type Outside struct {
	Besides
	Run int
}

// Outside returns others' use in each window, by its place; nil without readings.
func (b Block) Outside() []Outside {
	var out []Outside
	for i := 1; i < len(b.Seen); i++ {
		before, after := b.Seen[i-1], b.Seen[i]
		var used Used
		for run, log := range b.Logs {
			used = used.And(UsedOf(log.Between(before.Used[run], after.Used[run])))
		}
		out = append(out, Outside{b.CPUs.Besides(before.Busy, after.Busy, used, after.Own-before.Own), after.Run})
	}
	return out
}

// Away returns a run's use in the windows of the others; nil without readings.
func (b Block) Away(run int) *record.Away {
	if len(b.Seen) < 2 {
		return nil
	}
	var out record.Away
	for i := 1; i < len(b.Seen); i++ {
		before, after := b.Seen[i-1], b.Seen[i]
		if after.Run == run {
			continue
		}
		out.CPUSeconds += charged(b.Logs[run].Between(before.Used[run], after.Used[run]))
		out.Seconds += after.Busy.At.Sub(before.Busy.At).Seconds()
	}
	return &out
}

// charged returns the CPU seconds of all processes except the harness.
func charged(used []record.Usage) float64 {
	var sum float64
	for _, u := range used {
		if !u.Role.Harness() {
			sum += u.CPUSeconds
		}
	}
	return sum
}

// disturbed reports for each round of windows whether one of them was disturbed: on the app's CPUs or the harness's others had
// a much larger share than in the run's middle window, both of all time and of the time that the block left. For a program that
// works all the time one of the two stays alike, whether it wants a fixed share or all it can get: the other one follows the
// run's own work, which must not decide.
//
// Windows are judged by the CPU time that the host and programs outside the block took, never by the program under test:
// leaving windows out by that would choose the result. Waiting in a run queue is caused by one of these, or by the block
// itself, which is no disturbance.
func disturbed(windows []Outside, runs int) []bool {
	rounds := make([]bool, len(windows)/runs)
	if len(rounds) < leastRounds {
		return rounds
	}
	for run := range runs {
		for _, of := range []func(Outside) Taken{func(o Outside) Taken { return o.App }, func(o Outside) Taken { return o.Harness }} {
			var shares, left []float64
			for _, o := range windows {
				if o.Run == run {
					shares, left = append(shares, of(o).share()), append(left, of(o).left())
				}
			}
			share, usual := stats.Median(shares), stats.Median(left)
			for place, o := range windows {
				if o.Run == run && of(o).share()-share > disturbing && of(o).left()-usual > disturbing {
					rounds[place/runs] = true
				}
			}
		}
	}
	return rounds
}
