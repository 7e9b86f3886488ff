package model

import (
	"strings"
	"testing"
)

// A _ is where no line may end.
func TestHeld(t *testing.T) {
	for _, want := range []string{
		"+4.2_% (3.4_to_5.6)", "52.0_µs → 54.2_µs", "(95_%_CI_19_to_44_µs), 60_µs (47_to_77)", "for 20_s, open loop", "it takes +0.01_CPU (0.0130_to_0.0156).",
		"8 blocks, 24 runs", "61.1_B", "(12,100_to_12,400).", "within 5_%", "−6.0_µs (−7.0_to_−5.0)", "9 services", "(none to compare)", "",
	} {
		if got := strings.ReplaceAll(Held(strings.ReplaceAll(want, "_", " ")), "\u00a0", "_"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
