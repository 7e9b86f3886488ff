package usage

// What is read from /proc/stat of how busy the CPUs are.

import (
	"strings"
	"testing"
	"time"
)

// CPU 0 worked 20 s of its 100 s, which the kernel measured by what it idled and waited; the
// ticks (user to steal) saw 45 s of work. CPU 1 worked 1 s.
const stat = `cpu  4000 0 600 17400 500 0 0 0 0 0
cpu0 4000 0 500 7900 100 0 0 0 0 0
cpu1 0 0 100 9500 400 0 0 0 0 0
intr 12345 1 2 3
ctxt 6789
cpufreq 1 2 3 4 5 6 7 8
`

func TestBusyIsWhatIdlingLeaves(t *testing.T) {
	for _, c := range []struct {
		name string
		cpus []int
		want time.Duration
	}{
		{"one CPU", []int{0}, 20 * time.Second},
		{"another", []int{1}, time.Second},
		{"two CPUs", []int{1, 0}, 21 * time.Second},
		{"all CPUs", nil, 21 * time.Second},
		{"a CPU that is not there", []int{7}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := notIdle(strings.NewReader(stat), 100*time.Second, c.cpus)
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("busy for %v, want %v", got, c.want)
			}
		})
	}
}
