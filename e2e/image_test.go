package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/container/enginetest"
)

// A real engine loads the image that tracetax makes of itself. In it runs the same build, as nobody.
func TestImageOfItself(t *testing.T) {
	engine := enginetest.Docker(t)
	dir := t.TempDir()
	static, file := filepath.Join(dir, "tracetax"), filepath.Join(dir, "image.tar")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", static, "../cmd/tracetax")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building tracetax: %v\n%s", err, said)
	}
	run := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), args[0], args[1:]...)
		c.Stderr = t.Output()
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	name := run(static, "image", "--out", file)
	if said := run(engine.Path, "load", "--input", file); !strings.Contains(said, name) {
		t.Fatalf("the engine loaded %q, want %s", said, name)
	}
	within := func(args ...string) string {
		t.Helper()
		return run(append([]string{engine.Path, "run", "--rm", "--network", "host", "--read-only", "--cap-drop", "ALL", name}, args...)...)
	}
	here, there := run(static, "version"), within("version")
	if here != there {
		t.Errorf("here %q, in the container %q", here, there)
	}
	if listed := within("list", "tracers"); !strings.Contains(listed, "otel-java") {
		t.Errorf("the catalog in the container: %q", listed)
	}
	label := run(engine.Path, "inspect", "--format", `{{.Config.User}} {{index .Config.Labels "org.opencontainers.image.version"}}`, name)
	if version := strings.Fields(here)[1]; label != "65532:65532 "+version {
		t.Errorf("the image says %q of version %s", label, version)
	}
	if left := enginetest.Containers(t, engine); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
