// What comes before a run's operations and beside them: services, templates, the
// tracer's connection, the check of the answers.

package run_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
)

// database listens after a while, and ends after as long as it is told, if it is.
func database(args []string) error {
	wait, err := time.ParseDuration(args[1])
	if err != nil {
		return err
	}
	life, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	time.Sleep(wait) // it starts slowly
	l, err := net.Listen("tcp", args[0])
	if err != nil {
		return err
	}
	defer l.Close()
	if life > 0 {
		time.Sleep(life) // then it dies
		return errors.New("no space left on device")
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		if err := conn.Close(); err != nil {
			return err
		}
	}
}

// check is a workload's own check: what it says, and its exit status.
func check(args []string) error {
	status, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	for _, line := range args[1:] {
		fmt.Println(line)
	}
	os.Exit(status)
	return nil
}

// withDatabase puts a database before the app.
func withDatabase(processes []program.Process, wait, life string) []program.Process {
	return append([]program.Process{{
		Name: "db", Role: "database", Patience: 20 * time.Second, Service: &program.Service{Name: "slow"},
		Run: []string{self, "database", "127.0.0.1:{port}", wait, life, "{service}/schema.sql"},
	}}, processes...)
}

// The start of a database is no start-up time of the app; its CPU is its own.
func TestServices(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	q.Plan.Processes = withDatabase(q.Plan.Processes, "3s", "0s")
	q.Folders.Service = map[string]string{"db": "/service"}
	r := made(t, conductor, q)
	if whole := r.Ended.Sub(r.Started).Seconds(); r.Start.ReadySeconds <= 0 || r.Start.ReadySeconds+3 > whole {
		t.Errorf("ready after %g s of a run of %g s, the 3 s of the database's start included", r.Start.ReadySeconds, whole)
	}
	for _, u := range r.Phases[0].Usage {
		if u.Role == "database" && u.Process == "db" {
			return
		}
	}
	t.Errorf("the database is not charged: %+v", r.Phases[0].Usage)
}

// A database that dies fails the run, though the app answers all the same.
func TestDatabaseThatDies(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	q.Plan.Processes = withDatabase(q.Plan.Processes, "0s", "1s")
	q.Folders.Service = map[string]string{"db": "/service"}
	q.Phases[0].Load.Duration = 20 * time.Second
	r, err := conductor.Run(t.Context(), q)
	if err != nil || !r.Failed() || r.Failure.Process != "db" || !strings.Contains(r.Failure.Message, "no space left on device") {
		t.Errorf("%v, failure %+v", err, r.Failure)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind   record.Kind
		status string
		said   string // in the record
		want   string // in the failure
	}{
		"good":                      {record.Calibration, "0", "looked at http://127.0.0.1:", ""},
		"wrong":                     {record.Calibration, "3", "", "exit status 3"},
		"measured runs are not it":  {record.Measured, "3", "", ""},
		"what it says is the words": {record.Calibration, "1", "", "twenty rows, want ten"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, q := request(t, test.kind, "/work")
			q.Plan.Verify = []string{"{tracetax}", "check", test.status, "looked at http://127.0.0.1:{app.port}", "twenty rows, want ten"}
			r, err := conductor.Run(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" && r.Failed() || test.want != "" && (!r.Failed() || r.Failure.Stage != "verify" || !strings.Contains(r.Failure.Message, test.want)) {
				t.Errorf("failure %+v, want %q", r.Failure, test.want)
			}
			if said := strings.Join(r.Start.Verified, "\n"); !strings.HasPrefix(said, test.said) || test.said == "" && said != "" {
				t.Errorf("it said %q, want %q", said, test.said)
			}
		})
	}
}

// A tracer that says nothing until it is connected is waited for, and the wait is
// said; one that never connects fails the run.
func TestConnects(t *testing.T) {
	t.Parallel()
	conductor, q := drivenRequest(t, record.Measured, "")
	q.Phases = q.Phases[:1]
	q.Plan.Connects = 300 * time.Millisecond
	r, err := conductor.Run(t.Context(), q)
	if err != nil || !r.Failed() || r.Failure.Stage != "connect" || !strings.Contains(r.Failure.Message, "did not connect") || r.Start.ConnectedSeconds < 0.3 {
		t.Errorf("%v, %+v after %g s", err, r.Failure, r.Start.ConnectedSeconds)
	}
	// The service's readiness request makes spans, which is the first that the sink hears.
	conductor, q = request(t, record.Measured, "/work")
	q.Plan.Connects = 20 * time.Second
	q.Plan.Processes[0].Ready = "http://127.0.0.1:{port}/work"
	if r := made(t, conductor, q); r.Start.ConnectedSeconds <= 0 {
		t.Error("no wait is said")
	}
}

// Templates are filled in for the run, and stand where {templates} says.
func TestTemplates(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Calibration, "/work")
	out := filepath.Join(t.TempDir(), "filled")
	app := &q.Plan.Processes[0]
	app.Templates = map[string]string{"profiles/agent.config": "collector={sink.otlp.grpc}\nof={process} at {port}\npattern={{port}}\n"}
	app.Run = append([]string{"/bin/sh", "-c", `cat "$0" > "$1"; shift; exec "$@"`, "{templates}/profiles/agent.config", out}, app.Run...)
	made(t, conductor, q)
	text, err := os.ReadFile(out)
	if err != nil || !regexp.MustCompile(`^collector=127\.0\.0\.1:\d+\nof=app at \d+\n`).Match(text) || !strings.HasSuffix(string(text), "pattern={port}\n") {
		t.Errorf("%q, %v", text, err)
	}
	app.Templates["profiles/agent.config"] = "{sink.nobody}"
	if r, err := conductor.Run(t.Context(), q); err != nil || !r.Failed() || !strings.Contains(r.Failure.Message, "template profiles/agent.config: cannot fill in {sink.nobody}") {
		t.Errorf("%v, %+v", err, r.Failure)
	}
}
