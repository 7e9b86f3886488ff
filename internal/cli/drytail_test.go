package cli

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/artifact"
)

// A plan says up to which percentile latency will be told, and what the next one takes.
func TestDryRunTellsOfPercentiles(t *testing.T) {
	t.Setenv(artifact.Variable, t.TempDir())
	for args, want := range map[string]string{
		"--duration 5s":             "  latency up to p99; p99.9 takes 20000 requests in a run, and there are 5000: --duration 20s\n",
		"--duration 2s":             "  latency up to p99; p99.9 takes",
		"--duration 1s":             "  latency up to p95; p99 takes 2000 requests in a run, and there are 1000: --duration 2s\n",
		"--duration 2s --rate 10/s": "  no percentile of latency; p50 takes 40 requests in a run, and there are 20: --duration 4s\n",
		"--duration 25s":            "  latency up to p99.9\n",
	} {
		if got := dryRunOf(t, append(strings.Fields(args), "noise-floor")...); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s\nwant %s", args, got, want)
		}
	}
}
