package run_test

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// Where processes live is the target's to say: they are asked, by requests and by orders, and find
// the sink, at the addresses that it gives.
func TestTargetSaysTheAddresses(t *testing.T) {
	t.Parallel()
	const host = "127.0.0.2"
	for name, made := range map[string]func(*testing.T) (*run.Conductor, run.Request){
		"requests": func(t *testing.T) (*run.Conductor, run.Request) { return request(t, record.Measured, "/work") },
		"orders":   func(t *testing.T) (*run.Conductor, run.Request) { return drivenRequest(t, record.Measured, "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, q := made(t)
			conductor.LiveAt(host)
			q.Plan.Processes[0].Run[2] = host + ":{port}"
			q.Plan.Processes = append(q.Plan.Processes, program.Process{
				Name: "told", Role: "backend", Run: []string{"sh", "-c", "echo sink at {sink.otlp.grpc}; exec sleep 60"},
				Ready: `log:^sink at 127\.0\.0\.2:[0-9]+$`, Patience: 20 * time.Second,
			})
			r, err := conductor.Run(t.Context(), q)
			if err != nil || r.Failed() {
				t.Fatalf("%v, failure %+v", err, r.Failure)
			}
			if r.Phases[0].Load.Completed == 0 || r.Phases[0].Sink.Spans == 0 {
				t.Errorf("%d operations at %s, of which %d spans came", r.Phases[0].Load.Completed, host, r.Phases[0].Sink.Spans)
			}
		})
	}
}
