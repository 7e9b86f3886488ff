// Tracers that write their spans to files.

package run_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
)

func init() { sink.RegisterFiles("lines", countLines) }

// countLines counts a span for each line of the files in a folder.
func countLines(_ context.Context, folder string) (record.Counts, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return record.Counts{}, err
	}
	var counts record.Counts
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			return record.Counts{}, err
		}
		counts.Spans += uint64(bytes.Count(text, []byte("\n")))
	}
	counts.Protocols = map[string]uint64{"lines": uint64(len(files))}
	return counts, nil
}

// The spans in files are counted when the processes have ended, as if they had come then.
func TestSpansInFiles(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	without := made(t, conductor, q)

	q.Name += "-files"
	q.Plan.Files = map[string]string{"lines": "{tmp}/spans"}
	script := `printf 'one\ntwo\nthree\n' > "$0/log"; exec "$@"`
	q.Plan.Processes[0].Run = slices.Concat([]string{"sh", "-c", script, "{tmp}/spans"}, q.Plan.Processes[0].Run)
	with := made(t, conductor, q)
	if with.Stop.Sink.Spans != without.Stop.Sink.Spans+3 || with.Life.Protocols["lines"] != 1 {
		t.Errorf("without files %+v, with them %+v", without.Stop.Sink, with.Stop.Sink)
	}

	q.Name += "-broken"
	q.Plan.Processes[0].Run[2] = `rmdir "$0"; exec "$@"`
	broken, err := conductor.Run(t.Context(), q)
	if err != nil || !broken.Failed() || !strings.Contains(broken.Failure.Message, "counting the spans that the tracer wrote to files") {
		t.Errorf("%v, %+v", err, broken.Failure)
	}
}
