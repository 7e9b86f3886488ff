package node

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The processes of a container come by their numbers, its main process first, and no other's are among them.
func TestNeighbours(t *testing.T) {
	proc := t.TempDir()
	for name, cgroup := range map[string]string{"7": "0::/../ours", "12": "0::/../ours", "103": "0::/../ours", "9": "0::/../another", "1": "0::/"} {
		dir := filepath.Join(proc, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "cgroup"), []byte(cgroup+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"self", "8"} { // no process, and one that has ended
		if err := os.Mkdir(filepath.Join(proc, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if pids, err := (neighbours{container: "ours"}).pidsIn(proc); err != nil || !slices.Equal(pids, []int{7, 12, 103}) {
		t.Errorf("processes %v, %v", pids, err)
	}
}
