// The measured window of a phase: in one piece, or in one for each turn of its run.

package run

import (
	"context"
	"time"

	"github.com/tracetax/tracetax/internal/derive"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/drive"
)

// window is a measured window that is being made.
type window struct {
	stage   *stage
	job     job
	turns   []int         // the places of its pieces among those of all runs; nil: one piece, which begins at once
	piece   time.Duration // length of one
	calls   uint64        // operations of one, if they end it
	fastest float64       // operations/s, the most so far, warm-up included
	earlier record.Load   // made since warm was counted, but not drained

	read     derive.Phase
	prepared drive.Prepared // the last prepared piece
	restless bool           // a piece was not calm when the next one began
}

// window begins a window of a job; warm: the counts at the sink.
func (s *stage) window(request PhaseRequest, j job, warm record.Counts) *window {
	return &window{stage: s, job: j, turns: request.Turns, piece: request.Window, read: derive.Phase{Operation: j.Operation.Name, Warm: warm}}
}

// run makes a window that has begun. The preparation of its pieces is counted apart.
func (w *window) run(ctx context.Context) error {
	w.read.InTurns, w.read.Sliced, w.read.Unthrottled = w.turns != nil, w.job.Slices != nil, w.unthrottled()
	if w.turns == nil {
		return w.make(ctx, derive.Window{})
	}
	w.job.Duration, w.calls = w.piece, w.job.Count
	for _, place := range w.turns {
		if err := w.stage.turn.atWindow(ctx, place, func() error { return w.next(ctx, place) }); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes a window of one piece ready: all slow work besides its operations is done here.
func (w *window) prepare(ctx context.Context) (err error) {
	if w.turns == nil {
		w.prepared, err = w.stage.driver.Prepare(ctx, w.job.Segment)
	}
	return err
}

// next makes the next piece.
func (w *window) next(ctx context.Context, place int) (err error) {
	one := derive.Window{Place: place}
	if one.Before, err = w.stage.moment(); err != nil {
		return err
	}
	w.endPiece(one.Before)
	if err := w.collect(ctx); err != nil {
		return err
	}
	w.job.Purpose = drive.Window
	if len(w.read.Parts) < len(w.turns)-1 {
		w.job.Purpose = drive.Probe // memory in use is asked after the last piece
	}
	w.job.Count = share(w.calls, len(w.read.Parts), len(w.turns))
	if w.job.Count == 0 && w.unthrottled() {
		w.job.Count = mostIn(w.piece, w.fastest)
	}
	if w.prepared, err = w.stage.driver.Prepare(ctx, w.job.Segment); err != nil {
		return err
	}
	if !w.stage.by().Generator { // the program itself prepares, and writes down its durations
		if one.Ready, err = w.stage.moment(); err != nil {
			return err
		}
	}
	if err := w.make(ctx, one); err != nil {
		return err
	}
	w.job.Seed++
	return w.settle(ctx)
}

// last returns the last piece that was made.
func (w *window) last() *derive.Window { return &w.read.Parts[len(w.read.Parts)-1] }

// endPiece ends the last piece with its effects: the next one begins, or everything has been drained.
func (w *window) endPiece(at derive.Moment) {
	if len(w.read.Parts) > 0 {
		w.last().After = at
	}
}

// Bounds for pieces of a program that makes its operations itself, as fast as it can.
const (
	calmAfterPiece = 50 * time.Millisecond // as calmFor; no quota is so low that calls wait for most of its period
	roomFor        = 4                     // times the fastest so far
)

// unthrottled reports whether the program itself makes the operations, as fast as it can.
func (w *window) unthrottled() bool { return w.stage.by().Unthrottled(w.job.Rate) }

// settle waits until no work of a piece remains that would run into the next window, another run's, and into its latencies:
// with a rate, until its spans have come. Unthrottled operations fill the tracer's queue, whatever the length of a piece: it is
// emptied at once, and only the last part of a batch remains for later.
func (w *window) settle(ctx context.Context) error {
	if !w.unthrottled() || w.stage.turn.turns == nil {
		return w.awaitSpans(ctx)
	}
	calm, err := w.stage.calm(ctx, calmAfterPiece, 0, drainPatience)
	w.restless = w.restless || !calm
	return err
}

// awaitSpans waits until the spans of the pieces so far have come: the tracer's remaining work would run into the next window,
// another run's, and into its latencies. It does not ask hops, which would cost them CPU in every window, as their delay is
// known; nor a backend.
func (w *window) awaitSpans(ctx context.Context) error {
	if !w.stage.exporting || w.stage.turn.turns == nil {
		return nil
	}
	if _, is := w.stage.receiver.(*backend); is { // each reading of its page is charged to it
		select {
		case <-time.After(w.stage.request.Plan.Patience()):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	all := func(time.Duration) (bool, error) { return true, nil }
	made := record.Counted(append([]record.Load{w.earlier}, w.read.Loads()...)...)
	d, err := w.stage.arrive(ctx, w.read.Warm, w.stage.awaited(w.job.work, made), w.stage.request.Plan.Patience(), all)
	w.last().Came = d.counts
	return err
}

// share returns the share of all for one, from 0, of so many; the first one gets the remainder.
func share(all uint64, one, of int) uint64 {
	part := all / uint64(of)
	if one == 0 {
		part += all % uint64(of)
	}
	return part
}

// make makes a prepared piece.
func (w *window) make(ctx context.Context, one derive.Window) (err error) {
	if one.Start, err = w.stage.moment(); err != nil {
		return err
	}
	others, err := w.marks()
	if err != nil {
		return err
	}
	one.Start.At = time.Now()
	if one.Load, err = w.prepared.Run(ctx); err != nil {
		return err
	}
	one.End.At = time.Now()
	one.Came, w.fastest = w.came(), max(w.fastest, paceIn(one.Load))
	if w.read.Parts = append(w.read.Parts, one); len(w.read.Parts) >= len(w.turns) { // a short one may have had no sample of memory
		if err := w.stage.meter.Sample(); err != nil {
			return err
		}
		w.read.Sampled = time.Now()
	}
	if w.turns == nil {
		return nil
	}
	if w.last().End.Mark, err = w.stage.meter.Mark(); err == nil && others != nil {
		var used derive.Used
		used, err = w.stage.turn.usedSince(others)
		w.last().Beside = used.App
	}
	return err
}

// came returns the counts at the sink when the spans of the last piece had come.
func (w *window) came() record.Counts {
	if len(w.read.Parts) == 0 {
		return w.read.Warm
	}
	return w.last().Came
}

// marks reads the usage of the other runs of the block, if a tracer may still send in another run's piece; otherwise nil.
func (w *window) marks() ([]readings.Mark, error) {
	if w.turns == nil || !w.unthrottled() {
		return nil, nil
	}
	return w.stage.turn.marks()
}

// mostIn limits the operations of a program in a time, by its pace so far: it makes room for all their durations.
func mostIn(d time.Duration, pace float64) uint64 { return uint64(roomFor * pace * d.Seconds()) }

// paceIn returns the operations per second.
func paceIn(l record.Load) float64 {
	if l.WallSeconds <= 0 {
		return 0
	}
	return float64(l.Completed) / l.WallSeconds
}

// collect asks for the durations of the last piece's operations, which takes CPU.
func (w *window) collect(ctx context.Context) error {
	if w.prepared == nil {
		return nil
	}
	err := w.prepared.Collect(ctx, &w.last().Load)
	w.prepared = nil
	return err
}
