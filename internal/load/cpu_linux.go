// CPU time of a process, from the scheduler's account of its threads.

package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ReadCPU returns the CPU time of a process's living threads until now.
func ReadCPU(pid int) (Threads, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		return nil, fmt.Errorf("finding the threads of process %d: %w", pid, err)
	}
	if len(threads) == 0 {
		return nil, fmt.Errorf("reading what process %d uses: it has ended, or this kernel keeps no /proc/PID/task/*/schedstat", pid)
	}
	found := Threads{}
	for _, name := range threads {
		text, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // the thread has just ended
		}
		var id int
		var ran, waited int64
		if err == nil {
			_, err = fmt.Sscan(filepath.Base(filepath.Dir(name))+" "+string(text), &id, &ran, &waited)
		}
		if err != nil {
			return nil, fmt.Errorf("reading what process %d uses: %w", pid, err)
		}
		found[id] = CPUTime{Ran: time.Duration(ran), Waited: time.Duration(waited)}
	}
	return found, nil
}
