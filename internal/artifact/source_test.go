package artifact

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

func TestSource(t *testing.T) {
	store, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"app.py": {Data: []byte("print()")}, "go.mod.embed": {Data: []byte("module x")}}
	dir, err := store.Source(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || string(text) != "module x" {
		t.Errorf("go.mod: %q, %v", text, err)
	}
	again, err := store.Source(context.Background(), files)
	if err != nil || again != dir {
		t.Errorf("again: %s, %v; want %s", again, err, dir)
	}
	files["app.py"] = &fstest.MapFile{Data: []byte("print(1)")}
	if other, err := store.Source(context.Background(), files); err != nil || other == dir {
		t.Errorf("with other content: %s, %v; want another folder", other, err)
	}
}
