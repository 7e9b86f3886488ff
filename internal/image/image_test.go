package image

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// clone is a small program in a repository, of which builds are made.
type clone string

func newClone(t *testing.T) clone {
	t.Helper()
	c := clone(t.TempDir())
	c.write(t, "go.mod", "module example.org/program\n\ngo 1.26\n")
	c.write(t, "main.go", "package main\n\nfunc main() { print(\"hello\") }\n")
	c.run(t, nil, "git", "init", "-q")
	c.commit(t)
	return c
}

func (c clone) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(string(c), name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (c clone) commit(t *testing.T) {
	t.Helper()
	c.run(t, nil, "git", "add", "--all", ".")
	c.run(t, nil, "git", "-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "--allow-empty", "-m", "m")
}

func (c clone) run(t *testing.T, env []string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), args[0], args[1:]...)
	command.Dir, command.Env = string(c), append(os.Environ(), env...)
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, said)
	}
}

// build makes the program for a machine, such as linux/arm64, outside the repository, and returns its path.
func (c clone) build(t *testing.T, machine string, flags ...string) string {
	t.Helper()
	system, arch, _ := strings.Cut(machine, "/")
	out := filepath.Join(t.TempDir(), "program")
	c.run(t, []string{"GOOS=" + system, "GOARCH=" + arch, "CGO_ENABLED=0", "GOWORK=off"},
		append([]string{"go", "build", "-trimpath", "-buildvcs=true", "-o", out}, flags...)...)
	return out
}

func open(t *testing.T, path string) Binary {
	t.Helper()
	b, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A binary must be for Linux and need no library; binaries of one image are of one build, one for each architecture.
func TestBinaries(t *testing.T) {
	c := newClone(t)
	amd, arm := c.build(t, "linux/amd64"), c.build(t, "linux/arm64")
	one := open(t, amd)
	if all, err := OpenAll([]string{arm, amd}, one.Info); err != nil || all[0].Arch != "arm64" || all[1].Arch != "amd64" {
		t.Errorf("%v, %v", all, err)
	}
	library := c.build(t, "linux/amd64", "-buildmode=pie", "-ldflags=-I /lib64/ld-linux-x86-64.so.2")
	c.commit(t)
	later := c.build(t, "linux/arm64")
	c.write(t, "main.go", "package main\n\nfunc main() { print(\"changed\") }\n")
	changed := c.build(t, "linux/arm64")
	notOne := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(notOne, []byte("text"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		later: "must be one build: version", changed: "of changed files", notOne: "not a tracetax", notOne + "-gone": "no such file",
		c.build(t, "darwin/arm64"): "made for darwin", library: "linked with a C library",
	} {
		if _, err := OpenAll([]string{path}, one.Info); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := OpenAll([]string{amd, amd}, one.Info); err == nil || !strings.Contains(err.Error(), "second binary for amd64") {
		t.Error(err)
	}
}

// The image is the same each time. It has the program, runs it as nobody, and says of which build it is.
func TestImage(t *testing.T) {
	c := newClone(t)
	b := open(t, c.build(t, "linux/arm64"))
	path := filepath.Join(t.TempDir(), "image.tar")
	named, err := Save(path, "0.1.0+abc", b)
	if err != nil || named != "tracetax:0.1.0-abc" {
		t.Fatalf("%q, %v", named, err)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("%v left, %v", files, err)
	}
	read, err := tarball.ImageFromPath(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(read); err != nil {
		t.Error(err)
	}
	config, err := read.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	labels := config.Config.Labels
	if config.OS != "linux" || config.Architecture != "arm64" || config.Config.User != "65532:65532" || config.Created.Year() < 2020 ||
		len(config.Config.Entrypoint) != 1 || config.Config.Entrypoint[0] != Program ||
		labels["org.opencontainers.image.version"] != "0.1.0+abc" || len(labels["org.opencontainers.image.revision"]) != 40 {
		t.Errorf("%+v", config)
	}
	program, err := os.ReadFile(b.path)
	if err != nil {
		t.Fatal(err)
	}
	if files := filesOf(t, read); !bytes.Equal(files[Program[1:]], program) || !bytes.Equal(files[certificates], Authorities()) {
		t.Error("the image has other files")
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Save(path, "0.1.0+abc", open(t, b.path)); err != nil {
		t.Fatal(err)
	}
	if second, err := os.ReadFile(path); err != nil || !bytes.Equal(first, second) {
		t.Errorf("made twice, the image differs: %v", err)
	}
	_, err = Save(filepath.Join(t.TempDir(), "no", "image.tar"), "1", b)
	if err == nil || !strings.Contains(err.Error(), "writing the image") {
		t.Error(err)
	}
}

func filesOf(t *testing.T, image v1.Image) map[string][]byte {
	t.Helper()
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v", len(layers), err)
	}
	content, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	files := map[string][]byte{}
	for r := tar.NewReader(content); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		if header.Uid+header.Gid != 0 || header.Name == "tmp/" && header.Mode != 0o1777 {
			t.Errorf("%s: %+v", header.Name, header)
		}
	}
}

// The authorities are those of a module, whose number changes with it alone; all are certificates.
func TestAuthorities(t *testing.T) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(Authorities()) {
		t.Fatal("no certificate")
	}
	if n := bytes.Count(Authorities(), []byte("BEGIN CERTIFICATE")); n < 80 {
		t.Errorf("%d authorities", n)
	}
}

// A registry has one image, or an index with one for each architecture, by the digest that Push returned.
func TestPush(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	c := newClone(t)
	both := []Binary{open(t, c.build(t, "linux/amd64")), open(t, c.build(t, "linux/arm64"))}

	pushed, err := Push(t.Context(), host+"/tools/one", "0.1.0+abc", both[:1])
	if err != nil || !strings.HasPrefix(pushed, host+"/tools/one:0.1.0-abc@sha256:") {
		t.Fatalf("%q, %v", pushed, err)
	}
	got, err := remote.Image(parse(t, pushed))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(got); err != nil {
		t.Error(err)
	}
	pushed, err = Push(t.Context(), host+"/tools/two:mine", "0.1.0", both)
	if err != nil || !strings.HasPrefix(pushed, host+"/tools/two:mine@") {
		t.Fatalf("%q, %v", pushed, err)
	}
	for _, b := range both {
		got, err := remote.Image(parse(t, pushed), remote.WithPlatform(v1.Platform{OS: "linux", Architecture: b.Arch}))
		if err != nil {
			t.Fatal(err)
		}
		program, err := os.ReadFile(b.path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(filesOf(t, got)[Program[1:]], program) {
			t.Errorf("%s has another program", b.Arch)
		}
	}
}

func parse(t *testing.T, text string) name.Reference {
	t.Helper()
	ref, err := name.ParseReference(text)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func TestPushFails(t *testing.T) {
	server := httptest.NewServer(nil) // answers 404
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	b := open(t, newClone(t).build(t, "linux/amd64"))
	gone, stop := context.WithCancel(t.Context())
	stop()
	for to, want := range map[string]string{
		"Not A Name": "is no name of an image", "a.example/b@sha256:" + strings.Repeat("0", 64): "by its digest",
		host + "/b": "docker login " + host,
	} {
		if _, err := Push(gone, to, "1", []Binary{b}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", to, err, want)
		}
	}
}
