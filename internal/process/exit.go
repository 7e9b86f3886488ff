package process

// How a program ended.

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Exit is how the program's main process ended.
type Exit struct {
	Code        int            // exit status; −1 where a signal ended it
	Signal      syscall.Signal // 0 where it ended by itself
	Rusage      syscall.Rusage // its own and that of the children it waited for
	OutOfMemory bool           // the kernel killed in its cgroup for want of memory
	Lost        bool           // its keeper was killed, so that nobody knows the status
	Left        int            // processes of its making that were still running at that moment
	At          time.Time      // when tracetax heard of it
}

// String says it in words: "exit status 1", "killed by SIGKILL (out of memory)".
func (e Exit) String() string {
	var s string
	switch {
	case e.Lost:
		return "killed together with its keeper"
	case e.Signal != 0:
		s = "killed by " + signalName(e.Signal)
	default:
		s = fmt.Sprintf("exit status %d", e.Code)
	}
	if e.OutOfMemory {
		s += " (out of memory: its memory limit was reached)"
	}
	if e.Left > 0 && e.Signal == 0 && e.Code == 0 {
		s += " leaving processes in the background: have it stay in the foreground"
	}
	return s
}

func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}

func exitOf(status syscall.WaitStatus, usage syscall.Rusage) Exit {
	e := Exit{Code: -1, Rusage: usage}
	if status.Signaled() {
		e.Signal = status.Signal()
		return e
	}
	e.Code = status.ExitStatus()
	return e
}
