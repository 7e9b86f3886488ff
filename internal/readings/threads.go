package readings

import "time"

// Thread names a thread.
type Thread struct{ Process, ID int }

// Threads is the CPU time of single threads until a moment, by process in the order of the log's. The zero value is a reading
// of nothing.
type Threads struct {
	At   time.Time
	Used []map[Thread]time.Duration
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
