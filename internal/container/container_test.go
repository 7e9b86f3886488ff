package container_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/container"
	"github.com/tracetax/tracetax/internal/container/enginetest"
)

func TestCommand(t *testing.T) {
	s := container.Spec{
		Engine: container.Engine{Name: container.Docker, Path: "/usr/bin/docker"}, Image: "sha256:00", Name: "tracetax-1-run.shop", Owner: "1-run.shop",
		Args: []string{"/shop", "-v"}, Dir: "/srv", Mounts: []container.Mount{{Dir: "/a"}, {Dir: "/b,c", Write: true}},
		CPUs: "0-1", Quota: 0.5, Memory: 1 << 20,
	}
	got := strings.Join(s.Command("/tmp/v", []string{"A=1\n2"}), " ")
	for _, want := range []string{
		"/usr/bin/docker run --rm --network host", "--pull never", "--name tracetax-1-run.shop --label tracetax=1-run.shop --label tracetax.host=", "--env-file /tmp/v --env A=1\n2",
		"--mount type=bind,source=/a,target=/a,readonly ", `--mount type=bind,"source=/b,c","target=/b,c" `, "--workdir /srv", "--cpuset-cpus 0-1",
		"--cpus 0.5 --memory 1048576",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if !strings.HasSuffix(got, "--entrypoint /shop sha256:00 -v") {
		t.Errorf("it ends otherwise: %q", got)
	}
	bare := strings.Join(container.Spec{Args: []string{"x"}}.Command("v", nil), " ")
	for _, none := range []string{"--mount", "--workdir", "--cpu", "--memory"} {
		if strings.Contains(bare, none) {
			t.Errorf("%s is in %q", none, bare)
		}
	}
}

// What a file of variables cannot hold is left to the command line, and the file is for its user alone.
func TestWriteVariables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "of a run", "variables")
	more, err := container.WriteVariables(path, []string{"A=1", "B=x\ny", "C= \xff", "D=\"#\" "})
	if err != nil || !slices.Equal(more, []string{"B=x\ny", "C= \xff"}) {
		t.Errorf("left are %q, error %v", more, err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "A=1\nD=\"#\" \n" {
		t.Errorf("the file has %q, error %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("it is %v, error %v", info.Mode(), err)
	}
}

func TestNoEngine(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := container.Find(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "docker is not installed; podman is not installed; install and start") {
		t.Errorf("error %v", err)
	}
}

// Images of a real engine: found, missing, of another architecture, without a command; and a question to what is in one.
func TestImages(t *testing.T) {
	engine := enginetest.Docker(t)
	burner := enginetest.Burner(t)
	enginetest.Image(t, engine, "shop:1.2", enginetest.Config{Entrypoint: []string{"/burner", "-v"}, Cmd: []string{"x"}, Env: []string{"A=1"}}, map[string]string{"/burner": burner})
	image, err := container.Of(t.Context(), engine, "shop:1.2", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(image.ID, "sha256:") || image.Name != "shop:1.2" || !slices.Equal(image.Command, []string{"/burner", "-v", "x"}) ||
		!slices.Contains(image.Env, "A=1") || image.Digest != "" {
		t.Errorf("%+v", image)
	}
	other := map[string]string{"amd64": "arm64"}[runtime.GOARCH]
	if other == "" {
		other = "amd64"
	}
	enginetest.Image(t, engine, "other:1", enginetest.Config{Architecture: other, Entrypoint: []string{"/burner"}}, map[string]string{"/burner": burner})
	for name, want := range map[string]string{
		"other:1":                     "image other:1: it is for linux/" + other + ", and this machine runs linux/" + runtime.GOARCH,
		"127.0.0.1:1/nothing/there:1": "image 127.0.0.1:1/nothing/there:1 is not on this machine, and cannot be pulled: docker pull: ",
		"--privileged":                "no name of an image",
		"Not A Reference":             "cannot be pulled",
	} {
		var progress strings.Builder
		if _, err := container.Of(t.Context(), engine, name, &progress); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
	if _, err := image.Ask(t.Context(), "/nothing"); err == nil || !strings.Contains(err.Error(), "docker run: ") || !strings.Contains(err.Error(), "/nothing") {
		t.Errorf("a question to what is not there: %v", err)
	}
	if _, err := engine.State(t.Context(), "nothing"); err == nil {
		t.Error("there is a container of no name")
	}
}
