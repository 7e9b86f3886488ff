// The measured window of a phase: in one piece, or in one for each turn of its run.

package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/drive"
	"github.com/tracetax/tracetax/internal/usage"
)

// window is a measured window that is being made.
type window struct {
	stage   *stage
	job     job
	turns   []int         // the places of its pieces among those of all runs; nil: one piece, which begins at once
	piece   time.Duration // length of one
	calls   uint64        // operations of one, if they end it
	fastest float64       // operations/s, the most so far, warm-up included
	warm    record.Counts // at the sink at its beginning
	earlier record.Load   // made since warm was counted, but not drained
	came    record.Counts // at the sink until the spans of the last piece had come

	begun     time.Time
	armed     drive.Armed   // the last prepared piece
	loads     []record.Load // by piece; the durations of the last one may not be collected yet
	pieces    []record.Window
	parts     []piece        // the same
	loaded    time.Duration  // duration of the pieces
	at        loadTime       // times of the pieces
	readying  []record.Usage // use by preparing and collecting, not by operations
	readied   time.Duration  // duration of that
	lastEnded time.Time
	restless  bool // a piece was not calm when the next one began
}

// run makes the window. The preparation of its pieces is counted apart.
func (w *window) run(ctx context.Context) error {
	if w.turns == nil {
		return w.make(ctx, 0)
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
		w.armed, err = w.stage.driver.Prepare(ctx, w.job.Stretch)
	}
	return err
}

// next makes the next piece.
func (w *window) next(ctx context.Context, place int) error {
	before, err := w.stage.meter.Mark()
	if err != nil {
		return err
	}
	from := time.Now()
	w.part(before, from)
	if err := w.collect(ctx); err != nil {
		return err
	}
	w.job.Purpose = drive.Window
	if len(w.pieces) < len(w.turns)-1 {
		w.job.Purpose = drive.Probe // memory in use is asked after the last piece
	}
	w.job.Count = share(w.calls, len(w.pieces), len(w.turns))
	if w.job.Count == 0 && w.unthrottled() {
		w.job.Count = mostIn(w.piece, w.fastest)
	}
	if w.armed, err = w.stage.driver.Prepare(ctx, w.job.Stretch); err != nil {
		return err
	}
	after, err := w.stage.meter.Mark()
	if err != nil {
		return err
	}
	p := piece{from: before, began: from}
	if !w.stage.by().Generator { // the program itself prepares, and writes down its durations
		p.readying, p.readied = w.stage.between(before, after), time.Since(from)
		w.readying, w.readied = added(w.readying, slices.Clone(p.readying)), w.readied+p.readied
	}
	loaded := w.loaded
	if err := w.make(ctx, place); err != nil {
		return err
	}
	w.job.Seed++
	if err := w.settle(ctx); err != nil {
		return err
	}
	p.loaded = w.loaded - loaded
	w.parts = append(w.parts, p)
	return nil
}

// part ends the last piece with its effects: the next one begins, or everything has been drained.
func (w *window) part(mark usage.Mark, at time.Time) {
	if last := len(w.parts) - 1; last >= 0 {
		w.parts[last].to, w.parts[last].ended, w.parts[last].came = mark, at, w.came
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
	d, err := w.stage.arrive(ctx, w.warm, w.stage.awaited(w.job.work, record.Counted(append([]record.Load{w.earlier}, w.loads...)...)), w.stage.request.Plan.Patience(), all)
	w.came = d.counts
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
func (w *window) make(ctx context.Context, place int) error {
	before, err := w.stage.meter.Mark()
	if err != nil {
		return err
	}
	others, err := w.marks()
	if err != nil {
		return err
	}
	started := time.Now()
	did, err := w.armed.Run(ctx)
	if err != nil {
		return err
	}
	w.loads, w.fastest = append(w.loads, did), max(w.fastest, paceIn(did))
	w.lastEnded = time.Now()
	if w.loaded += w.lastEnded.Sub(started); w.job.Slices != nil { // it began later, with its slice
		w.loaded = time.Duration(did.WallSeconds * float64(time.Second))
	}
	w.at = append(w.at, usage.Stretch{From: started, To: w.lastEnded})
	if w.turns == nil || len(w.at) == len(w.turns) {
		err = w.stage.endLoad(w.at)
	}
	if err != nil || w.turns == nil {
		return err
	}
	after, err := w.stage.meter.Mark()
	if err != nil {
		return err
	}
	one := record.Window{
		Place: place, StartSeconds: started.Sub(w.begun).Seconds(), WallSeconds: did.WallSeconds, Operations: did.Completed,
		CPUSeconds: w.stage.charged(before, after),
	}
	if others != nil {
		beside, err := w.stage.turn.usedSince(others)
		if err != nil {
			return err
		}
		one.Beside = beside.app
	}
	w.pieces = append(w.pieces, one)
	return nil
}

// marks reads the usage of the other runs of the block, if a tracer may still send in another run's piece; otherwise nil.
func (w *window) marks() ([]usage.Mark, error) {
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
	if w.armed == nil {
		return nil
	}
	err := w.armed.Collect(ctx, &w.loads[len(w.loads)-1])
	if last := len(w.parts) - 1; last >= 0 {
		w.parts[last].load = w.loads[len(w.loads)-1]
	}
	w.armed = nil
	return err
}

// did returns the load of all pieces. Adding up their durations takes CPU: call it at the end.
func (w *window) did() (record.Load, error) {
	sum, err := record.Sum(w.loads...)
	if err != nil {
		err = fmt.Errorf("adding up the windows of operation %s: %w", w.job.Operation.Name, err)
	}
	return sum, err
}

// charged returns the CPU seconds of all processes except the harness.
func (s *stage) charged(from, to usage.Mark) float64 {
	var sum float64
	for _, u := range s.between(from, to) {
		if !u.Role.Harness() {
			sum += u.CPUSeconds
		}
	}
	return sum
}

// added adds up the usage of the same processes in two stretches; nil is nothing.
func added(a, b []record.Usage) []record.Usage {
	if a == nil {
		return b
	}
	for i := range a {
		a[i].Seconds += b[i].Seconds
		a[i].CPUSeconds += b[i].CPUSeconds
		a[i].SystemSeconds += b[i].SystemSeconds
		a[i].ContextSwitches += b[i].ContextSwitches
		a[i].Involuntary += b[i].Involuntary
		a[i].ThrottleSeconds += b[i].ThrottleSeconds
	}
	return a
}

// less returns the usage of a stretch without a part of it; nil is nothing.
func less(all, part []record.Usage) []record.Usage {
	for i := range part {
		all[i].Seconds -= part[i].Seconds
		all[i].CPUSeconds -= part[i].CPUSeconds
		all[i].SystemSeconds -= part[i].SystemSeconds
		all[i].ContextSwitches -= part[i].ContextSwitches
		all[i].Involuntary -= part[i].Involuntary
		all[i].ThrottleSeconds -= part[i].ThrottleSeconds
	}
	return all
}
