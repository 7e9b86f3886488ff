//go:build !linux

package usage

import (
	"errors"
	"fmt"
	"time"
)

// Busy is not read on this system.
func Busy([]int) (time.Duration, error) {
	return 0, fmt.Errorf("reading how busy the CPUs are: %w", errors.ErrUnsupported)
}
