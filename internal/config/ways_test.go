package config

import (
	"strings"
	"testing"
)

// The ways of each tracer of OpenTelemetry that is attached from outside are variants of a program.
func TestWays(t *testing.T) {
	for name, want := range map[string]string{
		"otel-python": "none all tenth hundredth collector errors", "otel-java": "none all tenth hundredth collector errors",
		"otel-node":   "none all tenth hundredth collector errors",
		"otel-dotnet": "none all tenth hundredth collector errors", "elastic-python": "none all tenth hundredth",
	} {
		tracer, err := builtIn().Tracer(name)
		if err != nil {
			t.Fatal(err)
		}
		e, err := FromFlags(Flags{
			Command: []string{"serve", "{port}"}, Ops: []string{"GET /"}, Variants: Ways(tracer, "1s"), Sets: given(t, "load.rate=50/s"),
		}, builtIn())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var names []string
		for _, v := range e.Variants {
			names = append(names, v.Name)
			if share := map[string]string{"tenth": "10%", "hundredth": "1%"}[v.Name]; share != "" && v.Settings["sampling"] != share {
				t.Errorf("%s: %s samples %q", name, v.Name, v.Settings["sampling"])
			}
			if delay := v.Settings["delay"]; v.Name != "none" && strings.HasPrefix(name, "otel") && delay != "1s" {
				t.Errorf("%s: %s holds spans for %s", name, v.Name, delay)
			}
			if (len(v.Via) > 0) != (v.Name == "collector" || v.Name == WayOfErrors) {
				t.Errorf("%s: %s goes by way of %d hops", name, v.Name, len(v.Via))
			}
			if len(v.Via) > 0 && v.Via[0].Settings["batch"] != "200ms" { // a fifth of the tracer's delay
				t.Errorf("%s: %s has the hop %v", name, v.Name, v.Via[0].Settings)
			}
			if v.Name == WayOfErrors && (v.Via[0].Settings["keep"] != "errors-and-share" || v.Via[0].Settings["wait"] != "2s") {
				t.Errorf("%s: %s has the hop %v", name, v.Name, v.Via[0].Settings)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
