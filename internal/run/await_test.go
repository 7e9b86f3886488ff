package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// What is awaited is looked for at once, every so often on average, and a last time when patience ends.
func TestAwait(t *testing.T) {
	broken, busy := errors.New("broken"), errors.New("busy")
	const every, most = 100 * time.Millisecond, time.Second
	const last = -1 // the look when patience ends
	for name, test := range map[string]struct {
		doneAt, failsAt int // of which look; 0 is none
		least, longest  time.Duration
		done            bool
		err             error
		busy            []int // looks that see nothing
	}{
		"at once":         {1, 0, 0, 0, true, nil, nil},
		"later":           {3, 0, every, 3 * every, true, nil, nil},
		"the last":        {last, 0, most, most, true, nil, nil},
		"never":           {0, 0, most, most, false, nil, nil},
		"fails":           {0, 2, every / 2, every + every/2, false, broken, nil},
		"busy, and later": {3, 0, every, 3 * every, true, nil, []int{1, 2}},
		"busy at last":    {0, 0, most, most, false, busy, []int{2, last}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun, looks := time.Now(), 0
				done, err := await(t.Context(), every, most, func() (bool, error) {
					looks++
					at := looks
					if time.Since(begun) == most {
						at = last
					}
					if at == test.failsAt {
						return false, broken
					}
					if slices.Contains(test.busy, at) {
						return false, fmt.Errorf("looking: %w", unseen{busy})
					}
					return at == test.doneAt, nil
				})
				if took := time.Since(begun); took < test.least || took > test.longest || done != test.done || !errors.Is(err, test.err) {
					t.Errorf("%d looks in %v, %t, %v; want %+v", looks, took, done, err, test)
				}
				if n := int(time.Since(begun)/every) + 1; looks < n/2 || looks > 2*n+1 {
					t.Errorf("%d looks in %v, want about %d", looks, time.Since(begun), n)
				}
			})
		})
	}
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if done, err := await(ctx, time.Hour, time.Hour, func() (bool, error) { return false, nil }); done || !errors.Is(err, gone) {
		t.Errorf("%t, %v; want the reason why the context ended", done, err)
	}
}
