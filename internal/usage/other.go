//go:build !linux

package usage

// Elsewhere than on Linux nothing of another process is read but what is known
// of it when it has ended.

import (
	"errors"
	"fmt"
	"time"
)

func read(t Target) (reading, error) {
	used, err := t.Reaped()
	return reading{
		at:     time.Now(),
		cpu:    time.Duration(used.Utime.Nano() + used.Stime.Nano()),
		system: time.Duration(used.Stime.Nano()),
		source: "ended processes only: reading living ones needs Linux",
	}, err
}

func readCPU(t Target) (reading, error) { return read(t) }

type sampler struct{}

func newSampler(Target) *sampler { return &sampler{} }

func (*sampler) read(bool) (bytes uint64, ok bool, err error) { return 0, false, nil }

// Busy is not read on this system.
func Busy([]int) (time.Duration, error) {
	return 0, fmt.Errorf("reading how busy the CPUs are: %w", errors.ErrUnsupported)
}

func wants(Target) (bool, error) { return false, nil }

func readThreads(Target) (map[thread]time.Duration, error) { return nil, nil }
