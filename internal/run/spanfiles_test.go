// Tracers that write their spans to files.

package run_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// spanLog is a log of Kieker's in text: three records of two calls.
const spanLog = `$0;1;2.0.2;KIEKER-SINGLETON;vm;1;false;0;NANOSECONDS;0
$1;2;public int p.M.m(int);<no-session-id>;1;2;3;vm;1;1
$1;3;public int p.M.m(int);<no-session-id>;1;1;4;vm;0;0
$1;4;public int p.M.m(int);<no-session-id>;2;5;6;vm;0;0
`

const spanMap = `$0=kieker.common.record.misc.KiekerMetadataRecord
$1=kieker.common.record.controlflow.OperationExecutionRecord
`

// The spans in files are counted when the processes have ended, as if they had come then.
func TestSpansInFiles(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	without := made(t, conductor, q)

	q.Name += "-files"
	q.Plan.Files = map[string]string{"kieker": "{tmp}/spans"}
	script := `mkdir "$0/log" && cat > "$0/log/kieker-1-UTC-001.dat" <<'E'
` + spanLog + `E
cat > "$0/log/kieker.map" <<'E'
` + spanMap + `E
exec "$@"`
	q.Plan.Processes[0].Run = slices.Concat([]string{"sh", "-c", script, "{tmp}/spans"}, q.Plan.Processes[0].Run)
	with := made(t, conductor, q)
	if with.Stop.Sink.Spans != without.Stop.Sink.Spans+3 || with.Life.Protocols["kieker-files"] != 1 {
		t.Errorf("without files %+v, with them %+v", without.Stop.Sink, with.Stop.Sink)
	}

	q.Name += "-broken"
	q.Plan.Processes[0].Run[2] = strings.Replace(script, "001.dat", "001.zip", 1)
	broken, err := conductor.Run(t.Context(), q)
	if err != nil || !broken.Failed() || !strings.Contains(broken.Failure.Message, "counting the spans that the tracer wrote to files") {
		t.Errorf("%v, %+v", err, broken.Failure)
	}
}
