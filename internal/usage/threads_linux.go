package usage

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// readThreads reads the CPU time of every thread of a target.
func readThreads(t Target) (map[thread]time.Duration, error) {
	used := map[thread]time.Duration{}
	buffer := make([]byte, 1024)
	err := eachThread(t, func(id thread, dir string) error {
		one, err := readThread(dir, buffer)
		if err == nil {
			used[id] = one
		}
		return err
	})
	return used, err
}

// wants reports whether a thread of a target would run at the moment: it does, or waits for a CPU.
func wants(t Target) (bool, error) {
	runs := false
	buffer := make([]byte, 1024)
	err := eachThread(t, func(_ thread, dir string) error {
		text, err := readFile(dir+"/stat", buffer)
		if end := strings.LastIndexByte(string(text), ')'); err == nil && end >= 0 && strings.HasPrefix(string(text[end:]), ") R") {
			runs = true
		}
		return err
	})
	return runs, err
}

// eachThread calls do with every living thread of a target, and its folder in /proc. What ends meanwhile is left out.
func eachThread(t Target, do func(id thread, dir string) error) error {
	pids, err := t.Pids()
	if err != nil {
		return err
	}
	for _, pid := range pids {
		tids, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if ended(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("listing the threads of process %d: %w", pid, err)
		}
		for _, tid := range tids {
			err := do(thread{pid, int(digits(tid.Name()))}, fmt.Sprintf("/proc/%d/task/%s", pid, tid.Name()))
			if err != nil && !ended(err) {
				return err
			}
		}
	}
	return nil
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
