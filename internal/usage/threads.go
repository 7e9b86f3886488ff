package usage

// How busy the single threads of a process are: a program can be at its limit
// with one thread while its CPUs have room.

import (
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/role"
)

// Threads is what the threads of the targets have used until one moment. The
// zero value is a reading of nothing.
type Threads struct {
	at      time.Time
	targets []map[thread]time.Duration
}

// Threads reads the CPU time of every living thread of the targets whose role it is;
// nothing where the system does not say.
func (m *Meter) Threads(is func(role.Role) bool) (Threads, error) {
	t := Threads{at: time.Now(), targets: make([]map[thread]time.Duration, len(m.targets))}
	for i, target := range m.targets {
		if !is(target.Role()) {
			continue
		}
		used, err := readThreads(target)
		if err != nil {
			return t, fmt.Errorf("reading what the threads of %s use: %w", target.Name(), err)
		}
		t.targets[i] = used
	}
	return t, nil
}

// Want reports whether a thread of the targets whose role it is would run at the moment: one that others keep from its CPU uses
// nothing, and is not idle. It is false where the system does not say.
func (m *Meter) Want(is func(role.Role) bool) (bool, error) {
	for _, target := range m.targets {
		if !is(target.Role()) {
			continue
		}
		if runs, err := wants(target); runs || err != nil {
			return runs, err
		}
	}
	return false, nil
}

// Hottest returns the process whose busiest thread used most from a to b, and
// the share of one CPU that this thread used: "" and 0 where nothing is known.
// Threads that ended meanwhile are not seen.
func (m *Meter) Hottest(a, b Threads) (process string, share float64) {
	passed := b.at.Sub(a.at).Seconds()
	if len(a.targets) != len(b.targets) || passed <= 0 {
		return "", 0
	}
	for i := range b.targets {
		for id, used := range b.targets[i] {
			before := a.targets[i][id]
			if before > used {
				before = 0 // the number was given to a new thread
			}
			if s := (used - before).Seconds() / passed; s > share {
				process, share = m.targets[i].Name(), s
			}
		}
	}
	return process, share
}

// Context switches, counted thread by thread.

// switches is a reading of context switches. The kernel keeps them by thread,
// and by process only for those that have ended, so that a difference needs the
// single threads: those that ended between two readings are lost, unless their
// process ended too and was reaped.
type switches struct {
	threads map[thread]uint64
	reaped  uint64
}

type thread struct{ process, id int }

// since returns how many there were after before was read.
func (s switches) since(before switches) uint64 {
	var sum, lost uint64
	alive := map[int]bool{}
	for t, n := range s.threads {
		alive[t.process] = true
		if b := before.threads[t]; n >= b {
			sum += n - b
		} else {
			sum += n // the number was given to a new thread
		}
	}
	for t, n := range before.threads {
		if !alive[t.process] {
			lost += n // these are within what was reaped since
		}
	}
	if reaped := s.reaped - min(before.reaped, s.reaped); reaped > lost {
		sum += reaped - lost
	}
	return sum
}
