package verify

// Waiting for what other processes of the database server do.

import (
	"context"
	"errors"
	"time"
)

const (
	countPatience = 5 * time.Second // until settings have reached every connection
	closePatience = time.Second     // until a statement that was answered is closed
	countPause    = 5 * time.Millisecond
)

var errPatience = errors.New("statements of the service are not counted; does it read the table world of this database?")

// await asks until it is so, for so long at most; then the error is errPatience.
// The server has no way to tell when its other processes have done something.
func await(ctx context.Context, patience time.Duration, so func() (bool, error)) error {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	pause := time.NewTicker(countPause)
	defer pause.Stop()
	for {
		if ok, err := so(); ok || err != nil {
			return err
		}
		select {
		case <-pause.C:
		case <-deadline.C:
			return errPatience
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
