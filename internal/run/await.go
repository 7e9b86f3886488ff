package run

import (
	"context"
	"errors"
	"time"
)

// unseen is why what was looked at could not be seen this once: it may be seen the next time.
type unseen struct{ error }

func (u unseen) Unwrap() error { return u.error }

// await looks at once, and then every so often, until what it looks for is done; false where
// that was not so when most of the time was over, which is when it looks a last time. A look
// that sees nothing this once is no failure, unless it is the last.
func await(ctx context.Context, every, most time.Duration, look func() (done bool, err error)) (bool, error) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	for last := false; ; {
		done, err := look()
		if once := (unseen{}); errors.As(err, &once) && !last {
			done, err = false, nil
		}
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
