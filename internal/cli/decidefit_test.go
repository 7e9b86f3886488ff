//go:build linux

package cli

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
)

// A runtime that compiles while it runs has more time to start, unless the user chose that, and its warm-up is explained, unless
// the user chose this.
func TestSuit(t *testing.T) {
	const own = 45 * time.Second
	for name, c := range map[string]struct {
		language        string
		given           config.Sets
		quick           bool
		patience        time.Duration // as it is
		patient         time.Duration
		isSaidToCompile bool
	}{
		"java":                   {"java", nil, false, program.DefaultPatience, slowStart, true},
		"node":                   {"node", nil, false, program.DefaultPatience, slowStart, true},
		"python":                 {"python", nil, false, program.DefaultPatience, program.DefaultPatience, false},
		"a warm-up":              {"java", config.Sets{{Path: "load.warmup", Value: "3s"}}, false, program.DefaultPatience, slowStart, false},
		"a patience":             {"java", nil, false, own, own, true},
		"the usual one, by name": {"java", config.Sets{{Path: "workload.processes.0.patience", Value: "30s"}}, false, program.DefaultPatience, program.DefaultPatience, true},
		"quick":                  {"java", nil, true, program.DefaultPatience, slowStart, false},
	} {
		e := &config.Experiment{Workload: &program.Workload{Language: c.language, Processes: []program.Process{{Patience: c.patience}}}}
		d := &deciding{run: runFlags{given: c.given, quick: c.quick}}
		d.suit(e)
		if got := e.Workload.Processes[0].Patience; got != c.patient || (d.warmed != "") != c.isSaidToCompile {
			t.Errorf("%s: %q, %v of patience", name, d.warmed, got)
		}
	}
}
