package loading

// This file reads what this process itself uses while it makes load.

import (
	"os"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/load"
)

// ownUse is what this process has used until a moment.
type ownUse struct {
	ran     time.Duration
	threads load.Threads // nil where the system does not tell
}

func ownCPU() ownUse {
	var u syscall.Rusage
	// Cannot fail: the arguments are right.
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	own := ownUse{ran: time.Duration(u.Utime.Nano() + u.Stime.Nano())}
	if threads, err := load.ReadCPU(os.Getpid()); err == nil {
		own.threads = threads
	}
	return own
}

// since is what was used after before, by so many event loops in the main.
func (u ownUse) since(before ownUse, loops int) load.CPUTime {
	used := load.CPUTime{Ran: u.ran - before.ran}
	if u.threads != nil && before.threads != nil {
		used.Waited = u.threads.Since(before.threads, loops).Waited
	}
	return used
}
