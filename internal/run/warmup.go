// A warm-up that is watched, to see how long it takes.

package run

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

const (
	slice     = 500 * time.Millisecond // of a warm-up that is watched
	inSlice   = 5                      // operations that a slice holds at least, where there is a rate
	mostSlack = 3                      // times its length that a warm-up may take where the rate is not held
)

// watch makes an operation at its load, slice by slice, and keeps what each slice used.
// A slice is a stretch of load of its own, so that its operations and its CPU belong
// together; between two of them lie a few milliseconds.
func (s *stage) watch(ctx context.Context, request PhaseRequest, counted record.Counts) (record.Phase, record.Counts, error) {
	operation := request.Asked()
	phase := record.Phase{Operation: operation.Name, Parameter: request.Parameter}
	j, err := s.job(operation, request.Load, request.Parameter)
	if err != nil {
		return phase, counted, err
	}
	phase.OfferedRate = j.Rate
	if j.Rate == 0 {
		phase.Connections = j.Load.Connections
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
			return phase, counted, fmt.Errorf("adding up the slices of operation %s: %w", operation.Name, err)
		}
	}
	if err := s.wellDone(j, phase.Warmup); err != nil {
		return phase, counted, err
	}
	s.name = "drain"
	end, err := s.drain(ctx, counted, s.awaited(j.work, phase.Warmup.Started))
	if err != nil {
		return phase, counted, err
	}
	phase.WarmupSink, phase.DrainSeconds, phase.Quiet = end.counts.Minus(counted), end.took.Seconds(), end.quiet
	return phase, end.counts, nil
}

// sliceAt is the length of a slice at a rate, in whole slices; 0 is a closed loop.
func sliceAt(rate float64) time.Duration {
	if rate <= 0 {
		return slice
	}
	const rounding = 1e-9
	return slice * time.Duration(max(1, math.Ceil(inSlice/(rate*slice.Seconds())-rounding)))
}

// slice makes one slice. How many operations went wrong is for the caller to judge: those
// of a cold program may.
func (s *stage) slice(ctx context.Context, j job) (record.Slice, record.Load, error) {
	stretch, err := s.driver.Prepare(ctx, j.Stretch)
	if err != nil {
		return record.Slice{}, record.Load{}, err
	}
	before, err := s.meter.Mark()
	if err != nil {
		return record.Slice{}, record.Load{}, err
	}
	did, err := stretch.Run(ctx)
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
	out.TimeSeconds = s.driver.Took(j.Stretch, did)
	return out, did, nil
}
