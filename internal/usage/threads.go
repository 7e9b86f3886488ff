package usage

// How busy the single threads of a process are: a program can be at its limit
// with one thread while its CPUs have room.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/role"
)

// Threads reads the CPU time of every living thread of the targets whose role it is;
// nothing where the system does not say.
func (m *Meter) Threads(is func(role.Role) bool) (readings.Threads, error) {
	n := len(m.targets)
	t := readings.Threads{At: time.Now(), Used: make([]map[readings.Thread]time.Duration, n), Compilers: make([]map[readings.Thread]time.Duration, n)}
	for i, target := range m.targets {
		if _, afar := target.(Afar); afar || !is(target.Role()) {
			continue
		}
		used, compilers, err := readThreads(target)
		if err != nil {
			return t, fmt.Errorf("reading what the threads of %s use: %w", target.Name(), err)
		}
		t.Used[i], t.Compilers[i] = used, compilers
	}
	return t, nil
}

// Want reports whether a thread of the targets whose role it is would run at the moment: one that others keep from its CPU uses
// nothing, and is not idle. It is false where the system does not say.
func (m *Meter) Want(is func(role.Role) bool) (bool, error) {
	for _, target := range m.targets {
		if _, afar := target.(Afar); afar || !is(target.Role()) {
			continue
		}
		if runs, err := wants(target); runs || err != nil {
			return runs, err
		}
	}
	return false, nil
}

// Reading the kernel's text files without making garbage of them.

// readFile reads a small file of the kernel's into buffer.
func readFile(path string, buffer []byte) ([]byte, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "reading", Path: path, Err: err}
	}
	n := 0
	for n < len(buffer) {
		got, err := syscall.Read(fd, buffer[n:])
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return nil, errors.Join(&os.PathError{Op: "reading", Path: path, Err: err}, syscall.Close(fd))
		}
		if got <= 0 {
			break
		}
		n += got
	}
	return buffer[:n], syscall.Close(fd)
}

// number returns the number after name at the beginning of a line, 0 where
// there is no such line.
func number(text []byte, name string) uint64 {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		if value, ok := bytes.CutPrefix(line, []byte(name)); ok {
			return digits(string(bytes.TrimSpace(value)))
		}
		text = rest
	}
	return 0
}

// digits returns the number that s begins with.
func digits(s string) uint64 {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, err := strconv.ParseUint(s[:end], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// times are from /proc/PID/stat; see proc_pid_stat(5).
type times struct {
	user, system           time.Duration // of the process, or of the thread
	childUser, childSystem time.Duration // of its children that ended and were waited for
}

// parseTimes reads the fields after the program's name, which stands in
// parentheses and may itself hold spaces and parentheses.
func parseTimes(stat string) (times, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const user, system, childUser, childSystem = 11, 12, 13, 14 // counted from the state, which is field 3
	if len(fields) <= childSystem {
		return times{}, fmt.Errorf("process status %q has too few fields", stat)
	}
	return times{
		user:        time.Duration(digits(fields[user])) * tick,
		system:      time.Duration(digits(fields[system])) * tick,
		childUser:   time.Duration(digits(fields[childUser])) * tick,
		childSystem: time.Duration(digits(fields[childSystem])) * tick,
	}, nil
}

// tick is the unit of times in /proc (USER_HZ, 100 on every Linux of today).
const tick = 10 * time.Millisecond
