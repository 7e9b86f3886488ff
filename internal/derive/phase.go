package derive

import (
	"fmt"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
)

// Moment is a reading of a run's processes.
type Moment struct {
	At   time.Time
	Mark readings.Mark
}

// Phase has the readings of a phase: of one window, or of windows in turn with those of the other runs of the block.
type Phase struct {
	Log         readings.Log
	Operation   string
	InTurns     bool // in windows in turn
	Sliced      bool // the operations begin later, with the run's slice
	Unthrottled bool // the program makes its operations as fast as it can

	Begun   Moment        // before anything of it
	Warm    record.Counts // at the sink then
	Parts   []Window
	Sampled time.Time     // the last sample of memory, right after the last operations
	Ended   Moment        // all its spans have come
	Drained record.Counts // at the sink then
}

// Window has the readings of one window.
type Window struct {
	Place         int    // among those of all runs
	Before, Ready Moment // around preparing and collecting, if the program itself does it
	Start, End    Moment // around its operations; a phase of one window has no mark at the end
	After         Moment // the run's next window begins; Ended for the last one
	Load          record.Load
	Came          record.Counts // at the sink when its spans had come
	Beside        float64       // CPU seconds of the other runs' programs on the app's CPUs meanwhile
}

// loaded returns the duration of a window's operations.
func (w Phase) loaded(p Window) time.Duration {
	if w.Sliced {
		return time.Duration(p.Load.WallSeconds * float64(time.Second))
	}
	return p.End.At.Sub(p.Start.At)
}

// prepared returns the use of a window's preparation, and its duration; nothing if the program did not do it.
func (w Phase) prepared(p Window) ([]record.Usage, time.Duration) {
	if p.Ready.Mark == nil {
		return nil, 0
	}
	return w.Log.Between(p.Before.Mark, p.Ready.Mark), p.Ready.At.Sub(p.Before.At)
}

// preparing adds up prepared.
func (w Phase) preparing() (used []record.Usage, took time.Duration) {
	for _, p := range w.Parts {
		one, of := w.prepared(p)
		used, took = readings.Add(used, one), took+of
	}
	return used, took
}

// Stretches returns the times of the operations, the last one with the sample of memory that ends it.
func (w Phase) Stretches() []readings.Stretch {
	out := make([]readings.Stretch, len(w.Parts))
	for i, p := range w.Parts {
		out[i] = readings.Stretch{From: p.Start.At, To: p.End.At}
	}
	if len(out) > 0 && !w.Sampled.IsZero() {
		out[len(out)-1].To = w.Sampled
	}
	return out
}

// Loads returns the loads of the windows.
func (w Phase) Loads() []record.Load {
	var out []record.Load
	for _, p := range w.Parts {
		out = append(out, p.Load)
	}
	return out
}

// Load adds up the loads of the windows, with their durations, which takes CPU.
func (w Phase) Load() (record.Load, error) { return w.sum("", w.Loads()) }

func (w Phase) sum(which string, loads []record.Load) (record.Load, error) {
	sum, err := record.Sum(loads...)
	if err != nil {
		err = fmt.Errorf("adding up the %swindows of operation %s: %w", which, w.Operation, err)
	}
	return sum, err
}

// Whole returns the usage from the beginning to the end, preparing included, with the memory under load only: a drain's length
// differs between tracers, and memory differs while a program has no load.
func (w Phase) Whole() []record.Usage {
	used := w.Log.Between(w.Begun.Mark, w.Ended.Mark)
	for i, held := range w.Log.Held(w.Stretches()...) {
		used[i].MemoryMean, used[i].MemoryPeak = held.Mean, held.Peak
	}
	return used
}

// Used returns the usage of the operations from the beginning to a moment, without preparing.
func (w Phase) Used(until Moment) []record.Usage {
	preparing, _ := w.preparing()
	return readings.Less(w.Log.Between(w.Begun.Mark, until.Mark), preparing)
}

// Into derives the figures of a measured phase, all but Load and what the drain's driver knows.
func (w Phase) Into(phase *record.Phase) {
	preparing, took := w.preparing()
	last := w.Parts[len(w.Parts)-1].End.At
	var loaded time.Duration
	for _, p := range w.Parts {
		loaded += w.loaded(p)
	}
	phase.Sink = w.Drained.Minus(w.Warm)
	phase.Usage = readings.Less(w.Whole(), preparing)
	phase.DrainSeconds = w.Ended.At.Sub(last).Seconds()
	phase.PausedSeconds = max(0, (last.Sub(w.Begun.At) - loaded - took).Seconds())
}

// Windows returns the windows with others' use, by its place in the block, and whether disturbed ones can be left out: there are
// some, and at most a fifth. A disturbed window is left out together with those of the other variants in its round. Nil for a
// phase of one window.
func (w Phase) Windows(outside []Outside, runs int) (windows []record.Window, leave bool) {
	if !w.InTurns {
		return nil, false
	}
	for _, p := range w.Parts {
		windows = append(windows, record.Window{
			Place: p.Place, StartSeconds: p.Start.At.Sub(w.Begun.At).Seconds(), WallSeconds: p.Load.WallSeconds, Operations: p.Load.Completed,
			CPUSeconds: charged(w.Log.Between(p.Start.Mark, p.End.Mark)), Beside: p.Beside,
		})
	}
	if len(windows) == 0 || len(outside) < runs*len(windows) {
		return windows, false // the run is by itself
	}
	bad := disturbed(outside, runs)
	for i := range windows {
		own := outside[windows[i].Place]
		windows[i].Others, windows[i].Disturbed = own.Share(), bad[windows[i].Place/runs]
	}
	n := len(slices.DeleteFunc(slices.Clone(bad), func(b bool) bool { return !b }))
	return windows, n > 0 && n <= len(bad)/leavable
}

// Kept adds up the loads of the undisturbed windows.
func (w Phase) Kept(windows []record.Window) (record.Load, error) {
	var kept []record.Load
	for i, p := range w.Parts {
		if !windows[i].Disturbed {
			kept = append(kept, p.Load)
		}
	}
	return w.sum("undisturbed ", kept)
}

// Without returns the phase without its disturbed windows, each with its operations, its arrivals at the sink and the usage
// until the run's next window began. Usage before the first window stays, as part of the time in which others had the load. Of
// an unthrottled program the load alone is left: the tracer's work for a window may fall into a later one.
func (w Phase) Without(phase *record.Phase) (*record.Undisturbed, error) {
	load, err := w.Kept(phase.Windows)
	if err != nil || w.Unthrottled {
		return &record.Undisturbed{Load: load}, err
	}
	out := &record.Undisturbed{
		Load: load, Sink: phase.Sink, Usage: slices.Clone(phase.Usage), PausedSeconds: phase.PausedSeconds, DrainSeconds: phase.DrainSeconds,
	}
	before := w.Warm
	for i, p := range w.Parts {
		came := p.Came.Minus(before)
		before = p.Came
		if !phase.Windows[i].Disturbed {
			continue
		}
		preparing, took := w.prepared(p)
		off := (p.After.At.Sub(p.Before.At) - w.loaded(p) - took).Seconds()
		if i == len(w.Parts)-1 {
			off -= phase.DrainSeconds
			out.DrainSeconds = 0
		}
		out.PausedSeconds = max(0, out.PausedSeconds-off)
		out.Sink = out.Sink.Minus(came)
		out.Usage = readings.Less(out.Usage, readings.Less(w.Log.Between(p.Before.Mark, p.After.Mark), preparing))
	}
	return out, nil
}
