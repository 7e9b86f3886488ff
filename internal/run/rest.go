package run

import (
	"context"
	"time"
)

// How the end of a backlog is found out.
const (
	look      = 200 * time.Millisecond // length of one look at what the app uses
	calmShare = 0.1                    // of the CPU that it may use: less than that is calm
	calmLooks = 3                      // in a row: one may fall into a stretch in which a quota or the machine holds the app back
	patience  = 20 * time.Second       // with an app that never gets calm
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
		if s.utilisation(s.meter.Between(before, after)) >= calmShare {
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
