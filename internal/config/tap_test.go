package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/role"
)

// A tap stands before the hop that asks for it, is the harness's, and stays when it is written.
func TestTap(t *testing.T) {
	const file = "workload: hello/go\nvariants: {none: , otel: {tracer: otel, via: %s}}\n"
	for via, want := range map[string][]string{
		"{collector: {tap: on}}":                                       {"collector-tap", "collector"},
		"{collector: {tap: off}}":                                      {"collector"},
		"[{edge: {service: collector}}, {collector: {tap: on}}]":       {"edge", "collector-tap", "collector"},
		"{tail: {service: collector, keep: errors, tap: on}}":          {"tail-tap", "tail"},
		"[{before: {service: tap}}, {edge: {service: collector}}]":     {"before", "edge"},
		"[{a: {service: collector, tap: on}}, {collector: {tap: on}}]": {"a-tap", "a", "collector-tap", "collector"},
	} {
		all, err := ParseExperiment("x.yaml", "", []byte(strings.Replace(file, "%s", via, 1)), builtIn())
		if err != nil {
			t.Fatalf("%s: %v", via, err)
		}
		var got []string
		for _, hop := range all[0].Variants[1].Via {
			got = append(got, hop.Name)
			if tap := hop.Service.Name == program.TapService; (hop.Role == role.Sink) != tap || tap && !hop.Role.Harness() {
				t.Errorf("%s: %s has the role %s", via, hop.Name, hop.Role)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", via, diff)
		}
		roundTrip(t, all[0])
	}
	for via, want := range map[string]string{
		"{collector: {tap: 3}}": `unknown tap "3"`,
		"[{collector: {tap: on}}, {collector-tap: {service: collector}}]": `a second hop called "collector-tap"`,
		"[{collector-tap: {service: collector}}, {collector: {tap: on}}]": `a second hop called "collector-tap"`,
	} {
		if _, err := ParseExperiment("x.yaml", "", []byte(strings.Replace(file, "%s", via, 1)), builtIn()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", via, err, want)
		}
	}
	if _, err := program.ParseService("s.yaml", "s", []byte("run: [x]\nrole: load\n")); err == nil {
		t.Error("a service is taken for the load generator")
	}
}
