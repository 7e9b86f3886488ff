package run_test

import (
	"os"
	"slices"
	"testing"

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
