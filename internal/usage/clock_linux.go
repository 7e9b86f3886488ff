package usage

// Readings without cgroups: the clocks of the living, and what is known of the dead.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/proctree"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
	"golang.org/x/sys/unix"
)

// patience is how often a reading is begun because a process ended in the middle of the
// one before.
const patience = 20

// errTorn says that no reading was whole. To take the last one for good would miss what
// ended meanwhile, or count it twice.
var errTorn = fmt.Errorf("in each of %d readings of the CPU clocks a process ended, and none has all clocks at one moment: "+
	"let cgroups count instead, which miss nothing (run as root, or with a delegated cgroup), or have the program start fewer short-lived processes", patience)

// readClocks adds up the CPU clocks of all living processes, what their dead
// children used (known to a tick for each process), and what the reaper has
// collected. A process that ends meanwhile would be missed or counted twice, so
// the reading is begun again when one does; one that begins meanwhile is added. It
// fails where no reading is whole.
func readClocks(t Target) (r readings.Counters, pids []int, err error) {
	for range patience {
		if r, pids, whole, err := tryClocks(t); err != nil || whole {
			return r, pids, err
		}
	}
	return r, nil, errTorn
}

func tryClocks(t Target) (r readings.Counters, pids []int, whole bool, err error) {
	r.Source = record.ByClock
	before, err := t.Pids()
	if err != nil {
		return r, nil, false, err
	}
	r.At = time.Now()
	whole = true
	counted := make(map[int]bool, len(before))
	for _, pid := range before {
		alive, err := addProcess(&r, pid)
		if err != nil {
			return r, nil, false, err
		}
		whole = whole && alive
		counted[pid] = true
	}
	reaped, err := t.Reaped()
	if err != nil {
		return r, nil, false, err
	}
	r.CPU += time.Duration(reaped.Utime.Nano() + reaped.Stime.Nano())
	r.System += time.Duration(reaped.Stime.Nano())
	if pids, err = t.Pids(); err != nil {
		return r, nil, false, err
	}
	still := 0
	for _, pid := range pids {
		if counted[pid] {
			still++
			continue
		}
		if _, err := addProcess(&r, pid); err != nil {
			return r, nil, false, err
		}
	}
	return r, pids, whole && still == len(before), nil
}

// addProcess adds one living process and its dead children.
func addProcess(r *readings.Counters, pid int) (alive bool, err error) {
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
	r.CPU += own + times.childUser + times.childSystem
	r.System += times.system + times.childSystem
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

// Readings from cgroups: everything that ran in them, the dead included. The
// kernel books the time of a thread when it leaves its CPU, and otherwise at
// every timer tick (1 to 10 ms): a busy thread is behind by less than a tick.
// What a program runs elsewhere is in none of them, and it may move its processes
// as it likes: so the processes' clocks are read beside.

// readGroup reads a target's cgroup, and the clocks of its processes beside.
func readGroup(t Target, of func(map[string]string) (readings.Counters, error)) (readings.Counters, error) {
	r, err := of(t.Groups())
	if err != nil {
		return r, err
	}
	by, pids, err := readClocks(t)
	switch {
	case err == nil:
		r.Clocks = &readings.Clocks{CPU: by.CPU, System: by.System, Processes: len(pids)}
	case !errors.Is(err, errTorn):
		return r, err
	default: // the cgroup alone has to do
		if pids, err = t.Pids(); err != nil {
			return r, err
		}
	}
	r.Outside, err = outside(t, pids)
	return r, err
}

// outside lists those of a target's processes that are not in its cgroup any more, by name and number.
func outside(t Target, all []int) ([]string, error) {
	groups := t.Groups()
	dir := groups["cpuacct"]
	if dir == "" {
		dir = groups["unified"]
	}
	inside, err := cgroup.PIDs([]string{dir})
	if err != nil {
		return nil, err
	}
	member := make(map[int]bool, len(inside))
	for _, pid := range inside {
		member[pid] = true
	}
	var names []string
	for _, pid := range all {
		if member[pid] || !proctree.Running(pid) { // those that have ended are in none
			continue
		}
		name, err := readFile(fmt.Sprintf("/proc/%d/comm", pid), make([]byte, 64))
		if ended(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		names = append(names, fmt.Sprintf("%s (process %d)", strings.TrimSpace(string(name)), pid))
	}
	return names, nil
}

func readV1(groups map[string]string) (readings.Counters, error) {
	r := readings.Counters{At: time.Now(), Source: "cgroup v1"}
	buffer := make([]byte, 4096)
	total, err := readFile(filepath.Join(groups["cpuacct"], "cpuacct.usage"), buffer)
	if err != nil {
		return r, err
	}
	r.CPU = time.Duration(digits(string(total)))
	split, err := readFile(filepath.Join(groups["cpuacct"], "cpuacct.stat"), buffer)
	if err != nil {
		return r, err
	}
	r.System = time.Duration(number(split, "system ")) * tick
	if groups["cpu"] == "" {
		return r, nil
	}
	stat, err := readFile(filepath.Join(groups["cpu"], "cpu.stat"), buffer)
	r.Throttled = time.Duration(number(stat, "throttled_time "))
	return r, err
}

func readV2(groups map[string]string) (readings.Counters, error) {
	r := readings.Counters{At: time.Now(), Source: "cgroup v2"}
	stat, err := readFile(filepath.Join(groups["unified"], "cpu.stat"), make([]byte, 4096))
	r.CPU = time.Duration(number(stat, "usage_usec ")) * time.Microsecond
	r.System = time.Duration(number(stat, "system_usec ")) * time.Microsecond
	r.Throttled = time.Duration(number(stat, "throttled_usec ")) * time.Microsecond
	return r, err
}

// readThreads reads the CPU time of every thread of a target.
func readThreads(t Target) (used, compilers map[readings.Thread]time.Duration, err error) {
	used, compilers = map[readings.Thread]time.Duration{}, map[readings.Thread]time.Duration{}
	buffer := make([]byte, 1024)
	err = eachThread(t, func(id readings.Thread, dir string) error {
		one, err := readThread(dir, buffer)
		if err != nil {
			return err
		}
		used[id] = one
		name, err := readFile(dir+"/comm", buffer)
		if err == nil && compiles(string(name)) {
			compilers[id] = one
		}
		return err
	})
	return used, compilers, err
}

// compilerNames begin the names of threads in which runtimes compile a program while it runs: HotSpot's, OpenJ9's, .NET's.
var compilerNames = []string{"C1 Compiler", "C2 Compiler", "JVMCI", "JIT Compilation", ".NET Tiered Com"}

func compiles(name string) bool {
	return slices.ContainsFunc(compilerNames, func(one string) bool { return strings.HasPrefix(name, one) })
}

// wants reports whether a thread of a target would run at the moment: it does, or waits for a CPU.
func wants(t Target) (bool, error) {
	runs := false
	buffer := make([]byte, 1024)
	err := eachThread(t, func(_ readings.Thread, dir string) error {
		text, err := readFile(dir+"/stat", buffer)
		if end := strings.LastIndexByte(string(text), ')'); err == nil && end >= 0 && strings.HasPrefix(string(text[end:]), ") R") {
			runs = true
		}
		return err
	})
	return runs, err
}

// eachThread calls do with every living thread of a target, and its folder in /proc. What ends meanwhile is left out.
func eachThread(t Target, do func(id readings.Thread, dir string) error) error {
	pids, err := t.Pids()
	if err != nil {
		return err
	}
	for _, pid := range pids {
		tids, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if ended(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("listing the threads of process %d: %w", pid, err)
		}
		for _, tid := range tids {
			err := do(readings.Thread{Process: pid, ID: int(digits(tid.Name()))}, fmt.Sprintf("/proc/%d/task/%s", pid, tid.Name()))
			if err != nil && !ended(err) {
				return err
			}
		}
	}
	return nil
}

// readThread reads the CPU time of one thread: to the nanosecond where the
// kernel keeps scheduling statistics, otherwise in ticks.
func readThread(dir string, buffer []byte) (time.Duration, error) {
	text, err := readFile(dir+"/schedstat", buffer)
	if ran, _, ok := strings.Cut(string(text), " "); err == nil && ok && ran != "0" {
		return time.Duration(digits(ran)), nil
	}
	text, err = readFile(dir+"/stat", buffer)
	if err != nil {
		return 0, err
	}
	own, err := parseTimes(string(text))
	return own.user + own.system, err
}
