// The same program twice, at rates that keep step with a kernel's timer and at one that does not: how sharp an answer is.

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// sharp are the figures of the same program twice, with half of the widest interval of ten blocks of 5 s on an idle machine.
var sharp = map[string]float64{metric.CPUPerOperation: 0.008, metric.LatencyP50: 0.05}

// Nothing may run beside it: what it looks at is the noise of this machine.
func TestSameTwice(t *testing.T) {
	more(t, "selfcheck")
	for _, rate := range []int{1500, 1000, 250, 2000, 1511} { // at 250 ticks a second all but the last keep step
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			c := tracetax(t, "run", "noise-floor", "--json", "--rate", itoa(rate), "--set", "load.warmup=1s", "--duration", "5s", "--blocks", "10",
				"--out", filepath.Join(t.TempDir(), "out"))
			doc := document(t, c.exit(t, 0))
			for of, most := range sharp {
				i := slices.IndexFunc(doc.Findings, func(f finding.Finding) bool { return f.Metric == of && f.Role == "" })
				if i < 0 || doc.Findings[i].Relative == nil || doc.Findings[i].Relative.Low == nil {
					t.Errorf("no interval of %s: %s", of, c.errOut.String())
					continue
				}
				r := doc.Findings[i].Relative
				t.Logf("%s: %+.2f %% (%+.2f to %+.2f)", of, 100*r.Estimate, 100**r.Low, 100**r.High)
				if half := (*r.High - *r.Low) / 2; half > most || *r.Low > most || *r.High < -most {
					t.Errorf("%s: want 0 ± %.1f %%", of, 100*most)
				}
			}
		})
	}
}
