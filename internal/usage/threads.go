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
