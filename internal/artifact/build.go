// Builds of a program from its sources.
package artifact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/spec"
)

// BuildRequest says how a program is made.
type BuildRequest struct {
	Files    fs.FS             // the sources; X.embed is written out as X
	Commands [][]string        // run in a copy of the sources; {build} is where the result goes
	Env      map[string]string // may hold {build}
}

// Build returns the folder that holds what the commands of q put into {build}.
// What they say goes to progress, which may be nil.
func (s *Store) Build(ctx context.Context, q BuildRequest, progress io.Writer) (string, error) {
	k, err := q.key(ctx)
	if err != nil {
		return "", fmt.Errorf("preparing the build: %w", err)
	}
	dir, err := s.obtain(ctx, "build", k.text(), func(ctx context.Context, dir string) error {
		return q.run(ctx, dir, progress)
	})
	if err != nil {
		return "", fmt.Errorf("building the program: %w", err)
	}
	return dir, nil
}

// key is made from the sources, the commands and the tools that they call.
func (q BuildRequest) key(ctx context.Context) (key, error) {
	k := newKey("build")
	for _, name := range slices.Sorted(maps.Keys(q.Env)) {
		k.add(name, q.Env[name])
	}
	for _, args := range q.Commands {
		if len(args) == 0 {
			return k, errors.New("a command of the build is empty")
		}
		k.add(fmt.Sprint(len(args)))
		k.add(args...)
		tool, err := identify(ctx, args[0])
		if err != nil {
			return k, err
		}
		k.add(tool)
	}
	return k, k.addFiles(q.Files, notCompiled)
}

// notCompiled reports whether a file only describes the folder.
func notCompiled(name string) bool { return name == "workload.yaml" || name == "README.md" }

// identify says which version of a tool is installed: in its own words for Go, by
// its file for others.
func identify(ctx context.Context, tool string) (string, error) {
	path, err := exec.LookPath(tool)
	if err != nil {
		return "", fmt.Errorf("%s is not installed, or not on the PATH: %w", tool, err)
	}
	if tool == "go" {
		return command{args: []string{"go", "env", "GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOFLAGS", "GOEXPERIMENT", "CGO_ENABLED"}}.output(ctx)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano()), nil
}

// run makes the result in dir.
func (q BuildRequest) run(ctx context.Context, dir string, progress io.Writer) (err error) {
	sources, err := os.MkdirTemp("", "tracetax-build-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(sources)) }()
	if err := spec.CopyFiles(q.Files, sources); err != nil {
		return fmt.Errorf("writing the sources out: %w", err)
	}
	into := func(text string) string { return strings.ReplaceAll(text, "{build}", dir) }
	var env []string
	for name, value := range q.Env {
		env = append(env, name+"="+into(value))
	}
	for _, args := range q.Commands {
		c := command{dir: sources, env: env, progress: progress}
		for _, arg := range args {
			c.args = append(c.args, into(arg))
		}
		if err := c.run(ctx); err != nil {
			return err
		}
	}
	return nil
}
