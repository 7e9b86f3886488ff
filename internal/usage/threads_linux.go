package usage

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// readThreads reads the CPU time of every thread of a target.
func readThreads(t Target) (map[thread]time.Duration, error) {
	pids, err := t.Pids()
	if err != nil {
		return nil, err
	}
	used := map[thread]time.Duration{}
	buffer := make([]byte, 1024)
	for _, pid := range pids {
		tids, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if ended(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("listing the threads of process %d: %w", pid, err)
		}
		for _, tid := range tids {
			one, err := readThread(fmt.Sprintf("/proc/%d/task/%s", pid, tid.Name()), buffer)
			if ended(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			used[thread{pid, int(digits(tid.Name()))}] = one
		}
	}
	return used, nil
}

// readThread reads the CPU time of one thread: to the nanosecond where the
// kernel keeps scheduling statistics, otherwise in ticks.
func readThread(dir string, buffer []byte) (time.Duration, error) {
	text, err := readFile(dir+"/schedstat", buffer)
	if ran, _, ok := strings.Cut(string(text), " "); err == nil && ok && ran != "0" {
		return time.Duration(digits(ran)), nil
	}
	text, err = readFile(dir+"/stat", buffer)
	if err != nil {
		return 0, err
	}
	own, err := parseTimes(string(text))
	return own.user + own.system, err
}
