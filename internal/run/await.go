package run

import (
	"context"
	"time"
)

// await looks at once, and then every so often, until what it looks for is done; false where
// that was not so when most of the time was over, which is when it looks a last time.
func await(ctx context.Context, every, most time.Duration, look func() (done bool, err error)) (bool, error) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	for last := false; ; {
		done, err := look()
		if err != nil || done || last {
			return done, err
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-deadline.C:
			last = true
		case <-ticker.C:
		}
	}
}
