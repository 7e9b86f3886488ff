package config

import (
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/config/program"
)

// A variant's packets are captured beside its tracer: it has the processes of both, and is what its tracer makes it.
func TestCapture(t *testing.T) {
	t.Parallel()
	e := parseOne(t, `
workload: hello/go
captures: true
variants:
  none:
  otel: {tracer: otel, capture: packets}
  large: {tracer: otel, capture: {tracer: packets, settings: {buffer: 65536}}}
  alone: {tracer: packets}
`)
	for i, want := range []string{"", "2048", "65536", "2048"} {
		v := e.Variants[i]
		p, err := e.Plan(v)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(p.Processes, func(p program.Process) bool { return p.Placed.Name == "tcpdump" })
		if want == "" {
			if at >= 0 || v.Captures() || p.Packets != (program.Packets{}) {
				t.Errorf("%s captures: %+v", v.Name, p.Packets)
			}
			continue
		}
		if at < 0 || !slices.Contains(p.Processes[at].Run, want) || p.Packets.Captured == "" || !v.Captures() {
			t.Errorf("%s: %+v, packets %+v", v.Name, p.Processes, p.Packets)
		}
		if silent := v.Name == "alone"; p.Silent != silent {
			t.Errorf("%s is silent: %v, want %v", v.Name, p.Silent, silent)
		}
		if needs := v.Needs(); !slices.ContainsFunc(needs, func(n program.Need) bool { return n.Command == "tcpdump" }) {
			t.Errorf("%s needs %v, not tcpdump", v.Name, needs)
		}
	}
	text, err := e.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again := parseOne(t, string(text))
	if got := again.Variants[2].Capture; got.Tracer == nil || got.Settings["buffer"] != "65536" || !again.Captures {
		t.Errorf("read again: %+v of\n%s", got, text)
	}
}
