package run

import (
	"context"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// How the end of a backlog is found out.
const (
	look      = 200 * time.Millisecond // length of one look at what the app uses
	calmShare = 0.1                    // of the CPU that it may use: less than that is calm
	calmLooks = 3                      // in a row: one may fall into a stretch in which a quota or the machine holds the app back
	patience  = 20 * time.Second       // with an app that never gets calm
	drains    = 3                      // of a probe, at most: late spans would be counted in the next one
)

// rest waits until the app has worked off what a probe that was too much for it
// has left: it would be charged to the next one. calm is false where it was
// still busy when patience ended.
func (s *stage) rest(ctx context.Context) (calm bool, took time.Duration, err error) {
	begun := time.Now()
	before, err := s.meter.Mark()
	if err != nil {
		return false, 0, err
	}
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for calmFor := 0; ; {
		select {
		case <-ctx.Done():
			return false, time.Since(begun), context.Cause(ctx)
		case <-ticker.C:
		}
		after, err := s.meter.Mark()
		if err != nil {
			return false, time.Since(begun), err
		}
		used := s.meter.Between(before, after)
		if s.utilisation(used, secondsOf(used)) >= calmShare {
			calmFor = 0
		} else if calmFor++; calmFor == calmLooks {
			return true, time.Since(begun), nil
		}
		if time.Since(begun) > patience {
			return false, time.Since(begun), nil
		}
		before = after
	}
}

// drainWholly drains, and where patience ends before the sink is quiet drains
// again, so that the next probe does not count late spans as its own. quiet of
// what it returns is of the first drain; clean is whether the last one was quiet.
func (s *stage) drainWholly(ctx context.Context, before record.Counts, awaited float64) (all drained, clean bool, err error) {
	return untilQuiet(func() (drained, error) { return s.drain(ctx, before, awaited) })
}

func untilQuiet(drain func() (drained, error)) (all drained, clean bool, err error) {
	all, err = drain()
	clean = all.quiet
	for n := 1; err == nil && !clean && n < drains; n++ {
		var more drained
		more, err = drain()
		all.counts, all.took, clean = more.counts, all.took+more.took, more.quiet
	}
	return all, clean, err
}
