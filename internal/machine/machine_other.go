//go:build !linux

package machine

import (
	"errors"
	"fmt"
	"runtime"
	"time"
)

// LoadAverage is not read on this system.
func LoadAverage() (float64, error) { return 0, unread("the load of the machine") }

// CPUTimes are not read on this system.
func CPUTimes() (worked, stolen time.Duration, err error) { return 0, 0, unread("CPU times") }

// FreeMemory is not read on this system.
func FreeMemory() uint64 { return 0 }

func describe(*Facts) {}

func unread(what string) error {
	return fmt.Errorf("reading %s on %s: %w", what, runtime.GOOS, errors.ErrUnsupported)
}
