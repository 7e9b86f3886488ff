//go:build synthetic

// CPU time that is burnt by the clock of the thread that burns it.
package main

import (
	"math"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// burn works until this thread has used so much CPU time, and returns how much it was, with
// what both the first and the last look at the clock cost. Time in which the thread is kept
// from its CPU does not count. On top comes what the goroutine is bound to the thread for:
// under 0.1 µs.
func burn(d time.Duration) time.Duration {
	look := lookCost() // half of the first look and half of the last are outside of what they see
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := threadTime()
	for {
		if used := threadTime() - begin + look; used >= d {
			return used
		}
	}
}

// lookCost is the CPU time of one look at the clock.
var lookCost = sync.OnceValue(func() time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := time.Duration(math.MaxInt64)
	for range 10 {
		begin := threadTime()
		for range looks {
			threadTime()
		}
		least = min(least, (threadTime()-begin)/(looks+1))
	}
	return least
})

const looks = 200

// take gets memory from the system.
func take(bytes int) ([]byte, error) {
	return unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}
