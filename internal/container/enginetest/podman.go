package enginetest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tracetax/tracetax/internal/container"
)

// Podman returns an engine without a daemon, and sets CONTAINERS_CONF and CONTAINERS_STORAGE_CONF for it. It has cgroups without a
// manager of services, and limits that a container without all rights of root may have.
func Podman(t *testing.T) container.Engine {
	t.Helper()
	missing := need(t, "podman", "runc")
	dir := folder(t)
	t.Cleanup(func() { remove(t, dir) })
	for variable, text := range map[string]string{
		"CONTAINERS_CONF": `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`,
		"CONTAINERS_STORAGE_CONF": fmt.Sprintf("[storage]\ndriver = \"vfs\"\ngraphroot = %q\nrunroot = %q\n",
			filepath.Join(dir, "data"), filepath.Join(dir, "run")),
	} {
		path := filepath.Join(dir, variable)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv(variable, path)
	}
	engine, err := container.Find(t.Context(), container.Podman)
	if err != nil {
		missing("podman does not run here: ", err)
	}
	return engine
}
