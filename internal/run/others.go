package run

import (
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/usage"
)

// busy is a reading of how busy the run's CPUs are, whoever uses them.
type busy struct {
	at           time.Time
	app, harness time.Duration
	ok           bool
}

func (s *stage) busy() busy {
	b := busy{at: time.Now()}
	var appErr, harnessErr error
	b.app, appErr = usage.Busy(s.placement.App)
	b.harness, harnessErr = usage.Busy(s.placement.Harness)
	b.ok = appErr == nil && harnessErr == nil // elsewhere than on Linux nothing is read, and nothing is said
	return b
}

// others is the share of the app's CPUs, or of the harness's, whichever is more,
// that was used by nobody of this run; own is what tracetax itself used.
func (s *stage) others(from, to busy, used []record.Usage, own time.Duration) float64 {
	elapsed := to.at.Sub(from.at).Seconds()
	if !from.ok || !to.ok || elapsed <= 0 {
		return 0
	}
	var app, harness float64
	for _, u := range used {
		if u.Role.OnApp() {
			app += u.CPUSeconds
		} else {
			harness += u.CPUSeconds
		}
	}
	harness += own.Seconds()
	if len(s.placement.App) == 0 || s.placement.Shared { // the same CPUs
		app += harness
		harness = app
	}
	share := func(all time.Duration, ours float64, cpus []int) float64 {
		return max(0, all.Seconds()-ours) / elapsed / count(cpus)
	}
	return max(share(to.app-from.app, app, s.placement.App), share(to.harness-from.harness, harness, s.placement.Harness))
}

// own is the CPU time that tracetax itself has used until now.
func (s *stage) own() time.Duration { return usage.Own() + s.launcher.KeeperCPU() }
