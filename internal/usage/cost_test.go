package usage_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/usage"
)

// TestCost holds the meter to its promise: below 1 % of a CPU for four processes,
// with as much again for a machine that is busy otherwise. It is CPU time that
// is asserted, not wall time.
func TestCost(t *testing.T) {
	each(t, func(t *testing.T, l *process.Launcher) {
		var targets []usage.Target
		for _, name := range []string{"hold", "sleep", "burn", "grandparent"} {
			p := start(t, l, process.Command{}, name)
			p.do(t, 1)
			targets = append(targets, p)
		}
		m := usage.NewMeter(targets)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		before, keepers := used(syscall.RUSAGE_SELF), l.KeeperCPU()
		if err := m.Start(ctx); err != nil {
			t.Fatal(err)
		}
		const length = 2 * time.Second
		time.Sleep(length) // time is what the cost is over
		spent := time.Duration(used(syscall.RUSAGE_SELF)-before) + l.KeeperCPU() - keepers
		t.Logf("%v in %v ", spent, length)
		if spent > length/50 {
			t.Errorf("the meter and the keepers used %v in %v", spent, length)
		}
	})
}
