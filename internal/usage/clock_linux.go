package usage

// Readings without cgroups: the clocks of the living, and what is known of the dead.

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tracetax/tracetax/internal/record"
)

// patience is how often a reading is begun because a process ended in the middle of the
// one before.
const patience = 20

// errTorn says that no reading was whole. To take the last one for good would miss what
// ended meanwhile, or count it twice.
var errTorn = fmt.Errorf("in each of %d readings of the CPU clocks a process ended in the middle, so that none is of one moment: "+
	"let cgroups count instead, which miss nothing (run as root, or with a delegated cgroup), or have the program start fewer short-lived processes", patience)

// readClocks adds up the CPU clocks of all living processes, what their dead
// children used (known to a tick for each process), and what the reaper has
// collected. A process that ends meanwhile would be missed or counted twice, so
// the reading is begun again when one does; one that begins meanwhile is added. It
// fails where no reading is whole.
func readClocks(t Target) (reading, error) {
	for range patience {
		if r, whole, err := tryClocks(t); err != nil || whole {
			return r, err
		}
	}
	return reading{}, errTorn
}

func tryClocks(t Target) (r reading, whole bool, err error) {
	r.source = record.ByClock
	before, err := t.Pids()
	if err != nil {
		return r, false, err
	}
	r.at = time.Now()
	whole = true
	counted := make(map[int]bool, len(before))
	for _, pid := range before {
		alive, err := r.addProcess(pid)
		if err != nil {
			return r, false, err
		}
		whole = whole && alive
		counted[pid] = true
	}
	reaped, err := t.Reaped()
	if err != nil {
		return r, false, err
	}
	r.cpu += time.Duration(reaped.Utime.Nano() + reaped.Stime.Nano())
	r.system += time.Duration(reaped.Stime.Nano())
	after, err := t.Pids()
	if err != nil {
		return r, false, err
	}
	r.pids = after
	still := 0
	for _, pid := range after {
		if counted[pid] {
			still++
			continue
		}
		if _, err := r.addProcess(pid); err != nil {
			return r, false, err
		}
	}
	return r, whole && still == len(before), nil
}

// addProcess adds one living process and its dead children.
func (r *reading) addProcess(pid int) (alive bool, err error) {
	own, err := clock(pid)
	if ended(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	text, err := readFile(fmt.Sprintf("/proc/%d/stat", pid), make([]byte, 1024))
	if ended(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	times, err := parseTimes(string(text))
	if err != nil {
		return false, err
	}
	r.cpu += own + times.childUser + times.childSystem
	r.system += times.system + times.childSystem
	return true, nil
}

// clock is the CPU time of a process with all its threads, dead ones included,
// in ns; see clock_getcpuclockid(3). Threads that are on a CPU at the moment
// are behind by less than a timer tick, as in cgroups.
func clock(pid int) (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &t); err != nil {
		return 0, fmt.Errorf("reading the CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// ended reports whether err only says that a process is no more.
func ended(err error) bool {
	return errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EINVAL) || errors.Is(err, fs.ErrNotExist)
}
