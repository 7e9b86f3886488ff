package program

import (
	"os"
	"path/filepath"
	"testing"
)

// A file that is none of an experiment may be of any size: it is not read.
func TestReadRegularIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(path, []byte("workload: x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for size, fits := range map[int64]bool{mostFile: true, mostFile + 1: false} {
		if err := os.Truncate(path, size); err != nil { // which takes no room on the disk
			t.Fatal(err)
		}
		if text, err := ReadRegular(path); (err == nil) != fits || err == nil && int64(len(text)) != size {
			t.Errorf("%d bytes: %d were read, error %v", size, len(text), err)
		}
	}
}
