// Package proctree owns what the kernel tells of processes: which run, which descend from which, which threads there are, and
// how it writes lists of CPUs. It must not know why a process was started, nor what becomes of it.
package proctree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Merge returns the numbers of a and b, in order and each once.
func Merge(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// FormatCPUs writes a list of CPUs as the kernel writes it, "0-2,5", in order and each CPU once.
func FormatCPUs(cpus []int) string {
	sorted := slices.Compact(slices.Sorted(slices.Values(cpus)))
	var parts []string
	for i := 0; i < len(sorted); {
		last := i
		for last+1 < len(sorted) && sorted[last+1] == sorted[last]+1 {
			last++
		}
		if last == i {
			parts = append(parts, strconv.Itoa(sorted[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", sorted[i], sorted[last]))
		}
		i = last + 1
	}
	return strings.Join(parts, ",")
}

// maxCPUs bounds the numbers of ParseCPUs: a wrong list cannot fill memory.
const maxCPUs = 1 << 16

// ParseCPUs parses a list of CPUs; "" is no CPU.
func ParseCPUs(list string) ([]int, error) {
	var cpus []int
	for _, part := range strings.Split(strings.TrimSpace(list), ",") {
		if part == "" {
			continue
		}
		from, to, ranged := strings.Cut(part, "-")
		low, err := strconv.Atoi(from)
		high := low
		if err == nil && ranged {
			high, err = strconv.Atoi(to)
		}
		if err != nil || low < 0 || high < low || high >= maxCPUs {
			return nil, fmt.Errorf("CPU list %q: %q is neither a number nor a range", list, part)
		}
		for cpu := low; cpu <= high; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}
