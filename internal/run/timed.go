// The windows in turn for latency alone, before all runs of a block have their load at once.

package run

import (
	"context"
	"time"

	"github.com/tracetax/tracetax/internal/derive"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/drive"
)

// room is the share of the CPUs that the runs of a block may need together to have their load at once: above it each of them
// waits for the others, and can hold only the load that these leave room for.
const room = 0.6

// timeIt makes the operation in windows, in turn with the other runs of the block. The remains of the warm-up go on in the
// first of them, as under steady load. atOnce: there is room for all at once.
func (s *stage) timeIt(ctx context.Context, request PhaseRequest, j job, phase *record.Phase, counted record.Counts) (atOnce bool, err error) {
	j.Purpose, j.Duration, j.Count = drive.Window, request.Load.Duration, request.Load.Calls
	j.Seed += mostSeeds // other choices than in the window
	if sliced := s.sliced(request, j); sliced.Slices != nil {
		return s.timeInSlices(ctx, request, sliced, phase)
	}
	w := s.window(request, j, counted)
	w.earlier = phase.Warmup
	if err := s.turn.awaitAll(ctx); err != nil {
		return false, err
	}
	s.name = "window"
	if w.read.Begun, err = s.moment(); err != nil {
		return false, err
	}
	if err := w.run(ctx); err != nil {
		return false, err
	}
	after, err := s.moment()
	if err != nil {
		return false, err
	}
	if err := s.turn.awaitAll(ctx); err != nil { // collecting takes CPU, and all have read the last windows
		return false, err
	}
	if err := w.collect(ctx); err != nil {
		return false, err
	}
	did, err := w.read.Load()
	if err == nil {
		err = s.wellDone(j, did)
	}
	if err != nil {
		return false, err
	}
	w.read.Log = s.log()
	phase.Timed = &record.Timed{Load: did}
	outside, runs := s.turn.outside()
	var leave bool
	if phase.Timed.Windows, leave = w.read.Windows(outside, runs); leave {
		kept, err := w.read.Kept(phase.Timed.Windows)
		if err != nil {
			return false, err
		}
		phase.Timed.Undisturbed = &kept
	}
	all, err := s.turn.together(ctx, s.needed(w.read.Used(after), request.Load.Duration, len(w.read.Parts)))
	return request.AtOnce == Always || s.hasRoom(all), err
}

// sliced returns a job with the operations of its one window, in slices among those of the others; without slices if it has
// more windows, or cannot have them. A window shorter than a tracer's delay is no truer than slices, and the machine changes
// from one window to the next.
func (s *stage) sliced(request PhaseRequest, j job) job {
	if len(request.Turns) > 1 || !s.by().Generator || s.turn.turns == nil {
		return j
	}
	runs := s.turn.runs
	j.Rate, j.Duration = j.Rate/float64(runs), j.Duration*time.Duration(runs)
	j.Slices = s.turn.slices(j.Rate, j.Duration)
	return j
}

// timeInSlices makes the operation in slices of the time, at its own rate in each, while the other runs of the block do so in
// theirs.
func (s *stage) timeInSlices(ctx context.Context, request PhaseRequest, j job, phase *record.Phase) (atOnce bool, err error) {
	segment, err := s.driver.Prepare(ctx, j.Segment)
	if err != nil {
		return false, err
	}
	if err := s.turn.awaitAll(ctx); err != nil {
		return false, err
	}
	s.name = "window"
	before, err := s.meter.Mark()
	if err != nil {
		return false, err
	}
	did, err := segment.Run(ctx)
	if err != nil {
		return false, err
	}
	after, err := s.meter.Mark()
	if err == nil {
		err = s.turn.awaitAll(ctx) // collecting takes CPU
	}
	if err == nil {
		err = segment.Collect(ctx, &did)
	}
	if err == nil {
		err = s.wellDone(j, did)
	}
	if err != nil {
		return false, err
	}
	phase.Timed = &record.Timed{Load: did, Seconds: j.Duration.Seconds(), SliceSeconds: j.Slices.Length.Seconds()}
	all, err := s.turn.together(ctx, s.needed(s.between(before, after), request.Load.Duration, 1))
	return request.AtOnce == Always || s.hasRoom(all), err
}

// stretchCPU is about what a stretch costs the load generator whatever its load: threads, histograms, their encoding.
const stretchCPU = 0.01 // s

// needed returns the CPU seconds a second that programs need under load, by their use while they had it in so many stretches of
// a duration together, which a late machine exceeds. Their idle use also covers the time in which others had the load.
func (s *stage) needed(used []record.Usage, loaded time.Duration, stretches int) derive.Used {
	sum, asked := derive.UsedOf(used), loaded.Seconds()
	if s.idlePace != nil {
		sum.App -= s.idlePace.rate() * max(0, secondsOf(used)-asked)
	}
	sum.Harness -= stretchCPU * float64(stretches)
	return derive.Used{App: max(0, sum.App) / asked, Harness: max(0, sum.Harness) / asked}
}

// The slices in which the runs of a block make their operations if all have their load at once.
const (
	sliceLength     = 10 * time.Millisecond // or the time of sliceOperations: the first of a slice find another program's data in the caches
	sliceOperations = 5
	leastPeriods    = 10 // in a window; every run has a slice in each
	leastSlice      = 5 * time.Millisecond
)

// slices places a run's load among those of the block; nil for too few slices, or a single run.
func (t turn) slices(rate float64, window time.Duration) *load.Slices {
	if t.turns == nil || t.runs < 2 || rate <= 0 {
		return nil
	}
	length := max(sliceLength, time.Duration(sliceOperations/(rate*float64(t.runs))*float64(time.Second)))
	if length = min(length, window/time.Duration(leastPeriods*t.runs)); length < leastSlice {
		return nil
	}
	return &load.Slices{Of: t.runs, Place: t.run, Length: length}
}

// mostSeeds exceeds the number of stretches of a phase, each with a seed of its own.
const mostSeeds = 1 << 20

// hasRoom reports whether programs that use this many CPU seconds a second leave the run's CPUs room.
func (s *stage) hasRoom(rate derive.Used) bool {
	cpus := s.cpus()
	rate = cpus.OnEach(rate)
	return rate.App <= room*cpus.App && rate.Harness <= room*cpus.Harness
}
