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

// What is awaited is looked for at once, every so often, and a last time when patience ends.
func TestAwait(t *testing.T) {
	broken, busy := errors.New("broken"), errors.New("busy")
	const every, most = 100 * time.Millisecond, 250 * time.Millisecond
	for name, test := range map[string]struct {
		doneAt, failsAt int // of which look; 0 is none
		looks           int
		took            time.Duration
		done            bool
		err             error
		busy            []int // looks that see nothing
	}{
		"at once":         {1, 0, 1, 0, true, nil, nil},
		"later":           {3, 0, 3, 2 * every, true, nil, nil},
		"the last":        {4, 0, 4, most, true, nil, nil},
		"never":           {0, 0, 4, most, false, nil, nil},
		"fails":           {0, 2, 2, every, false, broken, nil},
		"busy, and later": {3, 0, 3, 2 * every, true, nil, []int{1, 2}},
		"busy at last":    {0, 0, 4, most, false, busy, []int{2, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun, looks := time.Now(), 0
				done, err := await(t.Context(), every, most, func() (bool, error) {
					if looks++; looks == test.failsAt {
						return false, broken
					}
					if slices.Contains(test.busy, looks) {
						return false, fmt.Errorf("looking: %w", unseen{busy})
					}
					return looks == test.doneAt, nil
				})
				if took := time.Since(begun); looks != test.looks || !around(took, test.took, most) || done != test.done || !errors.Is(err, test.err) {
					t.Errorf("%d looks in %v, %t, %v; want %+v", looks, took, done, err, test)
				}
			})
		})
	}
}

// around reports whether a time is about what is wanted, since looks keep step with nothing; exactly the most that there may be.
func around(took, want, most time.Duration) bool {
	if want == most || want == 0 {
		return took == want
	}
	return took >= want/2 && took <= want+want/2
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if done, err := await(ctx, time.Hour, time.Hour, func() (bool, error) { return false, nil }); done || !errors.Is(err, gone) {
		t.Errorf("%t, %v; want the reason why the context ended", done, err)
	}
}
