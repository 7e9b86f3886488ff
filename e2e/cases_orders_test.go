// Programs that work by themselves, or that rest badly: each order tells what they cost, or that it does not know.

package e2e

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// moods are what a program does beside its operations, and what the second variant adds to each of these, in CPU seconds.
var moods = map[string]struct {
	both, second []string
	adds, within float64      // the truth, and by what share of it a figure may be off: a rare timer works more often in some blocks than in others
	most         float64      // what an operation of the first costs at the most, its server included
	code         finding.Code // why windows do not tell
}{
	"one of them has a timer": {nil, []string{"env.TIMER=0.1", "env.PERIOD=1.9"}, 0.001, 0.4, 0.002, finding.WhyRestless},
	"both have a timer":       {[]string{"TIMER=0.1", "PERIOD=1.9"}, []string{"env.WORK=0.002"}, 0.001, 0.4, 0.003, finding.WhyRestless},
	"both rest badly":         {[]string{"REST=0.3", "COLD=0.003"}, []string{"env.WORK=0.002"}, 0.001, 0.25, 0.002, finding.WhyRested},
}

func ordersAgree(t *testing.T) {
	for name, m := range moods {
		for _, order := range []string{"windows", "paired"} {
			t.Run(name+", "+order, func(t *testing.T) {
				t.Parallel()
				second := "second:env.SECOND=1"
				for _, one := range m.second {
					second += "," + one
				}
				args := []string{"run", "--name", "moody", "--op", "home=GET /", "--rate", "50", "--set", "load.warmup=500ms",
					"--duration", "4s", "--blocks", "6", "--set", "design.order=" + order,
					"--json", "--out", filepath.Join(t.TempDir(), "out"), "--variant", "first:env.SECOND=0", "--variant", second}
				for _, one := range m.both {
					args = append(args, "--env", one)
				}
				c := tracetax(t, slices.Concat(args, []string{"--", "python3", ofCase(t, "moody.py"), "{port}"})...)
				doc := document(t, c.exit(t, 0))
				i := slices.IndexFunc(doc.Findings, func(f finding.Finding) bool {
					return f.Variant == "second" && f.Metric == metric.CPUPerOperation && f.Role == ""
				})
				if i < 0 {
					t.Fatalf("no finding of CPU: %s", c.errOut.String())
				}
				f := doc.Findings[i]
				if order == "windows" && f.Verdict.Kind == finding.CannotTell && f.Verdict.Reason().Code == m.code {
					return
				}
				if f.Absolute == nil || math.Abs(f.Absolute.Estimate-m.adds) > m.within*m.adds || float64(f.Baseline) > m.most {
					t.Errorf("%+v added to %g s (%s), want %g s", f.Absolute, f.Baseline, f.Verdict.Text, m.adds)
				}
			})
		}
	}
}
