package run_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/record"
)

// What a program says in the pattern of its tracer is in the record; here it says what it
// has got of the user's shell.
func TestInstrumentedAndShell(t *testing.T) {
	for name, value := range map[string]string{"DD_ONE": "1", "OTEL_TWO": "2", "JAVA_TOOL_OPTIONS": "-javaagent:x.jar -Xmx3g", "PLAIN": "4"} {
		t.Setenv(name, value)
	}
	conductor, q := request(t, record.Measured, "/work")
	conductor.Keep = []string{"OTEL_TWO"}
	app := &q.Plan.Processes[0]
	app.Run = slices.Concat([]string{"sh", "-c", `for word in "dd$DD_ONE" "otel$OTEL_TWO" "plain$PLAIN" $JAVA_TOOL_OPTIONS; do echo "instrumented $word"; echo "instrumented $word"; done; exec "$0" "$@"`}, app.Run)
	app.Env, app.Inherit = map[string]string{"JAVA_TOOL_OPTIONS": "-javaagent:ours.jar"}, []string{"JAVA_TOOL_OPTIONS"}
	q.Plan.Tells = `instrumented (?P<name>\S+)`
	r, err := conductor.Run(t.Context(), q)
	if err != nil || r.Failed() {
		t.Fatal(err, r.Failure)
	}
	want := []string{"-Xmx3g", "-javaagent:ours.jar", "dd", "otel2", "plain4"}
	if got := r.Tracer.Instrumented["app"]; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if os.Getenv("DD_ONE") != "1" {
		t.Error("tracetax's own environment has changed")
	}
}

// What the tracer says it does not instrument is in the record with its line, unless another of its parts does.
func TestMissed(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	app := &q.Plan.Processes[0]
	app.Run = slices.Concat([]string{"sh", "-c", `echo "loaded flask"; echo "cannot load redis 9"; echo "cannot load flask 2"; exec "$0" "$@"`}, app.Run)
	q.Plan.Tells, q.Plan.Misses = `^loaded (?P<name>\S+)`, `cannot load (?P<name>\S+)`
	r, err := conductor.Run(t.Context(), q)
	if err != nil || r.Failed() {
		t.Fatal(err, r.Failure)
	}
	want := map[string]map[string]string{"app": {"redis": "cannot load redis 9"}}
	if diff := cmp.Diff(want, r.Tracer.Missed); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A launcher that loads the tracer, as the program that it starts does, is told of; a program alone is not.
func TestLaunchers(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]int{
		`exec 7<"$0"; "$@" & wait`: 2, `exec 7<"$0"; exec "$@"`: 0,
		`exec 7<"$0"; sleep 60 7<&- & "$@" & sh -c ": from multi""processing.spawn import spawn_main; sleep 60 7<&-" & wait`: 2, // the launcher and the program, and none of its workers
	} {
		folder := t.TempDir()
		agent := filepath.Join(folder, "agent.so")
		if err := os.WriteFile(agent, []byte("agent"), 0o644); err != nil {
			t.Fatal(err)
		}
		conductor, q := request(t, record.Measured, "/work")
		q.Folders.Tracer = folder
		app := &q.Plan.Processes[0]
		app.Run = slices.Concat([]string{"sh", "-c", script, agent}, app.Run)
		r, err := conductor.Run(t.Context(), q)
		if err != nil || r.Failed() {
			t.Fatal(err, r.Failure)
		}
		got := r.Loaded["app"]
		if len(got) != want || want > 0 && (!strings.HasPrefix(got[0], "sh -c") || !strings.Contains(got[1], " service ")) {
			t.Errorf("%s: %q, want %d programs", script, got, want)
		}
	}
}
