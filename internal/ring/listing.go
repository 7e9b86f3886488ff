// This file lists folders, and only when they may have changed.

package ring

import (
	"fmt"
	"io"
	"os"
	"time"
)

// settledAfter is an age of a folder's last change. A change after it has another time: the kernel's clock for files is coarse.
const settledAfter = 50 * time.Millisecond

// listing lists a folder again and again.
type listing struct {
	file    *os.File
	changed time.Time // the folder's, at the last listing
	sure    bool      // a change since then has another time
}

func newListing(dir *os.Root) (*listing, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, fmt.Errorf("opening the folder: %w", err)
	}
	return &listing{file: f}, nil
}

// names returns what stands in the folder. Without always, it returns nothing where that is as it was at the last call.
func (l *listing) names(always bool) ([]string, error) {
	info, err := l.file.Stat()
	if err != nil {
		return nil, fmt.Errorf("looking at the folder: %w", err)
	}
	if changed := info.ModTime(); !l.sure || always || !changed.Equal(l.changed) {
		l.changed, l.sure = changed, time.Since(changed) > settledAfter
		if _, err := l.file.Seek(0, io.SeekStart); err != nil {
			return nil, fmt.Errorf("listing the folder: %w", err)
		}
		names, err := l.file.Readdirnames(-1)
		if err != nil {
			return nil, fmt.Errorf("listing the folder: %w", err)
		}
		return names, nil
	}
	return nil, nil
}

// again has the next call list in any case.
func (l *listing) again() { l.sure = false }

func (l *listing) close() error { return l.file.Close() }
