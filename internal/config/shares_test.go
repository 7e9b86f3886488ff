package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
)

// Several shares of the slowest are phases of their own, each at the share of what was found; they stay so when they are written.
func TestShares(t *testing.T) {
	const file = "workload: hello/go\nvariants: {none: , otel: {tracer: otel}}\nload: {rate: %s, duration: 20s}\n"
	for _, text := range []string{`[33% of slowest, 67% of slowest, 100% of slowest]`, `"[33%, 67%, 100%] of slowest"`} {
		all, err := ParseExperiment("x.yaml", "", []byte(strings.Replace(file, "%s", text, 1)), builtIn())
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		e := all[0]
		var got []string
		for _, level := range e.Load.Steps() {
			if level.Load.Relative == nil || len(level.Load.Relative.Shares) > 0 || level.Load.Relative.Share == 0 {
				t.Errorf("%s: %+v", text, level.Load.Relative)
			}
			got = append(got, level.Parameter[ParameterShare])
		}
		if diff := cmp.Diff([]string{"33%", "67%", "100%"}, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		if at := e.Load.Lowest().Parameter[ParameterShare]; at != "33%" {
			t.Errorf("the lowest is %s", at)
		}
		if out, err := e.YAML(); err != nil || !strings.Contains(string(out), "rate: [33% of slowest, 67% of slowest, 100% of slowest]") {
			t.Errorf("written as %s (%v)", out, err)
		}
		roundTrip(t, e)
	}
	for text, want := range map[string]string{
		`[33% of slowest, 33% of slowest]`: "is here a second time",
		`[33% of slowest, 20/s]`:           `20/s`,
		`[0% of slowest, 10% of slowest]`:  "more than 0%",
		`"[10%, x] of slowest"`:            `x`,
	} {
		_, err := ParseExperiment("x.yaml", "", []byte(strings.Replace(file, "%s", text, 1)), builtIn())
		if err == nil || !program.IsProblem(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
