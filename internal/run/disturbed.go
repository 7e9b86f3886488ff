// Windows in which the machine was disturbed. They are judged by the CPU time that the host and programs outside the block
// took, never by the program under test: leaving windows out by that would choose the result. Waiting in a run queue is caused
// by one of these, or by the block itself, which is no disturbance. A disturbed window is left out together with those of the
// other variants in its round.

package run

import (
	"fmt"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/usage"
)

const (
	// disturbing is how far above the middle window others' share is in a disturbed one.
	disturbing = 0.2
	// leastRounds is the least number of rounds with a middle one.
	leastRounds = 3
	// leavable: at most one round in this many is left out.
	leavable = 5
)

// taken is CPU time in a stretch, seconds.
type taken struct {
	others float64 // used by others; may be slightly below zero, as the kernel's clock is coarse
	ours   float64 // by the block
	all    float64 // available
}

// share returns others' share of all time.
func (t taken) share() float64 { return part(t.others, t.all) }

// left returns others' share of the time that the block did not want.
func (t taken) left() float64 { return part(t.others, max(t.all-t.ours, t.others)) }

// part returns of/all, or 0 if all is 0.
func part(of, all float64) float64 {
	if all <= 0 {
		return 0
	}
	return of / all
}

// besides is others' use of the app's CPUs and of the harness's.
type besides struct{ app, harness taken }

// outside is others' use in the window of a run.
type outside struct {
	besides
	run int
}

// disturbed reports for each round of windows whether one of them was disturbed: on the app's CPUs or the harness's others had
// a much larger share than in the run's middle window, both of all time and of the time that the block left. For a program that
// works all the time one of the two stays alike, whether it wants a fixed share or all it can get: the other one follows the
// run's own work, which must not decide.
func disturbed(windows []outside, runs int) []bool {
	rounds := make([]bool, len(windows)/runs)
	if len(rounds) < leastRounds {
		return rounds
	}
	for run := range runs {
		for _, of := range []func(outside) taken{func(o outside) taken { return o.app }, func(o outside) taken { return o.harness }} {
			var shares, left []float64
			for _, o := range windows {
				if o.run == run {
					shares, left = append(shares, of(o).share()), append(left, of(o).left())
				}
			}
			share, usual := stats.Median(shares), stats.Median(left)
			for place, o := range windows {
				if o.run == run && of(o).share()-share > disturbing && of(o).left()-usual > disturbing {
					rounds[place/runs] = true
				}
			}
		}
	}
	return rounds
}

// outlook is a reading of a whole block at a moment.
type outlook struct {
	run    int // the run whose window ends
	stages []*stage
	busy   busy
	own    time.Duration
	used   []usage.Mark // by run
}

// lookAt reads the CPU time of all processes of a block, and the busy time of its CPUs.
func lookAt(stages []*stage) (outlook, error) {
	o := outlook{stages: stages, busy: stages[0].busy(), own: usage.Own()}
	for _, s := range stages {
		mark, err := s.meter.Glance(func(role.Role) bool { return true })
		if err != nil {
			return o, err
		}
		o.used, o.own = append(o.used, mark), o.own+s.launcher.KeeperCPU()
	}
	return o, nil
}

// since returns others' use from one reading to the next.
func (o outlook) since(before outlook) besides {
	var used usedBy
	for i, s := range o.stages {
		one := usedOf(s.meter.Between(before.used[i], o.used[i]))
		used.app, used.harness = used.app+one.app, used.harness+one.harness
	}
	return o.stages[0].besides(before.busy, o.busy, used, o.own-before.own)
}

// outside returns others' use in each window of the phase, by its place; nil without readings.
func (t turn) outside() []outside {
	if t.turns == nil {
		return nil
	}
	var out []outside
	for i := 1; i < len(t.seen); i++ {
		out = append(out, outside{t.seen[i].since(t.seen[i-1]), t.seen[i].run})
	}
	if t.pretend != nil {
		return t.pretend(out)
	}
	return out
}

// away returns a run's use in the windows of the others; nil without readings.
func (t turn) away() *record.Away {
	if t.turns == nil || len(t.seen) < 2 {
		return nil
	}
	var out record.Away
	for i := 1; i < len(t.seen); i++ {
		before, after := t.seen[i-1], t.seen[i]
		if after.run == t.run {
			continue
		}
		for _, u := range t.stages[t.run].meter.Between(before.used[t.run], after.used[t.run]) {
			if !u.Role.Harness() {
				out.CPUSeconds += u.CPUSeconds
			}
		}
		out.Seconds += after.busy.at.Sub(before.busy.at).Seconds()
	}
	return &out
}

// piece is one part of a window, with its effects until the run's next one began.
type piece struct {
	load         record.Load
	from, to     usage.Mark
	began, ended time.Time
	came         record.Counts // at the sink until its spans had come
	readying     []record.Usage
	readied      time.Duration
	loaded       time.Duration
}

// judge marks the disturbed windows. If there are some, and at most a fifth, it returns the work and usage of the others;
// otherwise nil: none is to be left out, or the whole block is disturbed.
func (w *window) judge(phase *record.Phase) (*record.Undisturbed, error) {
	if !w.mark() {
		return nil, nil
	}
	return w.without(phase)
}

// mark marks the disturbed windows, and reports whether there are some, and at most a fifth.
func (w *window) mark() bool {
	if len(w.pieces) == 0 {
		return false // it is in one piece
	}
	windows, runs := w.stage.turn.outside(), w.stage.turn.runs
	if len(windows) < runs*len(w.pieces) {
		return false // it is of a run by itself
	}
	bad := disturbed(windows, runs)
	for i := range w.pieces {
		own := windows[w.pieces[i].Place]
		w.pieces[i].Others = max(0, own.app.share(), own.harness.share())
		w.pieces[i].Disturbed = bad[w.pieces[i].Place/runs]
	}
	n := len(slices.DeleteFunc(slices.Clone(bad), func(b bool) bool { return !b }))
	return n > 0 && n <= len(bad)/leavable
}

// without returns the phase without its disturbed windows, each with its operations, its arrivals at the sink and the usage
// until the run's next window began. Usage before the first window stays, as part of the time in which others had the load.
func (w *window) without(phase *record.Phase) (*record.Undisturbed, error) {
	out := &record.Undisturbed{}
	if !w.unthrottled() { // otherwise the tracer's work for a piece may fall into a later one
		*out = record.Undisturbed{Sink: phase.Sink, Usage: slices.Clone(phase.Usage), PausedSeconds: phase.PausedSeconds, DrainSeconds: phase.DrainSeconds}
	}
	before := w.warm
	var kept []record.Load
	for i, p := range w.parts {
		came := p.came.Minus(before)
		before = p.came
		if !w.pieces[i].Disturbed {
			kept = append(kept, p.load)
			continue
		}
		if out.Usage == nil {
			continue
		}
		used := w.stage.between(p.from, p.to)
		off := (p.ended.Sub(p.began) - p.loaded - p.readied).Seconds()
		if i == len(w.parts)-1 {
			off -= phase.DrainSeconds
			out.DrainSeconds = 0
		}
		out.PausedSeconds = max(0, out.PausedSeconds-off)
		out.Sink = out.Sink.Minus(came)
		out.Usage = less(out.Usage, less(used, p.readying))
	}
	var err error
	if out.Load, err = record.Sum(kept...); err != nil {
		return nil, fmt.Errorf("adding up the undisturbed windows of operation %s: %w", phase.Operation, err)
	}
	return out, nil
}
