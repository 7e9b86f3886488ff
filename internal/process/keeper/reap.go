package keeper

// Waiting for everything that descends from the program.

import (
	"errors"
	"slices"
	"syscall"

	"github.com/tracetax/tracetax/internal/process/table"
)

// reap waits for every child and every orphan handed to this process, and adds
// up what they used. That there are no children means that nothing is left: an
// orphan of any depth would have become a child.
func (k *keeper) reap() {
	defer close(k.gone)
	for {
		awaitChild()
		pid, status, usage, err := k.reapOne()
		switch {
		case errors.Is(err, syscall.ECHILD):
			return
		case err != nil || pid == 0:
			continue
		case pid == k.pid:
			left, _ := k.members() // only said for the reader
			left = slices.DeleteFunc(left, func(pid int) bool { return !table.Running(pid) })
			k.report(Report{What: HasExited, Status: status, Usage: &usage, Left: len(left)})
		}
	}
}

func (k *keeper) reapOne() (int, syscall.WaitStatus, syscall.Rusage, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var status syscall.WaitStatus
	var usage syscall.Rusage
	pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, &usage)
	if err != nil || pid == 0 {
		return pid, status, usage, err
	}
	add(&k.usage, usage)
	if pid == k.pid {
		k.exited = true
	}
	return pid, status, usage, nil
}

func ownUsage() *syscall.Rusage {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return nil
	}
	return &u
}
