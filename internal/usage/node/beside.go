package node

// Containers that share the meter's process namespace, as those of one pod may: their processes are seen there, whoever's they are.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/usage"
)

// NewBeside returns a meter of the containers whose processes this process sees. A container of this user's is read from its
// cgroup, that of another user from the clocks of its processes.
func NewBeside() *Meter { return &Meter{beside: true, found: map[string]group{}} }

// readBeside reads a container by its processes.
func (m *Meter) readBeside(container string) (Reading, error) {
	of := neighbours{container: container}
	pids, err := of.Pids()
	if err != nil {
		return Reading{}, err
	}
	if len(pids) == 0 {
		return Reading{}, &GoneError{container}
	}
	r, err := m.readNeighbours(of, pids[0])
	if err == nil {
		return r, nil
	}
	if left, again := of.Pids(); again == nil && len(left) == 0 {
		return Reading{}, &GoneError{container}
	}
	return r, fmt.Errorf("reading container %.12s beside this one: %w", container, err)
}

// readNeighbours reads the processes of a container, the first of which is known.
func (m *Meter) readNeighbours(of neighbours, first int) (Reading, error) {
	g, err := m.groupBeside(of.container, first)
	if err != nil {
		return Reading{}, err
	}
	if g.at != nil {
		r, memory, err := usage.OfGroup(g.at)
		return readingOf(r, memory, g.since), err
	}
	r, memory, err := usage.OfProcesses(of)
	return readingOf(r, memory, g.since), err
}

// groupBeside returns the cgroup of a container as its first process sees it; without one if that is another user's.
func (m *Meter) groupBeside(container string, pid int) (g group, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if of, known := m.found[container]; known {
		return of, nil
	}
	if g.since, err = begun(pid); err != nil {
		return g, err
	}
	root := fmt.Sprintf("/proc/%d/root/sys/fs/cgroup", pid) // its own cgroup is at the top there
	at := map[string]string{"unified": root, "memory": root}
	if _, err := os.Stat(filepath.Join(root, "cpuacct")); err == nil {
		at = map[string]string{}
		for _, controller := range []string{"cpuacct", "cpu", "memory"} {
			at[controller] = filepath.Join(root, controller)
		}
	}
	top := at["cpuacct"]
	if top == "" {
		top = root
	}
	// Another user's is not to be read; and what is there may be the cgroup of the whole machine.
	inside, err := os.ReadFile(filepath.Join(top, "cgroup.procs"))
	if err == nil && slices.Contains(strings.Fields(string(inside)), strconv.Itoa(pid)) {
		if _, _, err := usage.OfGroup(at); err == nil {
			g.at = at
		}
	}
	m.found[container] = g
	return g, nil
}

// begun returns when a process began, to 10 ms.
func begun(pid int) (time.Time, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return time.Time{}, fmt.Errorf("reading when a process began: %w", err)
	}
	up, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return time.Time{}, fmt.Errorf("reading when a process began: %w", err)
	}
	now := time.Now()
	_, after, _ := strings.Cut(string(stat), ") ") // its name may have blanks
	fields := strings.Fields(after)
	since, _, _ := strings.Cut(string(up), " ")
	const started, tick = 19, 10 * time.Millisecond // field 22
	if len(fields) <= started {
		return time.Time{}, fmt.Errorf("reading when process %d began: its stat has %d fields", pid, len(fields))
	}
	ticks, err := strconv.ParseInt(fields[started], 10, 64)
	seconds, upErr := strconv.ParseFloat(since, 64)
	return now.Add(time.Duration(ticks)*tick - time.Duration(seconds*float64(time.Second))), errors.Join(err, upErr)
}

// neighbours are the processes of a container.
type neighbours struct{ container string }

var _ usage.Target = neighbours{}

// Pids implements usage.Target: a process tells its cgroup to everybody. The first one has the lowest number: the container's own, whose
// children come and go.
func (n neighbours) Pids() ([]int, error) { return n.pidsIn("/proc") }

func (n neighbours) pidsIn(proc string) (pids []int, err error) {
	all, err := os.ReadDir(proc)
	if err != nil {
		return nil, fmt.Errorf("looking for the processes of container %.12s: %w", n.container, err)
	}
	for _, one := range all {
		pid, err := strconv.Atoi(one.Name())
		if err != nil {
			continue // no process
		}
		text, err := os.ReadFile(filepath.Join(proc, one.Name(), "cgroup"))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it has ended
		}
		if err != nil {
			return nil, fmt.Errorf("looking for the processes of container %.12s: %w", n.container, err)
		}
		if strings.Contains(string(text), n.container) {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids) // the folder lists 12 before 7
	return pids, nil
}

// Reaped implements usage.Target: children that a process waited for are in its own times. Those that nobody waited for are lost.
func (n neighbours) Reaped() (used syscall.Rusage, err error) { return used, nil }

// Name implements usage.Target.
func (n neighbours) Name() string { return n.container }

// Role implements usage.Target.
func (n neighbours) Role() role.Role { return role.App }

// Groups implements usage.Target.
func (n neighbours) Groups() map[string]string { return nil }

// LogFull implements usage.Target.
func (n neighbours) LogFull() time.Duration { return 0 }
