package selfcheck

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tracetax/tracetax/internal/report/terminal"
)

func written(t *testing.T, r *Report, o terminal.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := terminal.Write(&b, r.Page(), o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTerminalFits(t *testing.T) {
	for _, noise := range []float64{1e-6, 60e-6} {
		s := quiet()
		s.noise = noise
		r := Judge(Quick, s.evidence())
		r.Results = []string{"results/selfcheck-costs"}
		for _, width := range []int{80, 120} {
			for i, l := range strings.Split(written(t, r, terminal.Options{Width: width}), "\n") {
				if n := utf8.RuneCountInString(l); n > width {
					t.Errorf("noise %v, width %d: line %d has %d columns: %s", noise, width, i+1, n, l)
				}
			}
		}
	}
}

func TestTerminalSays(t *testing.T) {
	r := Judge(Quick, quiet().evidence())
	r.Results = []string{"results/selfcheck-costs"}
	text := written(t, r, terminal.Options{})
	for _, word := range []string{"passed: tracetax finds all", "order paired", "9 of them with intervals that hold together at 95 %", "73 µs of CPU", "±1.00 µs", "+73.0 µs (72", "in 30 blocks", "results/selfcheck-costs"} {
		if !strings.Contains(text, word) {
			t.Errorf("it does not say %q:\n%s", word, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Error("there is colour where none was asked for")
	}
	if !strings.Contains(written(t, r, terminal.Options{Color: true}), "\x1b[32m") {
		t.Error("there is no colour")
	}

	s := quiet()
	s.shift = map[string]float64{key(Burn73, "cpu_per_operation"): -50e-6}
	text = written(t, Judge(Quick, s.evidence()), terminal.Options{})
	for _, word := range []string{"failed: 1 of 15 injected overheads", "✗ 73 µs of CPU: +23", "all of it outside 73.0 µs ± 2.00 µs", "by hand: tracetax run selfcheck-costs --set design.order=paired"} {
		if !strings.Contains(text, word) {
			t.Errorf("it does not say %q:\n%s", word, text)
		}
	}
}

// Every report can be written as JSON: no figure in it is infinite or none.
func TestJSON(t *testing.T) {
	noisy := quiet()
	noisy.noise = 1
	for _, evidence := range []map[string]Evidence{quiet().evidence(), noisy.evidence(), nil} {
		if _, err := json.Marshal(Judge(Quick, evidence)); err != nil {
			t.Error(err)
		}
	}
}
