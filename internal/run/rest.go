package run

import (
	"context"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/usage"
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
	var before usage.Mark
	calmFor := -1 // before the first look, which is at no time at all
	calm, err = await(ctx, look, patience, func() (bool, error) {
		after, err := s.meter.Mark()
		if err != nil {
			return false, err
		}
		if calmFor < 0 {
			before, calmFor = after, 0
			return false, nil
		}
		used := s.meter.Between(before, after)
		if s.utilisation(used, secondsOf(used)) >= calmShare {
			calmFor = 0
		} else {
			calmFor++
		}
		before = after
		return calmFor == calmLooks, nil
	})
	return calm, time.Since(begun), err
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
