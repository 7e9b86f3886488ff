package usage

// Readings on Linux.

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/readings"
	"golang.org/x/sys/unix"
)

// read takes a reading of one target from the best source that it has.
func read(t Target) (readings.Counters, error) {
	r, err := readCPU(t)
	if _, afar := t.(Afar); afar || err != nil {
		return r, err
	}
	r.Switches, r.Involuntary, err = readSwitches(t)
	return r, err
}

// readCPU is read without context switches.
func readCPU(t Target) (readings.Counters, error) {
	if afar, is := t.(Afar); is {
		return afar.Read()
	}
	groups := t.Groups()
	switch {
	case groups["cpuacct"] != "":
		return readGroup(t, readV1)
	case groups["unified"] != "":
		return readGroup(t, readV2)
	}
	r, _, err := readClocks(t)
	return r, err
}

// readSwitches counts the context switches of every thread that there is, and those of them in which a thread would have
// gone on.
func readSwitches(t Target) (s, involuntary readings.Switches, err error) {
	s, involuntary = readings.Switches{Threads: map[readings.Thread]uint64{}}, readings.Switches{Threads: map[readings.Thread]uint64{}}
	pids, err := t.Pids()
	if err != nil {
		return s, involuntary, err
	}
	buffer := make([]byte, 4096)
	for _, pid := range pids {
		tids, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			if ended(err) {
				continue
			}
			return s, involuntary, fmt.Errorf("listing the threads of process %d: %w", pid, err)
		}
		for _, tid := range tids {
			text, err := readFile(fmt.Sprintf("/proc/%d/task/%s/status", pid, tid.Name()), buffer)
			if err != nil {
				if ended(err) {
					continue
				}
				return s, involuntary, err
			}
			forced := number(text, "nonvoluntary_ctxt_switches:")
			one := readings.Thread{Process: pid, ID: int(digits(tid.Name()))}
			s.Threads[one] = number(text, "voluntary_ctxt_switches:") + forced
			involuntary.Threads[one] = forced
		}
	}
	used, err := t.Reaped()
	s.Reaped, involuntary.Reaped = uint64(used.Nvcsw+used.Nivcsw), uint64(used.Nivcsw)
	return s, involuntary, err
}

// How busy the CPUs are, whoever uses them.

// Busy is for how long some CPUs were not idle since the machine started, whoever kept them
// from it (programs, the kernel, the host), to 10 ms; of all CPUs where none is given.
//
// It is what idling and waiting for devices leave of the time: those two the kernel measures
// with a clock. The rest of /proc/stat it samples at its ticks, unless it was built otherwise;
// a program that works at the pace of a timer meets each tick, or none, and seems to have used
// twice as much as it did, or half.
func Busy(cpus []int) (time.Duration, error) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0, fmt.Errorf("reading the clock: %w", err)
	}
	f, err := os.Open("/proc/stat")
	if err != nil {
		return 0, fmt.Errorf("reading how busy the CPUs are: %w", err)
	}
	defer f.Close()
	sum, err := notIdle(f, time.Duration(now.Nano()), cpus)
	if err != nil {
		return 0, fmt.Errorf("reading how busy the CPUs are: %w", err)
	}
	return sum, nil
}

// notIdle is up, the time since the machine started, less the idle times of /proc/stat.
func notIdle(stat io.Reader, up time.Duration, cpus []int) (time.Duration, error) {
	var sum time.Duration
	lines := bufio.NewScanner(stat)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		// cpuN user nice system idle iowait irq softirq steal …
		if len(fields) < 9 || !isOneOf(fields[0], cpus) {
			continue
		}
		sum += up
		for _, field := range fields[4:6] {
			sum -= time.Duration(digits(field)) * tick
		}
	}
	return sum, lines.Err()
}

// isOneOf reports whether a line's name, such as cpu3, is that of one of these CPUs; of any
// CPU where none is given.
func isOneOf(name string, cpus []int) bool {
	number, is := strings.CutPrefix(name, "cpu")
	n, err := strconv.Atoi(number)
	if !is || err != nil {
		return false // the line of all CPUs together, or no CPU's
	}
	return len(cpus) == 0 || slices.Contains(cpus, n)
}

// Samples of memory: anonymous pages, shared ones too, which are the program's own (some
// runtimes keep compiled code in shared ones); not the page cache, which grows with every
// file that it touches. What a program writes to a file system in memory is shared memory
// to a cgroup.

// proportional is the time between two looks at what processes there are, and
// between two samples of several that may share memory: these have the kernel
// walk all their pages.
const proportional = 2 * time.Second

// sampler takes samples of one target.
type sampler struct {
	target Target
	file   string    // memory.stat of its cgroup, "" without
	fields [2]string // of the file: private and shared pages
	buffer []byte
	left   bool // a process has left the cgroup

	pids   []int     // its processes, as they were
	listed time.Time // then
}

func newSampler(t Target) *sampler {
	s := &sampler{target: t, buffer: make([]byte, 16<<10)}
	s.file, s.fields = memoryFile(t.Groups())
	return s
}

// memoryFile returns the file with the memory of a cgroup and its fields of private and shared pages; "" without one.
func memoryFile(groups map[string]string) (file string, fields [2]string) {
	dir := groups["memory"]
	switch {
	case dir == "":
		return "", fields
	case groups["unified"] != "":
		return filepath.Join(dir, "memory.stat"), [2]string{"anon ", "shmem "}
	}
	return filepath.Join(dir, "memory.stat"), [2]string{"total_rss ", "total_shmem "}
}

// OfGroup reads a cgroup that is not a process's of this tracetax, by its directories (see Target): its counters and, in bytes, its
// memory. Only the CPU time and the throttling of the counters are known.
func OfGroup(groups map[string]string) (r readings.Counters, memory uint64, err error) {
	of := readV1
	if groups["unified"] != "" {
		of = readV2
	}
	if r, err = of(groups); err != nil {
		return r, 0, err
	}
	file, fields := memoryFile(groups)
	if file == "" {
		return r, 0, nil
	}
	text, err := readFile(file, make([]byte, 16<<10))
	return r, number(text, fields[0]) + number(text, fields[1]), err
}

// OfProcesses reads processes that are none of this tracetax's by their clocks: their counters and, in bytes, their memory.
func OfProcesses(t Target) (r readings.Counters, memory uint64, err error) {
	r, pids, err := readClocks(t)
	if err != nil {
		return r, 0, err
	}
	s := &sampler{target: t, buffer: make([]byte, 16<<10), pids: pids}
	if len(pids) > 1 {
		memory, _, err = s.proportional()
	} else {
		memory, _, err = s.resident()
	}
	return r, memory, err
}

// read takes a sample; ok is false where none is due, unless it is to be now.
func (s *sampler) read(now bool) (bytes uint64, ok bool, err error) {
	if afar, is := s.target.(Afar); is {
		bytes, err = afar.Memory()
		return bytes, err == nil && bytes > 0, err
	}
	due := now || time.Since(s.listed) >= proportional
	if due {
		if err := s.list(); err != nil {
			return 0, false, err
		}
	}
	if s.file != "" && !s.left {
		text, err := readFile(s.file, s.buffer)
		return number(text, s.fields[0]) + number(text, s.fields[1]), err == nil, err
	}
	switch {
	case len(s.pids) == 0:
		return 0, false, nil
	case len(s.pids) == 1:
		return s.resident()
	case due:
		return s.proportional()
	}
	return 0, false, nil
}

// list looks what processes there are. What one of them allocated before it left its cgroup stays there, and what it
// allocates later does not, so the processes tell from then on.
func (s *sampler) list() (err error) {
	s.listed = time.Now()
	if s.pids, err = s.target.Pids(); err != nil || s.file == "" || s.left {
		return err
	}
	names, err := outside(s.target, s.pids)
	s.left = len(names) > 0
	return err
}

// resident is the anonymous memory of processes that share none. Pages that a
// fork still shares are counted for each.
func (s *sampler) resident() (bytes uint64, ok bool, err error) {
	for _, pid := range s.pids {
		text, err := readFile(fmt.Sprintf("/proc/%d/status", pid), s.buffer)
		if ended(err) {
			continue
		}
		if err != nil {
			return 0, false, err
		}
		bytes += (number(text, "RssAnon:") + number(text, "RssShmem:")) << 10
	}
	return bytes, bytes > 0, nil
}

// proportional counts a page that processes share in parts. A kernel or a user
// without the right to ask gets the sum of what each has.
func (s *sampler) proportional() (bytes uint64, ok bool, err error) {
	for _, pid := range s.pids {
		text, err := readFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid), s.buffer)
		if ended(err) {
			continue
		}
		if err != nil {
			return s.resident()
		}
		bytes += (number(text, "Pss_Anon:") + number(text, "Pss_Shmem:")) << 10
	}
	return bytes, bytes > 0, nil
}
