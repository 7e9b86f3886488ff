//go:build !linux

package keeper

// Where there are no cgroups and no reaping of orphans: the program's process
// group is all that can be held together.

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func adoptOrphans() error { return nil }

func (k *keeper) enter() (*syscall.SysProcAttr, func() error, error) {
	return &syscall.SysProcAttr{Setpgid: true}, func() error { return nil }, nil
}

// awaitChild waits a moment: without waiting and reaping apart, reapOne has to ask again.
func awaitChild() { time.Sleep(5 * time.Millisecond) }

func duplicate(from, to int) error { return unix.Dup2(from, to) }

func Monotonic() int64 { return time.Now().UnixNano() }
