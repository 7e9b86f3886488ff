// Files of users that are easily refused or misread: configurations of Collectors, and large bodies.

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// fileCases are the cases of this file.
var fileCases = map[string]func(*testing.T){
	"Collectors that compress": compressed, "an extension is left out": leftOutExtension, "an upload": upload,
}

// What a Collector sends compressed comes, whatever the compression.
func compressed(t *testing.T) {
	text, err := os.ReadFile(ofCase(t, "compressed.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	ways := map[string][2]string{
		"http-zstd": {"otlphttp", "zstd"}, "http-snappy": {"otlphttp", "snappy"}, "http-lz4": {"otlphttp", "lz4"}, "http-deflate": {"otlphttp", "deflate"},
		"grpc-zstd": {"otlp", "zstd"}, "grpc-snappy": {"otlp", "snappy"},
	}
	var variants strings.Builder
	for name, way := range ways {
		variants.WriteString(throughCollector(name, strings.NewReplacer("EXPORTER", way[0], "COMPRESSION", way[1]).Replace(string(text)), ""))
	}
	doc := document(t, tracetax(t, "run", "--json", write(t, `
workload: hello/go
operations: [json]
variants:
  none:
`+variants.String()+`
load: {rate: 50/s, warmup: 200ms, duration: 1s, idle: 50ms}
design: {blocks: 1, order: woven}
`), "--out", filepath.Join(t.TempDir(), "results")).exit(t, 0))
	for name := range ways {
		if l := ledger(t, doc, "json", name); l.Operations == 0 || l.LostShare != 0 || entry(l, "delivered") != int64(l.Operations) {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// A Collector's configuration that names an extension which is left out is refused before anything runs.
func leftOutExtension(t *testing.T) {
	tracetax(t, "validate", ofCase(t, "storage.yaml")).exit(t, 2)
}

// An upload of some MB is sent whole, and the resolved experiment names its file.
func upload(t *testing.T) {
	const size = 8_000_000
	body, out := filepath.Join(t.TempDir(), "body.bin"), filepath.Join(t.TempDir(), "results")
	if err := os.WriteFile(body, make([]byte, size), 0o644); err != nil {
		t.Fatal(err)
	}
	tracetax(t, "run", "--op", "up=POST /", "--set", "workload.operations.up.body=@"+body, "--rate", "10",
		"--set", "load.warmup=200ms", "--duration", "1s", "--blocks", "1", "--json", "--out", out,
		"--ready", "tcp://127.0.0.1:{port}", "--variant", "a:env.X=1", "--variant", "b:env.X=2", "--", "python3", ofCase(t, "upload.py"), "{port}", strconv.Itoa(size)).exit(t, 0)
	for _, r := range records(t, out) {
		if r.Kind == record.Measured && (r.Failed() || r.Phases[0].Load.Started == 0 || r.Phases[0].Load.Completed != r.Phases[0].Load.Started) {
			t.Errorf("%s: %+v", r.Variant, r.Phases)
		}
	}
	if info, err := os.Stat(filepath.Join(out, record.ExperimentFile)); err != nil || info.Size() > 4096 {
		t.Errorf("the resolved experiment: %+v, %v", info, err)
	}
}
