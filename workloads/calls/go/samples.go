// Long series of durations, kept outside of Go's heap: they would make the
// collector's next turn come later, and it is part of what is measured.
package main

import (
	"encoding/binary"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	sampleBytes = 8
	ringSamples = 1 << 17 // where durations are not kept
	mostSamples = 1 << 24 // of a thread, where the number of operations is not ordered
)

// samples is a series of durations, little-endian, in memory of its own.
type samples struct{ memory []byte }

// reserve returns room for so many durations. All of it is touched, so that no page
// is made while they come.
func reserve(count int64) (samples, error) {
	memory, err := unix.Mmap(-1, 0, int(max(count, 1)*sampleBytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return samples{}, os.NewSyscallError("mmap", err)
	}
	for i := 0; i < len(memory); i += os.Getpagesize() {
		memory[i] = 0
	}
	return samples{memory}, nil
}

func (s samples) set(place int64, d time.Duration) {
	binary.LittleEndian.PutUint64(s.memory[place*sampleBytes:], uint64(d))
}

// write writes the first so many durations.
func (s samples) write(file string, count int64) error {
	return os.WriteFile(file, s.memory[:count*sampleBytes], 0o644)
}

// free gives the memory back. It may be called on the zero value.
func (s samples) free() error {
	if s.memory == nil {
		return nil
	}
	return errors.Join(os.NewSyscallError("munmap", unix.Munmap(s.memory)))
}
