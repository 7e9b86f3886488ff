//go:build linux

package cli

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
)

// A runtime that compiles while it runs has a longer warm-up and more time to start, unless the user chose these.
func TestSuit(t *testing.T) {
	const own, longer = 45 * time.Second, 20 * time.Second
	for name, c := range map[string]struct {
		language        string
		given           config.Sets
		quick           bool
		patience        time.Duration // as it is
		warmup, patient time.Duration
		isSaidToCompile bool
	}{
		"java":                   {"java", nil, false, program.DefaultPatience, longer, slowStart, true},
		"node":                   {"node", nil, false, program.DefaultPatience, 6 * time.Second, slowStart, true},
		"python":                 {"python", nil, false, program.DefaultPatience, config.DefaultWarmup, program.DefaultPatience, false},
		"a warm-up":              {"java", config.Sets{{Path: "load.warmup", Value: "3s"}}, false, program.DefaultPatience, config.DefaultWarmup, slowStart, false},
		"a warm-up of all":       {"java", config.Sets{{Path: "load.warmup_all", Value: "9s"}}, false, program.DefaultPatience, config.DefaultWarmup, slowStart, false},
		"a patience":             {"java", nil, false, own, longer, own, true},
		"the usual one, by name": {"java", config.Sets{{Path: "workload.processes.0.patience", Value: "30s"}}, false, program.DefaultPatience, longer, program.DefaultPatience, true},
		"quick":                  {"java", nil, true, program.DefaultPatience, config.DefaultWarmup, slowStart, false},
	} {
		e := &config.Experiment{Workload: &program.Workload{Language: c.language, Processes: []program.Process{{Patience: c.patience}}},
			Load: config.Load{Warmup: config.DefaultWarmup}}
		d := &deciding{run: runFlags{given: c.given, quick: c.quick}}
		d.suit(e)
		if got := e.Workload.Processes[0].Patience; e.Load.Warmup != c.warmup || got != c.patient || (d.warmed != "") != c.isSaidToCompile {
			t.Errorf("%s: %v of warm-up (%q), %v of patience", name, e.Load.Warmup, d.warmed, got)
		}
	}
}
