package run_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
)

// A program that makes spans of its own accord and sends them to its user's Collector is not untraced, whatever its
// variant is called; nor is one whose Collector is not there.
func TestSpansElsewhere(t *testing.T) {
	t.Parallel()
	const there, slow, absent = "127.0.0.117:4317", "127.0.0.119:4317", "127.0.0.118:4317"
	foreign(t, there, 0)
	foreign(t, slow, time.Second) // its sender waits for it
	for name, c := range map[string]struct {
		to    []string // what the program is told
		delay string   // of its tracer
		want  []string
		logs  bool
	}{
		"taken":            {[]string{there}, "", []string{there}, false},
		"taken at its end": {[]string{slow}, "60s", []string{slow}, false},
		"refused":          {[]string{absent}, "", nil, true},
		"none":             {[]string{""}, "", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, q := request(t, record.Measured, "/work")
			app := &q.Plan.Processes[0]
			app.Run = append(slices.Clone(app.Run[:len(app.Run)-1]), c.to...)
			q.Plan.Silent = true
			app.Env = map[string]string{"OTEL_EXPORTER_OTLP_TIMEOUT": "1500"} // for so long its stop tries to reach who is not there
			if c.delay != "" {
				app.Env["DELAY"] = c.delay
			}
			r, err := conductor.Run(t.Context(), q)
			if err != nil || r.Failed() {
				t.Fatal(err, r.Failure)
			}
			if c.want == nil && !c.logs {
				if len(r.Elsewhere) > 0 {
					t.Errorf("%+v of a program that sends nothing", r.Elsewhere)
				}
				return
			}
			if len(r.Elsewhere) != 1 || r.Elsewhere[0].Process != "app" {
				t.Fatalf("%+v, want one of app", r.Elsewhere)
			}
			got := r.Elsewhere[0]
			if !slices.Equal(got.To, c.want) || (got.Log != nil) != c.logs {
				t.Errorf("to %v, log %+v; want %v, %t", got.To, got.Log, c.want, c.logs)
			}
		})
	}
}

// foreign is the receiver of somebody else at an address, which answers late, until the test ends.
func foreign(t *testing.T, address string, late time.Duration) {
	t.Helper()
	server, err := sink.Start(sink.Config{Listen: protocol.Addresses{protocol.OTLPGRPC: address}, MaxSpans: 1000, Late: late})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
}
