// Long series of durations, kept outside of Go's heap: they would make the
// collector's next turn come later, and it is part of what is measured.

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime/metrics"
	"strings"
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

// reserve returns room for so many durations. All of it is touched, so no page
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

// What the runtime tells of itself, without stopping the world.

// meters is a reading of the runtime's own figures.
type meters struct {
	heap        uint64        // bytes in use, garbage not yet collected included
	allocated   uint64        // bytes since the start
	collections uint64        // since the start
	collecting  time.Duration // CPU time of the collector since the start, as the runtime estimates it
}

func readMeters() meters {
	s := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/gc/cycles/total:gc-cycles"},
		{Name: "/cpu/classes/gc/total:cpu-seconds"},
	}
	metrics.Read(s)
	return meters{
		heap: s[0].Value.Uint64(), allocated: s[1].Value.Uint64(), collections: s[2].Value.Uint64(),
		collecting: time.Duration(s[3].Value.Float64() * 1e9),
	}
}

// threadCPU is the CPU time of the thread that asks.
func threadCPU() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(fmt.Sprintf("reading the CPU clock of this thread: %v", err)) // the call has no way to fail on a system that has the clock
	}
	return time.Duration(t.Nano())
}

// course is that of the heap over a stretch, a line each hundredth of it.
type course struct {
	calls []int64
	read  []meters
}

func newCourse() *course {
	return &course{calls: make([]int64, 0, hundredths), read: make([]meters, 0, hundredths)}
}

func (c *course) add(made int64) {
	if len(c.calls) < hundredths {
		c.calls, c.read = append(c.calls, made), append(c.read, readMeters())
	}
}

// peak is the most heap that was seen in use.
func (c *course) peak() uint64 {
	var most uint64
	for _, m := range c.read {
		most = max(most, m.heap)
	}
	return most
}

// write writes the course as CSV; collections are counted from the reading before.
func (c *course) write(file string, before meters) error {
	var text strings.Builder
	text.WriteString("calls,heap_bytes,gc_count\n")
	for i, m := range c.read {
		fmt.Fprintf(&text, "%d,%d,%d\n", c.calls[i], m.heap, m.collections-before.collections)
	}
	return os.WriteFile(file, []byte(text.String()), 0o644)
}
