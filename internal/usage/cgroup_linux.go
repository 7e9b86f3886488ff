package usage

// Readings from cgroups: everything that ran in them, the dead included. The
// kernel books the time of a thread when it leaves its CPU, and otherwise at
// every timer tick (1 to 10 ms): a busy thread is behind by less than a tick.

import (
	"path/filepath"
	"time"
)

func readV1(groups map[string]string) (reading, error) {
	r := reading{at: time.Now(), source: "cgroup v1"}
	buffer := make([]byte, 4096)
	total, err := readFile(filepath.Join(groups["cpuacct"], "cpuacct.usage"), buffer)
	if err != nil {
		return r, err
	}
	r.cpu = time.Duration(digits(string(total)))
	split, err := readFile(filepath.Join(groups["cpuacct"], "cpuacct.stat"), buffer)
	if err != nil {
		return r, err
	}
	r.system = time.Duration(number(split, "system ")) * tick
	if groups["cpu"] == "" {
		return r, nil
	}
	stat, err := readFile(filepath.Join(groups["cpu"], "cpu.stat"), buffer)
	r.throttled = time.Duration(number(stat, "throttled_time "))
	return r, err
}

func readV2(groups map[string]string) (reading, error) {
	r := reading{at: time.Now(), source: "cgroup v2"}
	stat, err := readFile(filepath.Join(groups["unified"], "cpu.stat"), make([]byte, 4096))
	r.cpu = time.Duration(number(stat, "usage_usec ")) * time.Microsecond
	r.system = time.Duration(number(stat, "system_usec ")) * time.Microsecond
	r.throttled = time.Duration(number(stat, "throttled_usec ")) * time.Microsecond
	return r, err
}
