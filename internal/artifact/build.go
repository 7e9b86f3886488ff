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
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
)

// BuildRequest is a program to build.
type BuildRequest struct {
	Files    fs.FS             // the sources; X.embed is written out as X
	Commands [][]string        // run in a copy of the sources; {build} is where the result goes
	Env      map[string]string // may hold {build}
	Folders  map[string]string // what else may stand in braces: "tracer" and "workload"
	Beside   []string          // files of the sources that are not compiled, by their names
}

// Build returns the folder that holds what the commands of q put into {build}.
// progress, which may be nil, gets a line if they are run.
func (s *Store) Build(ctx context.Context, q BuildRequest, progress io.Writer) (string, error) {
	k, err := q.key(ctx)
	if err != nil {
		return "", fmt.Errorf("preparing the build: %w", err)
	}
	dir, err := s.obtain(ctx, "build", k.text(), func(ctx context.Context, at site) error {
		tell(progress, "building the program with %s", strings.Join(q.tools(), " and "))
		return q.run(ctx, at)
	})
	if err != nil {
		return "", fmt.Errorf("building the program: %w", err)
	}
	return dir, nil
}

// key is made from the sources, the commands and the tools that they call.
func (q BuildRequest) key(ctx context.Context) (key, error) {
	k := newKey("build")
	for _, name := range q.folders() {
		k.add(name, q.Folders[name]) // which the cache calls after what is in it
	}
	for _, name := range slices.Sorted(maps.Keys(q.Env)) {
		k.add(name, q.Env[name])
	}
	for _, args := range q.Commands {
		if len(args) == 0 {
			return k, errors.New("a command of the build is empty")
		}
		k.add(fmt.Sprint(len(args)))
		k.add(args...)
		tool, err := identify(ctx, args[0], q.Env)
		if err != nil {
			return k, err
		}
		k.add(tool)
	}
	return k, k.addFiles(q.Files, func(name string) bool { return notCompiled(name) || slices.Contains(q.Beside, name) })
}

// notCompiled reports whether a file only describes the folder.
func notCompiled(name string) bool {
	switch name {
	case "workload.yaml", "service.yaml", "tracer.yaml", "causes.yaml", "README.md":
		return true
	}
	return false
}

// versionWords ask tools that are started through others for the version that
// decides: the JDK behind mvn is not the file mvn.
var versionWords = map[string][]string{
	"go":     {"env", "GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOFLAGS", "GOEXPERIMENT", "CGO_ENABLED"},
	"mvn":    {"--version"},
	"gradle": {"--version"},
	"java":   {"--version"},
	"javac":  {"--version"},
	"npm":    {"version"},
	"cargo":  {"--version", "--verbose"},
	"node":   {"--version"},
}

// identify says which version of a tool a build with that environment uses: in its
// own words, or else by its file.
func identify(ctx context.Context, tool string, env map[string]string) (string, error) {
	path, err := exec.LookPath(tool)
	if err != nil {
		return "", fmt.Errorf("%s is not installed, or not on the PATH: %w", tool, err)
	}
	words, asked := versionWords[tool]
	if !asked {
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano()), nil
	}
	var set []string
	for name, value := range env {
		set = append(set, name+"="+value)
	}
	// In an empty folder: a tool may print more in a project.
	said, err := command{args: append([]string{tool}, words...), dir: os.TempDir(), env: set}.output(ctx)
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", tool, err)
	}
	return withoutKernel(said), nil
}

// withoutKernel leaves out the line in which mvn and gradle name the machine's
// kernel: a build is as good under the next one.
func withoutKernel(said string) string {
	var kept []string
	for line := range strings.Lines(said) {
		if !strings.HasPrefix(line, "OS name:") && !strings.HasPrefix(line, "OS:") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// tools are the programs that the build calls, each once.
func (q BuildRequest) tools() []string {
	var out []string
	for _, args := range q.Commands {
		if !slices.Contains(out, args[0]) {
			out = append(out, args[0])
		}
	}
	return out
}

// folders are the names of the folders that the build makes use of, sorted.
func (q BuildRequest) folders() []string {
	texts := slices.Concat(slices.Collect(maps.Values(q.Env)), slices.Concat(q.Commands...))
	var used []string
	for _, name := range slices.Sorted(maps.Keys(q.Folders)) {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "{"+name+"}") }) {
			used = append(used, name)
		}
	}
	return used
}

// words fills in the folders in braces.
func (q BuildRequest) words(dir string) *strings.Replacer {
	pairs := []string{"{build}", dir}
	for name, folder := range q.Folders {
		pairs = append(pairs, "{"+name+"}", folder)
	}
	return strings.NewReplacer(pairs...)
}

// run makes the result at a place.
func (q BuildRequest) run(ctx context.Context, at site) error {
	sources := at.scratch.path("sources")
	if err := program.CopyFiles(q.Files, sources); err != nil {
		return fmt.Errorf("writing the sources out: %w", err)
	}
	into := q.words(at.dir).Replace
	var env []string
	for name, value := range q.Env {
		env = append(env, name+"="+into(value))
	}
	for _, args := range q.Commands {
		c := command{at: at, dir: sources, env: env}
		for _, arg := range args {
			c.args = append(c.args, into(arg))
		}
		if err := c.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// The git checkout of a program's folder.

// Checkout is the state of a git checkout.
type Checkout struct {
	Commit string `json:"commit"`
	Dirty  bool   `json:"dirty"` // files that git knows were changed since
}

// patience bounds the time of git; in a large checkout on a slow disk it takes seconds.
const patience = 20 * time.Second

var commitName = regexp.MustCompile(`^[0-9a-f]{40,64}$`)

// CheckoutOf returns the git checkout that a folder is in; nil if there is none, or git fails.
func CheckoutOf(ctx context.Context, dir string) *Checkout {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	git := func(args ...string) (string, error) {
		return command{args: append([]string{"git", "-C", dir, "--no-optional-locks"}, args...)}.output(ctx)
	}
	commit, err := git("rev-parse", "HEAD")
	if err != nil || !commitName.MatchString(commit) {
		return nil // no checkout, no commit yet, or no git: then nothing is known
	}
	changed, err := git("status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return nil
	}
	return &Checkout{Commit: commit, Dirty: changed != ""}
}

// The folders of built-in workloads and services, written out for programs that
// run from them.

// Source returns a folder that holds files as they are written out.
func (s *Store) Source(ctx context.Context, files fs.FS) (string, error) {
	return s.written(ctx, "source", "the workload", files)
}

// Service returns the folder that {service} stands for: it holds the files of a
// service as they are written out.
func (s *Store) Service(ctx context.Context, files fs.FS) (string, error) {
	return s.written(ctx, "service", "the service", files)
}

// Tracer returns the folder that {tracer} stands for where a tracer pins no packages: it holds the tracer's own files.
func (s *Store) Tracer(ctx context.Context, files fs.FS) (string, error) {
	return s.written(ctx, "tracer", "the tracer", files)
}

func (s *Store) written(ctx context.Context, shelf, whose string, files fs.FS) (string, error) {
	k := newKey(shelf)
	if err := k.addFiles(files, func(string) bool { return false }); err != nil {
		return "", fmt.Errorf("reading the files of %s: %w", whose, err)
	}
	return s.obtain(ctx, shelf, k.text(), func(_ context.Context, at site) error { return program.CopyFiles(files, at.dir) })
}
