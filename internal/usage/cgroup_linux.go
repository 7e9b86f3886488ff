package usage

// Readings from cgroups: exact for everything that ran in them, the dead included.

import (
	"path/filepath"
	"time"
)

func readV1(t Target, groups map[string]string) (reading, error) {
	if err := settle(t); err != nil {
		return reading{}, err
	}
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

func readV2(t Target, groups map[string]string) (reading, error) {
	if err := settle(t); err != nil {
		return reading{}, err
	}
	r := reading{at: time.Now(), source: "cgroup v2"}
	stat, err := readFile(filepath.Join(groups["unified"], "cpu.stat"), make([]byte, 4096))
	r.cpu = time.Duration(number(stat, "usage_usec ")) * time.Microsecond
	r.system = time.Duration(number(stat, "system_usec ")) * time.Microsecond
	r.throttled = time.Duration(number(stat, "throttled_usec ")) * time.Microsecond
	return r, err
}
