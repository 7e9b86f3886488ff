package keeper

// How a keeper ends what it keeps.

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/table"
)

// signalMain signals the main process unless it has been waited for: its number
// could belong to somebody else by then.
func (k *keeper) signalMain(s syscall.Signal) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.exited {
		return
	}
	_ = syscall.Kill(k.pid, s) // it may have ended a moment ago
}

func (k *keeper) signalOrphans(s syscall.Signal) {
	k.mu.Lock()
	defer k.mu.Unlock()
	pids, _ := k.members()
	for _, pid := range pids {
		if pid != k.pid || k.exited {
			_ = syscall.Kill(pid, s)
		}
	}
}

// killAll kills everything that descends from the program, again and again
// until nothing is left: what forks while it is being killed is caught in the
// next round.
func (k *keeper) killAll() {
	k.kill.Do(func() {
		round := time.NewTicker(10 * time.Millisecond)
		defer round.Stop()
		for !k.killOnce() {
			select {
			case <-k.gone:
			case <-round.C:
			}
		}
	})
	<-k.gone
}

// killOnce reports whether nothing was left to be killed.
func (k *keeper) killOnce() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.task.Group != "" {
		_ = cgroup.Kill(k.task.Group) // what it does not kill is killed one by one
	}
	pids, err := k.members()
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	select {
	case <-k.gone:
		return err != nil || len(pids) == 0
	default:
		return false
	}
}

// members lists the program's processes: its descendants, and whatever is in
// its cgroups.
func (k *keeper) members() ([]int, error) {
	pids, err := table.Descendants(os.Getpid())
	grouped, groupErr := cgroup.PIDs(k.task.Groups)
	return table.Merge(pids, grouped), errors.Join(err, groupErr)
}

// Waiting for everything that descends from the program.

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
