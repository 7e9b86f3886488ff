// A warm-up watched slice by slice, to find out how long it takes.

package run

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

const (
	slice     = 500 * time.Millisecond // of a watched warm-up
	inSlice   = 5                      // least operations of a slice, if there is a rate
	mostSlack = 3                      // times its length that a warm-up may take if the rate is not held
)

// watch makes an operation at its load, slice by slice, and records the usage of each. A slice is a segment of load of its own,
// so its operations and its CPU belong together; a few milliseconds lie between two of them.
func (s *stage) watch(ctx context.Context, request PhaseRequest, counted record.Counts) (record.Phase, record.Counts, error) {
	phase, j, err := s.open(request)
	if err != nil {
		return phase, counted, err
	}
	s.name = "warm-up"
	j.Duration, j.Count = sliceAt(j.Rate), 0
	begun, made := time.Now(), []record.Load(nil)
	for asked := time.Duration(0); asked < request.Watched && time.Since(begun) < mostSlack*request.Watched; asked += j.Duration {
		one, did, err := s.slice(ctx, j)
		if err != nil {
			return phase, counted, err
		}
		phase.Progress, made = append(phase.Progress, one), append(made, did)
		j.Seed++
	}
	for _, did := range made {
		if phase.Warmup, err = phase.Warmup.Plus(did); err != nil {
			return phase, counted, fmt.Errorf("adding up the slices of operation %s: %w", phase.Operation, err)
		}
	}
	if err := s.wellDone(j, phase.Warmup); err != nil {
		return phase, counted, err
	}
	s.name = "drain"
	end, err := s.drain(ctx, counted, s.awaited(j.work, phase.Warmup))
	if err != nil {
		return phase, counted, err
	}
	phase.WarmupSink, phase.DrainSeconds, phase.Quiet = end.counts.Minus(counted), end.took.Seconds(), end.quiet
	return phase, end.counts, nil
}

// sliceAt returns the length of a slice at a rate, in whole slices; 0 is a closed loop.
func sliceAt(rate float64) time.Duration {
	if rate <= 0 {
		return slice
	}
	const rounding = 1e-9
	return slice * time.Duration(max(1, math.Ceil(inSlice/(rate*slice.Seconds())-rounding)))
}

// slice makes one slice. The caller judges the number of failed operations: those of a cold program may fail.
func (s *stage) slice(ctx context.Context, j job) (record.Slice, record.Load, error) {
	segment, err := s.driver.Prepare(ctx, j.Segment)
	if err != nil {
		return record.Slice{}, record.Load{}, err
	}
	before, err := s.meter.Mark()
	if err != nil {
		return record.Slice{}, record.Load{}, err
	}
	did, err := segment.Run(ctx)
	if err != nil {
		return record.Slice{}, did, err
	}
	after, err := s.meter.Mark()
	if err != nil {
		return record.Slice{}, did, err
	}
	out := record.Slice{AskedSeconds: j.Duration.Seconds(), WallSeconds: did.WallSeconds, Operations: did.Completed}
	for _, u := range s.between(before, after) {
		if !u.Role.Harness() {
			out.CPUSeconds += u.CPUSeconds
		}
	}
	out.TimeSeconds = s.driver.Took(j.Segment, did)
	return out, did, nil
}

// A warm-up that is faster than the load.
const (
	warmupConnections = 4
	compilersLook     = 5 * time.Second // at how much of the CPU is a compiler's
	compilersDone     = 0.05            // of the CPU, or less: nearly all that runs often is compiled
)

// faster makes operations for the job's duration at a rate, or as fast as the program answers on a few connections: a closed loop, in
// which none is late. Each slice has as many as the rate gives it, and waits for its end: more at once might not fit into a tracer's
// queue. It ends before where the threads of the runtime's compilers have nothing more to do.
func (s *stage) faster(ctx context.Context, rate float64, j job) (all record.Load, err error) {
	whole := j.Duration
	j.Rate, j.Load.Connections = 0, warmupConnections
	j.Duration, j.Count = slice, uint64(math.Ceil(rate*slice.Seconds()))
	before, err := s.meter.Threads(role.Role.OnApp)
	for begun := time.Now(); err == nil && time.Since(begun) < whole; j.Seed++ {
		next := time.NewTimer(slice)
		var did record.Load
		if did, err = s.attempt(ctx, j); err == nil {
			all, err = all.Plus(did)
		}
		select {
		case <-next.C:
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err != nil || time.Since(before.At) < compilersLook {
			continue
		}
		now, failed := s.meter.Threads(role.Role.OnApp)
		if share, known := readings.Compiling(before, now); now.Compile() && known && share < compilersDone {
			break
		}
		before, err = now, failed
	}
	return all, err
}

// The warm-up that all operations share. Code that a just-in-time compiler has compiled for one operation serves the next one;
// without this, the operation that comes first would be measured colder than the others.

// warmRounds is how often all operations are made in turn: the earlier ones then profit from the code compiled for later ones
// too.
const warmRounds = 2

// warmed is an operation's part of the warm-up that all share.
type warmed struct {
	load  record.Load
	sink  record.Counts
	hops  []record.Hop
	quiet bool
}

// warmAll makes all operations in turn, before the first of them is measured. Its operations and their spans are added to the
// warm-up of each operation's first phase. It does nothing in a pilot that watches the warm-up.
func (s *stage) warmAll(ctx context.Context) error {
	s.reached = s.record.Start.Sink
	whole, requests := s.request.Load.WarmupAll, s.request.Phases
	if whole <= 0 || s.request.Kind == record.Calibration {
		return nil
	}
	var firsts []int
	seen := map[string]bool{}
	for i, request := range requests {
		if request.Watched > 0 {
			return nil
		}
		if !seen[request.Operation.Name] {
			seen[request.Operation.Name] = true
			firsts = append(firsts, i)
		}
	}
	s.warmed = map[int]warmed{}
	for round := range warmRounds {
		for _, i := range firsts {
			w, err := s.warm(ctx, requests[i], whole/time.Duration(warmRounds*len(firsts)), s.warmed[i])
			if err != nil {
				return err
			}
			if round == warmRounds-1 && w.load.Completed == 0 && w.load.Started > 0 {
				return s.answeredBadly(requests[i].Operation, w.load)
			}
			s.warmed[i] = w
		}
	}
	return nil
}

// warm makes an operation for some time, at the rate of its phase or the first one of its search, whatever the answers: a cold
// program may be late.
func (s *stage) warm(ctx context.Context, request PhaseRequest, length time.Duration, w warmed) (warmed, error) {
	operation := request.Asked()
	j, err := s.job(operation, request.Load, request.Parameter)
	if err != nil {
		return w, err
	}
	if request.Search != nil {
		first, _ := request.Search.Next(nil)
		j.Rate = first.Rate
	}
	j.Duration = length
	var did record.Load
	if err := s.turn.inTurn(ctx, func() error { did, err = s.attempt(ctx, j); return err }); err != nil {
		return w, err
	}
	if w.load, err = w.load.Plus(did); err != nil {
		return w, fmt.Errorf("adding up the warm-up of operation %s: %w", operation.Name, err)
	}
	end, clean, err := s.drainWholly(ctx, s.reached, s.awaited(j.work, did))
	if err != nil {
		return w, err
	}
	w.sink, w.quiet = w.sink.Plus(end.counts.Minus(s.reached)), clean
	s.reached = end.counts
	more, err := s.hopsSince(ctx, end.counts.Spans)
	w.hops = record.HopsPlus(w.hops, more)
	return w, err
}

// withWarmed adds an operation's part of the shared warm-up to its phase.
func (s *stage) withWarmed(phase record.Phase, i int) (record.Phase, error) {
	w, shared := s.warmed[i]
	if !shared {
		return phase, nil
	}
	var err error
	if phase.Warmup, err = phase.Warmup.Plus(w.load); err != nil {
		return phase, fmt.Errorf("adding up the warm-up of operation %s: %w", phase.Operation, err)
	}
	phase.WarmupSink = phase.WarmupSink.Plus(w.sink)
	phase.Hops = record.HopsPlus(phase.Hops, w.hops)
	phase.Quiet = phase.Quiet && w.quiet
	return phase, nil
}
