// An order to a self-driving workload, as it goes over the wire.

package load

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// Order is one stretch of work for a self-driving workload.
type Order struct {
	Calls    uint64            // the most operations, over all threads; 0: Duration alone ends it
	Duration time.Duration     // the longest; 0: Calls alone end it
	Rate     float64           // operations/s over all threads; 0: as fast as it goes
	Threads  int               // 0 is 1
	Depth    int               // calls in one another that make one operation; 0: as Words say, or the workload's own
	Busy     time.Duration     // that the innermost call burns; 0: as Words say, or the workload's own
	Seed     uint64            // of what is random in the operation
	Words    map[string]string // the operation's own words; those above win
	Samples  string            // path that the files of durations begin with; "": none are kept
}

func (o Order) threads() int { return max(1, o.Threads) }

// BatchesPath is where the readings of the heap stand, "" where there are none.
func (o Order) BatchesPath() string {
	if o.Samples == "" {
		return ""
	}
	return o.Samples + ".csv"
}

// line is the order as the process gets it.
func (o Order) line() (string, error) {
	if o.Calls == 0 && o.Duration <= 0 {
		return "", errors.New("neither calls nor a duration: it would never end")
	}
	if !(o.Rate >= 0) || math.IsInf(o.Rate, 0) {
		return "", fmt.Errorf("rate %v: want operations per second, at least 0", o.Rate)
	}
	own := []string{"calls", "duration_ns", "rate", "threads", "seed", "samples", "batches"}
	words := []string{
		"prepare",
		"calls=" + strconv.FormatUint(o.Calls, 10),
		"duration_ns=" + strconv.FormatInt(int64(o.Duration), 10),
		"rate=" + strconv.FormatFloat(o.Rate, 'f', -1, 64),
		"threads=" + strconv.Itoa(o.threads()),
		"seed=" + strconv.FormatUint(o.Seed>>1, 10), // so that it fits a signed number
	}
	add := func(name, value string) { own, words = append(own, name), append(words, name+"="+value) }
	if o.Depth > 0 {
		add("depth", strconv.Itoa(o.Depth))
	}
	if o.Busy > 0 {
		add("busy_ns", strconv.FormatInt(int64(o.Busy), 10))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Words)) {
		if !slices.Contains(own, name) {
			add(name, o.Words[name])
		}
	}
	if o.Samples != "" {
		words = append(words, "samples="+o.Samples, "batches="+o.BatchesPath())
	}
	for _, word := range words {
		if strings.ContainsAny(word, " \t\r\n") {
			return "", fmt.Errorf("the word %q holds a blank, which an order cannot", word)
		}
	}
	return strings.Join(words, " "), nil
}

// patience is how long the process may take over the stretch.
func (o Order) patience() time.Duration {
	if o.Duration <= 0 {
		return patienceWithCalls
	}
	return o.Duration + patienceWithStep
}

// intended is how many operations the order asks for; 0 where it is as many as it
// can make.
func (o Order) intended() uint64 {
	const rounding = 1e-6
	if o.Rate <= 0 {
		return 0
	}
	if o.Duration <= 0 {
		return o.Calls
	}
	n := uint64(max(1, math.Ceil(o.Rate*o.Duration.Seconds()-rounding)))
	if o.Calls > 0 {
		n = min(n, o.Calls)
	}
	return n
}

// depth is how deep an operation is; 0 where nobody said.
func (o Order) depth() int {
	if o.Depth > 0 {
		return o.Depth
	}
	n, err := strconv.Atoi(o.Words["depth"])
	if err != nil {
		return 0 // not a number of calls, but a word of the operation's own
	}
	return n
}

// load is what the process says of the stretch, held against the order.
func (o Order) load(v map[string]uint64) (record.Load, error) {
	for _, name := range []string{"started", "failed", "wall_ns"} {
		if _, told := v[name]; !told {
			return record.Load{}, fmt.Errorf("it does not say %s", name)
		}
	}
	l := record.Load{
		WallSeconds: inSeconds(v["wall_ns"]), Intended: o.intended(), Started: v["started"], Failed: v["failed"],
		Driven: &record.Driven{
			Threads: o.threads(), Depth: o.depth(), CallSeconds: inSeconds(v["call_ns"]),
			ThreadCPU: told(v, "thread_cpu_ns", inSeconds), Allocated: told(v, "allocated_bytes", asTold),
			AllocatedCaller: told(v, "allocated_callers_bytes", asTold), GCCount: told(v, "gc_count", asTold),
			GCSeconds: told(v, "gc_ns", inSeconds), HeapPeak: told(v, "heap_peak_bytes", asTold),
		},
	}
	l.Intended = max(l.Intended, l.Started)
	switch {
	case l.Failed > l.Started:
		return l, fmt.Errorf("%d of %d operations failed: more than there were", l.Failed, l.Started)
	case o.Rate > 0 && o.Duration > 0 && l.Started > o.intended()+1: // one for rounding
		return l, fmt.Errorf("it made %d operations, and in %s no more than %d fall due at %g/s: its threads are to take turns (docs/self-driving.md)", l.Started, o.Duration, o.intended(), o.Rate)
	case o.Calls > 0 && l.Started > o.Calls:
		return l, fmt.Errorf("it made %d operations, and was told to make %d at most", l.Started, o.Calls)
	case l.Started > 0 && v["wall_ns"] == 0:
		return l, fmt.Errorf("it made %d operations in no time", l.Started)
	}
	if err := possible(&l); err != nil {
		return l, err
	}
	l.Completed = l.Started - l.Failed
	if l.Failed > 0 {
		l.Errors = map[string]uint64{"thrown": l.Failed}
	}
	return l, nil
}
