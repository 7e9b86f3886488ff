package run_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// chatty is a process that writes before any other does, and to which nothing ever happens.
var chatty = program.Process{Name: "chatty", Role: "database", Run: []string{"sh", "-c", "echo all is well; exec sleep 60"}, Ready: "log:well", Patience: 20 * time.Second}

// At fault is the process that is not ready, does not start, or answers wrongly, not the one
// that wrote something first.
func TestProcessAtFault(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path string
		run  []string
		says string
	}{
		"never ready":     {"/work", []string{"sh", "-c", "echo thinking; exec sleep 60"}, "thinking"},
		"does not start":  {"/work", []string{"no-such-program-anywhere"}, ""},
		"answers wrongly": {"/nothing-there", nil, "begins on CPUs"},
	} {
		conductor, q := request(t, record.Measured, c.path)
		if c.run != nil {
			q.Plan.Processes[0].Run, q.Plan.Processes[0].Ready, q.Plan.Processes[0].Patience = c.run, "log:never to be seen", 300*time.Millisecond
		}
		q.Plan.Processes = slices.Insert(q.Plan.Processes, 0, chatty)
		r, err := conductor.Run(t.Context(), q)
		if err != nil || !r.Failed() {
			t.Fatalf("%s: %v, failed: %t", name, err, r.Failed())
		}
		if f := r.Failure; f.Process != "app" || !strings.Contains(strings.Join(f.Log, "\n"), c.says) {
			t.Errorf("%s: at fault is %q with the log %q: %s", name, f.Process, f.Log, f.Message)
		}
	}
}

// The failure of a process that is not ready says where it listens instead, and that of one that ended says so.
func TestWhyItIsNotReady(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		address, check, want string
	}{
		"another port": {"127.0.0.1:{port.other}", "tcp://127.0.0.1:{port}", "other-port"},
		"it ends":      {"127.0.0.1:no-port", "tcp://127.0.0.1:{port}", record.Ended},
		"a taken port": {"{sink.otlp.grpc}", "tcp://127.0.0.1:{port}", record.PortTaken},
	} {
		conductor, q := request(t, record.Measured, "/work")
		app := &q.Plan.Processes[0]
		app.Run, app.Ready, app.Patience = []string{self, "service", c.address, ""}, c.check, time.Second
		r, err := conductor.Run(t.Context(), q)
		if err != nil || !r.Failed() {
			t.Fatalf("%s: %v, failed: %t", name, err, r.Failed())
		}
		if f := r.Failure; f.Code != c.want || f.Process != "app" || f.Stage != "ready" {
			t.Errorf("%s: code %q, want %q: %+v", name, f.Code, c.want, f)
		}
	}
}

// A process that does not end when asked is killed and named; one that did not in an earlier run is not waited for again.
func TestDeafToTheStop(t *testing.T) {
	const long = 10 * time.Minute
	for name, c := range map[string]struct {
		asked, again time.Duration
		known        []string
	}{
		"the first run": {time.Second, long, nil}, "a later run": {long, 100 * time.Millisecond, []string{"deaf"}},
	} {
		restore := run.SetGrace(c.asked, c.again)
		conductor, q := request(t, record.Measured, "/work")
		q.Deaf = c.known
		q.Plan.Processes = append(q.Plan.Processes, program.Process{
			Name: "deaf", Role: "app", Run: []string{"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"}, Ready: "log:ready", Patience: 20 * time.Second,
		})
		r := made(t, conductor, q)
		restore()
		if !r.Stop.Killed || !slices.Contains(r.Stop.Deaf, "deaf") {
			t.Errorf("%s: killed %t, deaf %q", name, r.Stop.Killed, r.Stop.Deaf)
		}
	}
}

// What happens to the harness is no process's fault.
func TestNobodyIsAtFault(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Calibration, "/work")
	q.Plan.Verify = []string{"false"}
	q.Plan.Processes = slices.Insert(q.Plan.Processes, 0, chatty)
	r, err := conductor.Run(t.Context(), q)
	if err != nil || !r.Failed() || r.Failure.Process != "" || len(r.Failure.Log) > 0 {
		t.Errorf("%v, %+v", err, r.Failure)
	}
}

// A receiver that is away gets nothing of what is made, and nobody waits for it to be connected to; requests are answered all
// the same.
func TestNobodyReceives(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	q.Faults.SinkGone, q.Plan.Connects = "away", time.Minute
	q.Plan.Processes[0].Env = map[string]string{"OTEL_EXPORTER_OTLP_TIMEOUT": "500"} // ms, or its stop waits for many times that
	r := made(t, conductor, q)
	if load := r.Phases[0].Load; load.Completed != 100 || load.Failed != 0 || r.Life.Spans != 0 || r.Life.Requests != 0 {
		t.Errorf("%d of 100 requests answered, %d failed; %d spans came in %d requests, want none", load.Completed, load.Failed, r.Life.Spans, r.Life.Requests)
	}
	if r.Start.ConnectedSeconds != 0 {
		t.Errorf("it was waited %g s for a connection", r.Start.ConnectedSeconds)
	}
}
