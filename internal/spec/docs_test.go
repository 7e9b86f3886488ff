package spec

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestDocs reads the examples of the user's page: the first two are experiments,
// then come a workload and a tracer.
func TestDocs(t *testing.T) {
	t.Setenv("DATABASE_URL", "postgres://127.0.0.1/")
	page, err := os.ReadFile("../../docs/experiment-file.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "order.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	experiment := func(text []byte) error { _, err := ParseExperiment("shop.yaml", dir, text, builtIn()); return err }
	parse := []func([]byte) error{
		experiment,
		experiment,
		func(text []byte) error { _, err := ParseWorkload("workload.yaml", "w", text); return err },
		func(text []byte) error { _, err := ParseTracer("tracer.yaml", "t", text); return err },
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1)
	if len(examples) != len(parse) {
		t.Fatalf("%d examples, want %d", len(examples), len(parse))
	}
	for i, example := range examples {
		if err := parse[i](example[1]); err != nil {
			t.Errorf("example %d: %v", i+1, err)
		}
	}
}
