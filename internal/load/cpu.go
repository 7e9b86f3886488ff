// What a process used over a stretch of time.

package load

import (
	"cmp"
	"slices"
	"time"
)

// CPUTime is what a thread, or several, used.
type CPUTime struct {
	Ran    time.Duration
	Waited time.Duration // ready to run, while its CPU ran something else; 0 where that is not known
}

// Threads is what each living thread of a process has used until now, by its number.
type Threads map[int]CPUTime

// Since returns what the process used after before was read: the time that all its
// threads ran, and the time that the n of them that ran most had to wait for a CPU.
// Whoever else waits, such as a collector of garbage, holds nothing up.
func (t Threads) Since(before Threads, n int) CPUTime {
	var sum CPUTime
	var each []CPUTime
	for id, now := range t {
		d := CPUTime{Ran: max(now.Ran-before[id].Ran, 0), Waited: max(now.Waited-before[id].Waited, 0)}
		sum.Ran += d.Ran
		each = append(each, d)
	}
	slices.SortFunc(each, func(x, y CPUTime) int { return cmp.Compare(y.Ran, x.Ran) })
	for _, d := range each[:min(n, len(each))] {
		sum.Waited += d.Waited
	}
	return sum
}
