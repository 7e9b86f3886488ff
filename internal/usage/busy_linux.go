package usage

// How busy the CPUs are, whoever uses them.

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Busy is what all programs, the kernel and the host have used of some CPUs
// since the machine started, to 10 ms; of all CPUs where none is given.
func Busy(cpus []int) (time.Duration, error) {
	f, err := os.Open("/proc/stat")
	if err != nil {
		return 0, fmt.Errorf("reading how busy the CPUs are: %w", err)
	}
	defer f.Close()
	wanted := map[string]bool{"cpu": len(cpus) == 0}
	for _, cpu := range cpus {
		wanted["cpu"+strconv.Itoa(cpu)] = true
	}
	var sum time.Duration
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		// cpuN user nice system idle iowait irq softirq steal …
		if len(fields) < 9 || !wanted[fields[0]] {
			continue
		}
		for i, field := range fields[1:9] {
			if i != 3 && i != 4 {
				sum += time.Duration(digits(field)) * tick
			}
		}
	}
	if err := lines.Err(); err != nil {
		return 0, fmt.Errorf("reading how busy the CPUs are: %w", err)
	}
	return sum, nil
}
