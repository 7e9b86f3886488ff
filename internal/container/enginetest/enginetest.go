// Package enginetest gives a test a container engine, with images that are made here: a real one, of its own, which ends with the test.
// It must not know what is tested.
package enginetest

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/container"
	"golang.org/x/sys/unix"
)

// need checks that a test is root's and has programs, and returns what it calls where an engine does not run here: the test is skipped,
// or with TRACETAX_REQUIRE_DOCKER=1 fails.
func need(t *testing.T, programs ...string) (missing func(...any)) {
	t.Helper()
	missing = t.Skip
	if os.Getenv("TRACETAX_REQUIRE_DOCKER") == "1" {
		missing = t.Fatal
	}
	if os.Getuid() != 0 {
		missing("an engine of the test's own takes root")
	}
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			missing(err)
		}
	}
	return missing
}

// folder makes a folder for an engine: the path of a socket in it has to be short, at most 107 bytes.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "engine-")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Docker starts an engine, and sets DOCKER_HOST to it.
func Docker(t *testing.T) container.Engine {
	t.Helper()
	missing := need(t, "docker", "dockerd")
	dir := folder(t)
	host := "unix://" + filepath.Join(dir, "sock")
	var log bytes.Buffer
	daemon := exec.Command("dockerd", "--iptables=false", "--bridge=none", "--data-root", filepath.Join(dir, "data"),
		"--exec-root", filepath.Join(dir, "exec"), "--pidfile", filepath.Join(dir, "pid"), "-H", host)
	daemon.Stdout, daemon.Stderr = &log, &log
	daemon.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for the test, which then ends it
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- daemon.Wait() }()
	t.Cleanup(func() {
		_ = daemon.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			_ = daemon.Process.Kill()
			t.Error("dockerd did not end")
		}
		remove(t, dir)
	})
	t.Setenv("DOCKER_HOST", host)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		engine, err := container.Find(ctx, container.Docker)
		if err == nil {
			return engine
		}
		select {
		case why := <-ended:
			ended <- why
			missing("dockerd does not run here: ", tail(log.String()))
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], "; ")
}

// remove removes the folder of an engine.
func remove(t *testing.T, dir string) {
	t.Helper()
	unmount(dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}

// unmount lets go of what an engine has mounted below a folder.
func unmount(dir string) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return
	}
	for _, line := range slices.Backward(strings.Split(string(mounts), "\n")) {
		if fields := strings.Fields(line); len(fields) > 1 && strings.HasPrefix(fields[1], dir+"/") {
			_ = unix.Unmount(fields[1], unix.MNT_DETACH) // removing the folder shows what is left
		}
	}
}

// Burner builds the program of testdata/burner, which is of known cost, and returns its path.
func Burner(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "burner")
	build := exec.Command("go", "build", "-trimpath", "-o", out, "github.com/tracetax/tracetax/internal/container/enginetest/testdata/burner")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the burner: %v\n%s", err, said)
	}
	return out
}

// Config is what an image says of itself; without an Architecture it is for this machine.
type Config struct {
	Architecture         string
	Entrypoint, Cmd, Env []string
}

// Image makes an image of files of this machine, by their paths in it.
func Image(t *testing.T, engine container.Engine, name string, of Config, files map[string]string) {
	t.Helper()
	layer := map[string][]byte{}
	for at, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		layer[strings.TrimPrefix(at, "/")] = text
	}
	blob := archive(t, layer)
	config := encode(t, map[string]any{
		"architecture": cmp.Or(of.Architecture, runtime.GOARCH), "os": "linux",
		"config": map[string]any{"Entrypoint": of.Entrypoint, "Cmd": of.Cmd, "Env": of.Env},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(blob))}},
	})
	manifest := encode(t, []any{map[string]any{"Config": "config.json", "RepoTags": []string{name}, "Layers": []string{"layer.tar"}}})
	load := exec.Command(engine.Path, "load")
	load.Stdin = bytes.NewReader(archive(t, map[string][]byte{"manifest.json": manifest, "config.json": config, "layer.tar": blob}))
	if said, err := load.CombinedOutput(); err != nil {
		t.Fatalf("making the image %s: %v\n%s", name, err, said)
	}
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func archive(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(files[name]))})
		if err == nil {
			_, err = w.Write(files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Containers lists all containers of an engine, by their names.
func Containers(t *testing.T, engine container.Engine) []string {
	t.Helper()
	said, err := exec.Command(engine.Path, "ps", "--all", "--format", "{{.Names}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(said))
}
