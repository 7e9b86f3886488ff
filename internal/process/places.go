package process

// The CPUs of the app, and those of the rest of the harness.

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
)

// Placement assigns CPUs to programs.
type Placement struct {
	App     []int // nil if processes cannot be bound
	Harness []int // everything else: load, sink, database, tracetax itself
	Shared  bool  // the app has no CPU to itself
}

// Places gives the app as many CPUs as its quota needs (at least one) and everything else the others, out of those of tracetax.
// If there are enough, the other hardware threads of the app's cores stay empty. Call it before Pin.
func Places(appCPUs float64) Placement {
	allowed, siblings := allowedCPUs()
	return place(allowed, siblings, appCPUs)
}

// place is Places for a known machine; siblings lists, for each CPU, the
// hardware threads of its core.
func place(allowed []int, siblings map[int][]int, appCPUs float64) Placement {
	if len(allowed) == 0 {
		return Placement{Shared: true}
	}
	if len(allowed) == 1 {
		return Placement{App: allowed, Harness: allowed, Shared: true}
	}
	n := min(max(1, int(math.Ceil(appCPUs))), len(allowed)-1)
	// From the end: the kernel and its interrupts like the first CPU best.
	byCore := coresFromEnd(allowed, siblings)
	app := slices.Clone(byCore[:n])
	rest := slices.Clone(byCore[n:])
	quiet := slices.DeleteFunc(slices.Clone(rest), func(cpu int) bool {
		return slices.ContainsFunc(siblings[cpu], func(s int) bool { return slices.Contains(app, s) })
	})
	if len(quiet) > 0 {
		rest = quiet
	}
	slices.Sort(app)
	slices.Sort(rest)
	return Placement{App: app, Harness: rest}
}

// coresFromEnd orders CPUs from the last, the threads of a core together.
func coresFromEnd(allowed []int, siblings map[int][]int) []int {
	var ordered []int
	for _, cpu := range slices.Backward(slices.Sorted(slices.Values(allowed))) {
		for _, s := range append([]int{cpu}, siblings[cpu]...) {
			if slices.Contains(allowed, s) && !slices.Contains(ordered, s) {
				ordered = append(ordered, s)
			}
		}
	}
	return ordered
}

// Free ports, and the programs that hold the others.

// FreePorts returns n different TCP ports that are free on this machine, adjacent if possible. They are outside the kernel's
// range for outgoing connections, if there is room, so none is taken before its program listens; and no other tracetax was
// given them recently.
func FreePorts(n int) ([]int, error) {
	candidates := portsOutside(ephemeral())
	first := rand.IntN(len(candidates))
	return freeOf(slices.Concat(candidates[first:], candidates[:first]), n)
}

// freeOf returns the first n of the candidates that are free.
func freeOf(candidates []int, n int) ([]int, error) {
	free := make([]int, 0, n)
	for _, port := range candidates {
		if len(free) == n {
			break
		}
		if tryBind(port, false) == nil && reserved.take(port) {
			free = append(free, port)
		}
	}
	if len(free) < n {
		return nil, fmt.Errorf("finding %d free ports: only %d of %d are free: stop what listens on them (see 'ss -ltnp')", n, len(free), len(candidates))
	}
	return free, nil
}

// PortTaken returns an error that names the holder of the port, nil if it is free. Ended connections hold a port for a minute,
// but servers can listen on it.
func PortTaken(port int) error {
	err := tryBind(port, true)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("port %d may not be used without privileges: choose one above 1023", port)
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("port %d is in use%s: stop that or choose another port", port, holder(port))
	}
	return fmt.Errorf("trying port %d: %w", port, err)
}

// portsOutside lists the ports from 10000 outside low to high; all of them if few would be left.
func portsOutside(low, high int) []int {
	const first, last, enough = 10000, 65535, 1000
	var outside, all []int
	for port := first; port <= last; port++ {
		all = append(all, port)
		if port < low || port > high {
			outside = append(outside, port)
		}
	}
	if len(outside) < enough {
		return all
	}
	return outside
}

// tryBind binds the port for a moment, on all addresses and without listening: no client can connect. reuse permits it beside
// ended connections.
func tryBind(port int, reuse bool) error {
	err := tryBindAs(syscall.AF_INET, &syscall.SockaddrInet4{Port: port}, reuse)
	if err != nil {
		return err
	}
	err = tryBindAs(syscall.AF_INET6, &syscall.SockaddrInet6{Port: port}, reuse)
	if errors.Is(err, syscall.EAFNOSUPPORT) || errors.Is(err, syscall.EADDRNOTAVAIL) {
		return nil // no IPv6 here
	}
	return err
}

// tryBindAs lets no program start meanwhile: it would inherit the socket, and hold the port for as long as it runs.
func tryBindAs(family int, address syscall.Sockaddr, reuse bool) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	syscall.CloseOnExec(fd)
	if reuse {
		err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	}
	if err == nil {
		err = syscall.Bind(fd, address)
	}
	return errors.Join(err, syscall.Close(fd))
}

// reserved holds the ports given out. Until its program listens on it, a port looks free to others.
var reserved = reservations{most: 512}

// reservations hold the last ports given out, those of many runs: a run has some ten, that of a graph over a hundred, and its
// programs listen within seconds.
type reservations struct {
	most int
	mu   sync.Mutex
	held []io.Closer // the oldest first
}

// take reserves a port, and gives up the oldest reservation if there are too many; false if this or another tracetax on this
// machine has reserved it.
func (r *reservations) take(port int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	mark, ok := reserve(port)
	if !ok {
		return false
	}
	if mark == nil { // not supported here
		return true
	}
	if r.held = append(r.held, mark); len(r.held) > r.most {
		_ = r.held[0].Close() // a name without a file: closing cannot fail
		r.held = r.held[1:]
	}
	return true
}
