package readings

import (
	"slices"
	"time"
)

// Thread names a thread.
type Thread struct{ Process, ID int }

// Threads is the CPU time of single threads until a moment, by process in the order of the log's. The zero value is a reading
// of nothing.
type Threads struct {
	At        time.Time
	Used      []map[Thread]time.Duration
	Compilers []map[Thread]time.Duration // of these, the threads in which a runtime compiles the program
}

// Compiling returns the share of what the living threads used from a to b that a runtime's compilers did; known is whether there
// are readings. What threads that ended meanwhile used is in neither.
func Compiling(a, b Threads) (share float64, known bool) {
	all, compilers := grown(a.Used, b.Used), grown(a.Compilers, b.Compilers)
	if all <= 0 {
		return 0, false
	}
	return compilers.Seconds() / all.Seconds(), true
}

// Compile reports whether any of them is a compiler's.
func (t Threads) Compile() bool {
	return slices.ContainsFunc(t.Compilers, func(of map[Thread]time.Duration) bool { return len(of) > 0 })
}

// grown is by how much the times of threads grew, all together.
func grown(a, b []map[Thread]time.Duration) (sum time.Duration) {
	if len(a) != len(b) {
		return 0
	}
	for i := range b {
		for id, used := range b[i] {
			if before := a[i][id]; before <= used {
				used -= before // and else the number was given to a new thread
			}
			sum += used
		}
	}
	return sum
}

// Hottest returns the process whose busiest thread used most from a to b, and the share of one CPU that this thread used; ""
// and 0 without readings. It does not see threads that ended meanwhile.
func (l Log) Hottest(a, b Threads) (process string, share float64) {
	passed := b.At.Sub(a.At).Seconds()
	if len(a.Used) != len(b.Used) || passed <= 0 {
		return "", 0
	}
	for i := range b.Used {
		for id, used := range b.Used[i] {
			before := a.Used[i][id]
			if before > used {
				before = 0 // the number was given to a new thread
			}
			if s := (used - before).Seconds() / passed; s > share {
				process, share = l.Who[i].Process, s
			}
		}
	}
	return process, share
}

// Switches is a reading of context switches. The kernel counts them by thread, and by process only for those that have ended.
// Threads that ended between two readings are lost, unless their process ended too and was reaped.
type Switches struct {
	Threads map[Thread]uint64
	Reaped  uint64
}

// since returns the number of switches after before was read.
func (s Switches) since(before Switches) uint64 {
	var sum, lost uint64
	alive := map[int]bool{}
	for t, n := range s.Threads {
		alive[t.Process] = true
		if b := before.Threads[t]; n >= b {
			sum += n - b
		} else {
			sum += n // the number was given to a new thread
		}
	}
	for t, n := range before.Threads {
		if !alive[t.Process] {
			lost += n // these are within what was reaped since
		}
	}
	if reaped := s.Reaped - min(before.Reaped, s.Reaped); reaped > lost {
		sum += reaped - lost
	}
	return sum
}
