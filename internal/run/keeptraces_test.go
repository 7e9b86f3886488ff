package run_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// A run keeps all spans that its sink received, the first operation's and the warm-up's too; a second attempt makes its file anew.
func TestTracesAreKept(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	conductor.Results, q.KeepTraces = t.TempDir(), 3
	file := filepath.Join(conductor.Results, "traces", "otel-3.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("of an attempt that failed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := made(t, conductor, q)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	spans := uint64(bytes.Count(text, []byte(`"spanId"`)))
	if k := r.Kept; k == nil || k.Spans == 0 || k.Spans != r.Life.Spans || k.Received != k.Spans || k.Lost > 0 || k.Error != "" || k.File != "traces/otel-3.jsonl" {
		t.Fatalf("kept %+v of %d spans", r.Kept, r.Life.Spans)
	}
	if spans != r.Life.Spans {
		t.Errorf("the file has %d spans of %d", spans, r.Life.Spans)
	}
}
