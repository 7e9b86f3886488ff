package run_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// writes is a command that adds a word to a file, and then does something else.
func writes(file, word, then string) []string {
	return []string{"sh", "-c", `echo "$0 $TRACETAX_VARIANT" >> "$1"; ls -d "$2" >> "$1.tmp"; ` + then, word, file, "{tmp}"}
}

// The commands around a run are run before and after it, whatever becomes of the run; that one of them fails is told, with
// what it said.
func TestHooks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare, cleanup string // what else they do
		app              []string
		stage, says      string // of the failure
	}{
		"both go well":             {},
		"prepare fails":            {prepare: "seq 30; echo no room >&2; exit 3", stage: "prepare", says: "exit status 3:\n12\n"},
		"the last of what it said": {prepare: "echo no room >&2; exit 3", stage: "prepare", says: "no room"},
		"the app fails":            {app: []string{"false"}, stage: "start"},
		"cleanup fails":            {cleanup: "echo still in use; exit 1", stage: "cleanup", says: "still in use"},
		"both app and cleanup":     {app: []string{"false"}, cleanup: "exit 1", stage: "start", says: "cleanup command"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, q := request(t, record.Measured, "/work")
			out := filepath.Join(t.TempDir(), "out")
			q.Plan.Prepare, q.Plan.Cleanup = writes(out, "prepare", test.prepare), writes(out, "cleanup", test.cleanup)
			if test.app != nil {
				q.Plan.Processes[0].Run = test.app
			}
			r, err := conductor.Run(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if r.Failed() != (test.stage != "") || r.Failed() && (r.Failure.Stage != test.stage && r.Failure.Stage != "ready" || !strings.Contains(r.Failure.Message, test.says)) {
				t.Errorf("failure %+v, want %s: %s", r.Failure, test.stage, test.says)
			}
			text, err := os.ReadFile(out)
			if want := "prepare " + q.Plan.Variant + "\ncleanup " + q.Plan.Variant + "\n"; err != nil || string(text) != want {
				t.Errorf("%q, %v; want %q", text, err, want)
			}
			// Both had the run's own folder for temporary files.
			dirs, err := os.ReadFile(out + ".tmp")
			if lines := strings.Fields(string(dirs)); err != nil || len(lines) != 2 || lines[0] != lines[1] {
				t.Errorf("{tmp} was %q, %v", dirs, err)
			}
		})
	}
}

// How long the commands around a run take is no part of what the harness tells of it: what the host took is held against that.
func TestHooksAreNoPartOfTheRun(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	q.Plan.Prepare, q.Plan.Cleanup = []string{"sleep", "1"}, []string{"sleep", "1"}
	r, err := conductor.Run(t.Context(), q)
	if err != nil || r.Failed() {
		t.Fatal(err, r.Failure)
	}
	if whole := r.Ended.Sub(r.Started).Seconds(); r.Harness.Seconds <= 0 || r.Harness.Seconds > whole-2 {
		t.Errorf("it took %.2f s with the commands, and the harness tells of %.2f s", whole, r.Harness.Seconds)
	}
	if len(r.Harness.Unread) > 0 {
		t.Errorf("%v could not be read", r.Harness.Unread)
	}
}

// Who interrupts a run has it cleaned up all the same, and hears where that fails: there is no record to say it.
func TestCleanupAfterAnInterruption(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ cleanup, says string }{
		"it goes well": {},
		"it fails":     {cleanup: "echo my token is s3cret, still in use; exit 1", says: "my token is [redacted], still in use"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, q := request(t, record.Measured, "/work")
			out := filepath.Join(t.TempDir(), "out")
			q.Plan.Prepare, q.Plan.Cleanup = writes(out, "prepare", "exec sleep 600"), writes(out, "cleanup", test.cleanup)
			q.Plan.Secrets = []string{"s3cret"}
			_, err := conductor.Run(untilWritten(t, out+".tmp"), q)
			if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "cleanup") != (test.says != "") ||
				!strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("interrupted: %v; want it to say %q", err, test.says)
			}
			text, err := os.ReadFile(out)
			if want := "prepare " + q.Plan.Variant + "\ncleanup " + q.Plan.Variant + "\n"; err != nil || string(text) != want {
				t.Errorf("%q, %v; want %q", text, err, want)
			}
		})
	}
}

// Of an interrupted block each run is cleaned up, and each that fails in it is told.
func TestCleanupAfterAnInterruptedBlock(t *testing.T) {
	conductor, a, b := pair(t, "/work", "/work")
	out := filepath.Join(t.TempDir(), "out")
	for _, q := range []run.Request{a, b} {
		q.Plan.Prepare = writes(out, "prepare", "exec sleep 600")
		q.Plan.Cleanup = writes(out, "cleanup", "echo $TRACETAX_VARIANT is still in use; exit 1")
	}
	_, err := conductor.Block(untilWritten(t, out+".tmp"), []run.Request{a, b})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "none is still in use") || !strings.Contains(err.Error(), "otel is still in use") {
		t.Errorf("interrupted: %v", err)
	}
}

// untilWritten is a context that is cancelled once there is a file.
func untilWritten(t *testing.T, path string) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(path); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	return ctx
}
