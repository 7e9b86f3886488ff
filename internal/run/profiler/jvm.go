// async-profiler, for Java. It is loaded into the running virtual machine by its socket for orders, which needs no JDK.

package profiler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/internal/record"
)

const asyncProfiler = "async-profiler"

// architectures are the folders of async-profiler's libraries.
var architectures = map[string]string{"amd64": "linux-x64", "arm64": "linux-arm64"}

// The least time between two samples of all threads; it grows with their number.
const (
	leastWall     = time.Millisecond
	wallOfAThread = 20 * time.Microsecond
)

// allocated is the number of allocated bytes between two samples.
const allocated = 64 << 10

// startAsync starts async-profiler with the kernel's events; if these are unavailable, with a timer of each thread, which is no
// finer than the kernel's ticks.
func startAsync(ctx context.Context, o Order, t target) (*Recording, error) {
	folder, err := o.Packages.folder(asyncProfiler)
	if err != nil {
		return nil, err
	}
	library := filepath.Join(folder, asyncProfiler, architectures[runtime.GOARCH], "libasyncProfiler.so")
	if _, err := os.Stat(library); err != nil {
		return nil, fmt.Errorf("finding its library: %w", err)
	}
	jvm, file := attached{pid: slices.Min(t.pids)}, filepath.Join(o.Folder, "collapsed.txt")
	interval := offBeat(max(o.Interval, time.Millisecond/10))
	start, stop := fmt.Sprintf("event=cpu,interval=%d", interval.Nanoseconds()), "collapsed,threads"
	switch o.Of {
	case record.ForWall:
		threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", jvm.pid))
		if err != nil {
			return nil, fmt.Errorf("counting its threads: %w", err)
		}
		interval = offBeat(max(leastWall, time.Duration(len(threads))*wallOfAThread))
		start = fmt.Sprintf("event=wall,interval=%d", interval.Nanoseconds())
	case record.ForAlloc:
		interval, start, stop = 0, fmt.Sprintf("event=alloc,alloc=%d", allocated), stop+",total"
	}
	err = jvm.load(ctx, library, "start,threads,"+start)
	by := asyncProfiler
	if refused := (*refusedError)(nil); errors.As(err, &refused) && o.Of == record.ForCPU {
		by += " (timers)"
		interval = max(interval, 4*time.Millisecond)
		err = jvm.load(ctx, library, fmt.Sprintf("start,event=ctimer,interval=%d,threads", interval.Nanoseconds()))
	}
	if err != nil {
		return nil, err
	}
	return &Recording{Profiler: by, Interval: interval, stop: func(ctx context.Context) (*profile.Profile, error) {
		if err := jvm.load(ctx, library, "stop,"+stop+",file="+file); err != nil {
			return nil, err
		}
		text, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("reading its samples: %w", err)
		}
		defer text.Close() // nothing was written
		p, err := profile.Read(profile.Collapsed, text)
		if err != nil {
			return nil, fmt.Errorf("reading its samples: %w", err)
		}
		if o.Of == record.ForAlloc {
			p.AreBytes(allocated)
		}
		return p, nil
	}}, nil
}

// attached is a running virtual machine, at the socket for orders.
type attached struct{ pid int }

// refusedError is an order that was understood, but not carried out.
type refusedError struct{ said string }

func (e *refusedError) Error() string { return "the virtual machine refused it: " + e.said }

// carriedOut matches the answer of an agent that did its work; before Java 9 it is the number alone.
var carriedOut = regexp.MustCompile(`(?m)^(?:return code: )?(-?\d+)\s*$`)

// load makes the virtual machine load an agent, or passes options to the loaded one.
func (j attached) load(ctx context.Context, library, options string) error {
	answer, err := j.order(ctx, "load", library, "true", options)
	if err != nil {
		return fmt.Errorf("asking the virtual machine of process %d: %w", j.pid, err)
	}
	status, rest, _ := strings.Cut(answer, "\n")
	code := carriedOut.FindStringSubmatch(rest)
	if strings.TrimSpace(status) != "0" || code == nil || code[1] != "0" {
		return &refusedError{quote.Line(strings.Join(strings.Fields(answer), " "))}
	}
	return nil
}

// order gives an order of the attach protocol, and returns the answer.
func (j attached) order(ctx context.Context, words ...string) (answer string, err error) {
	socket, err := j.socket(ctx)
	if err != nil {
		return "", err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := conn.SetDeadline(time.Now().Add(stopPatience)); err != nil {
		return "", err
	}
	text := "1\x00"
	for _, word := range append(words, make([]string, max(0, 4-len(words)))...) { // a command has three arguments
		text += word + "\x00"
	}
	if _, err := io.WriteString(conn, text); err != nil {
		return "", err
	}
	all, err := io.ReadAll(io.LimitReader(conn, 1<<20))
	return string(bytes.TrimSpace(all)), err
}

// insidePID returns the number that a process has in its own namespace, as in a container.
func insidePID(pid int) string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err == nil {
		for line := range strings.Lines(string(status)) {
			if numbers, ok := strings.CutPrefix(line, "NSpid:"); ok && len(strings.Fields(numbers)) > 0 {
				all := strings.Fields(numbers)
				return all[len(all)-1]
			}
		}
	}
	return strconv.Itoa(pid)
}

// socket returns the path at which the virtual machine takes orders: it opens it on SIGQUIT if a file of a certain name exists.
func (j attached) socket(ctx context.Context) (path string, err error) {
	dir, inside := filepath.Join("/proc", strconv.Itoa(j.pid)), insidePID(j.pid)
	path = filepath.Join(dir, "root", "tmp", ".java_pid"+inside)
	there := func() bool { info, err := os.Stat(path); return err == nil && info.Mode()&os.ModeSocket != 0 }
	if there() {
		return path, nil
	}
	ask := filepath.Join(dir, "root", "tmp", ".attach_pid"+inside)
	if err := os.WriteFile(ask, nil, 0o600); err != nil {
		return "", fmt.Errorf("asking for a socket: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(ask)) }()
	if err := syscall.Kill(j.pid, syscall.SIGQUIT); err != nil {
		return "", fmt.Errorf("asking for a socket by SIGQUIT: %w", err)
	}
	deadline := time.NewTimer(startPatience)
	defer deadline.Stop()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !there() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-deadline.C:
			return "", fmt.Errorf("it opened no socket within %v (-XX:+DisableAttachMechanism forbids it)", startPatience)
		}
	}
	return path, nil
}
