//go:build !linux

package machine

import (
	"errors"
	"fmt"
	"runtime"
)

// LoadAverage is not read on this system.
func LoadAverage() (float64, error) { return 0, unread("the load of the machine") }

// ReadBusy is not read on this system.
func ReadBusy() (Busy, error) { return Busy{}, unread("CPU times") }

func describe(*Facts) {}

func unread(what string) error {
	return fmt.Errorf("reading %s on %s: %w", what, runtime.GOOS, errors.ErrUnsupported)
}
