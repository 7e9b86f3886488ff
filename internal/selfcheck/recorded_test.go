package selfcheck

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
)

// recorded is what was measured once on a machine that others kept busy.
func recorded(t *testing.T, name string) *finding.Document {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var doc finding.Document
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return &doc
}

// The negative control, on real measurements: 150 µs never pass for 200, however
// few blocks there are; with all of them they fail. 200 µs never fail.
func TestRecorded(t *testing.T) {
	for name, test := range map[string]struct {
		never, all Verdict
	}{
		"burn-150.json": {Passed, Failed},
		"burn-200.json": {Failed, Inconclusive}, // 13 blocks, on a machine that was too noisy
	} {
		doc := recorded(t, name)
		l := length{experiment: Experiment{Name: Costs, Order: config.Paired}, variant: "burn-200", metric: "cpu_per_operation", unit: "s", known: 200e-6, tolerance: 20e-6, bound: 10e-6}
		f := &doc.Findings[0]
		samples := f.Samples
		for n := range len(samples) + 1 {
			f.Samples = samples[:n]
			c := l.check(map[string]Evidence{Costs: {Document: doc}}, 0.995)
			if n > 0 && c.Verdict == test.never || n == len(samples) && c.Verdict != test.all {
				t.Errorf("%s, %d blocks: %s (%v to %v): %s", name, n, c.Verdict, c.Low, c.High, c.Text)
			}
		}
	}
}
