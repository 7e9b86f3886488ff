package machine

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of /proc/stat: Linux fixes it at 100 a second for programs.
const tick = 10 * time.Millisecond

// LoadAverage returns the load of the last minute.
func LoadAverage() (float64, error) {
	first, _, _ := strings.Cut(firstLine("/proc/loadavg"), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return 0, fmt.Errorf("reading the load of the machine from /proc/loadavg: %w", err)
	}
	return load, nil
}

// CPUTimes returns what CPUs have worked, and what the host has taken of the time for which they had work, since the machine
// started, all CPUs together.
func CPUTimes() (worked, stolen time.Duration, err error) { return timesOf(firstLine("/proc/stat")) }

func timesOf(line string) (worked, stolen time.Duration, err error) {
	fields := strings.Fields(line)
	// cpu user nice system idle iowait irq softirq steal …
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, 0, fmt.Errorf("reading CPU times: /proc/stat begins with %q", line)
	}
	var ticks [9]time.Duration
	for i := 1; i < len(ticks); i++ {
		n, err := strconv.ParseUint(fields[i], 10, 63)
		if err != nil {
			return 0, 0, fmt.Errorf("reading CPU times from /proc/stat: %w", err)
		}
		ticks[i] = time.Duration(n) * tick
	}
	return ticks[1] + ticks[2] + ticks[3] + ticks[6] + ticks[7], ticks[8], nil
}

func describe(f *Facts) {
	f.Kernel = firstLine("/proc/sys/kernel/osrelease")
	f.Governor = firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	f.CPUModel = field("/proc/cpuinfo", "model name")
	f.Hypervisor = strings.Contains(" "+field("/proc/cpuinfo", "flags")+" ", " hypervisor ")
	kilobytes, _, _ := strings.Cut(field("/proc/meminfo", "MemTotal"), " ")
	if n, err := strconv.ParseUint(kilobytes, 10, 53); err == nil {
		f.MemoryBytes = n * 1024
	}
}

// field returns the value of the first "name : value" line of a file.
func field(path, name string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return "" // unknown
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	for lines.Scan() {
		key, value, found := strings.Cut(lines.Text(), ":")
		if found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// FreeMemory is what this process can have in bytes, 0 if unknown: what the machine
// has, or the cgroups that the process is in.
func FreeMemory() uint64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	free := parseMeminfo(string(text))
	if left, ok := cgroupMemory(); ok {
		free = min(free, left)
	}
	return free
}

// parseMeminfo finds MemAvailable, in bytes.
func parseMeminfo(text string) uint64 {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			n, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			if err != nil {
				return 0
			}
			return n << 10
		}
	}
	return 0
}

// cgroupMemory is what the cgroup that this process sees as its own has left
// (version 2, then 1), false where there is no limit.
func cgroupMemory() (uint64, bool) {
	for _, files := range [][2]string{
		{"memory.max", "memory.current"},
		{"memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"},
	} {
		limit, ok := readNumber(filepath.Join("/sys/fs/cgroup", files[0]))
		used, known := readNumber(filepath.Join("/sys/fs/cgroup", files[1]))
		if ok && known && limit < 1<<62 {
			return limit - min(used, limit), true
		}
	}
	return 0, false
}

// readNumber reads a file that holds a number.
func readNumber(name string) (uint64, bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
