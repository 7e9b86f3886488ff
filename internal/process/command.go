package process

// A command to start, and the search for its program.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/proctree"
	"github.com/tracetax/tracetax/internal/process/supervisor"
	"github.com/tracetax/tracetax/internal/role"
)

// Command is a program to start.
type Command struct {
	Name   string    // unique within the launcher: names the log and the cgroup
	Role   role.Role // not interpreted
	Args   []string  // the program and its arguments
	Env    []string  // the whole environment, NAME=value, the last of a name wins; nil is tracetax's own
	Dir    string    // working directory; "" is tracetax's own
	CPUs   []int     // the CPUs it may run on; nil is all of tracetax's
	Quota  float64   // CPUs' worth of time it may use; 0 is no limit
	Memory int64     // bytes it may use; 0 is no limit
	Piped  bool      // stdin and stdout are pipes to the caller; stderr is logged as always

	Container *Container // in which it runs; nil: none
}

// marker names the environment variable that identifies a program's descendants after their keeper was killed.
const marker = "TRACETAX_PROCESS"

// keeperMarker names an environment variable that keepers have and programs do not: a binary started as a keeper that does not
// know the command starts nothing, not even itself again.
const keeperMarker = "TRACETAX_KEEPER"

var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]*$`)

func (c Command) check() error {
	switch {
	case !goodName.MatchString(c.Name):
		return fmt.Errorf("process name %q: use letters, digits, '.', '_', '@' and '-'", c.Name)
	case len(c.Args) == 0 || c.Args[0] == "":
		return fmt.Errorf("process %s: there is no command to run", c.Name)
	case c.Quota < 0:
		return fmt.Errorf("process %s: a CPU quota of %g is negative", c.Name, c.Quota)
	case c.Memory < 0:
		return fmt.Errorf("process %s: a memory limit of %d bytes is negative", c.Name, c.Memory)
	}
	return nil
}

// environment returns the program's environment with the marker, each name once.
func (c Command) environment(mark string) []string {
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	return lastOfEach(append(slices.Clone(env), marker+"="+mark))
}

// lastOfEach keeps the last entry of each name: the C library would take the first one and Go's the last.
func lastOfEach(env []string) []string {
	at := make(map[string]int, len(env))
	kept := make([]string, 0, len(env))
	for _, entry := range env {
		name, _, ok := strings.Cut(entry, "=")
		if !ok || name == "" || strings.ContainsRune(entry, 0) {
			continue
		}
		if i, seen := at[name]; seen {
			kept[i] = entry
			continue
		}
		at[name] = len(kept)
		kept = append(kept, entry)
	}
	return kept
}

// lookUp returns the absolute path of the program, searched as a shell in dir with the environment env would.
func lookUp(program, dir string, env []string) (string, error) {
	if dir == "" {
		dir = "."
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("finding the working directory %s: %w", dir, err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("the working directory %s of %s is not there: create it or correct the path", dir, program)
	}
	if strings.Contains(program, "/") {
		path := program
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path, runnable(path)
	}
	path := variable(env, "PATH")
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(dir, folder)
		}
		if candidate := filepath.Join(folder, program); runnable(candidate) == nil {
			return candidate, nil
		}
	}
	return "", fmt.Errorf("the command %q was not found in PATH (%s): install it, or give its full path", program, path)
}

// runnable returns an error if path cannot be executed.
func runnable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file %s: correct the path or build it first", path)
	case err != nil:
		return fmt.Errorf("looking at %s: %w", path, err)
	case info.IsDir():
		return fmt.Errorf("%s is a folder, not a program", path)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("%s may not be executed: try 'chmod +x %s'", path, path)
	}
	return nil
}

func variable(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// The demands of a command on the machine, and those that this launcher cannot meet.

// place makes the cgroup and enters it in the keeper's assignment. Without cgroups the group is empty.
func (l *Launcher) place(c Command, a *supervisor.Assignment) (*cgroup.Group, error) {
	if l.Placement() != "none" {
		// With a cpuset too: tracetax's own CPU affinity would narrow it.
		a.CPUs = c.CPUs
	}
	if l.tree == nil {
		return &cgroup.Group{}, nil
	}
	g, err := l.tree.Create(cgroup.Limits{Name: c.Name, CPUs: c.CPUs, Quota: c.Quota, Memory: c.Memory})
	if err != nil {
		return nil, err
	}
	a.Join, a.Leave, a.Groups = g.Join, g.Leave, g.Dirs
	a.Group = g.At["unified"]
	a.Remove = slices.Concat(g.Dirs, l.tree.Dirs())
	return g, nil
}

// unmet lists the demands of c that this launcher cannot meet.
func (l *Launcher) unmet(c Command) []string {
	has := func(controller string) bool { return l.tree != nil && l.tree.Has(controller) }
	var unmet []string
	if c.Quota > 0 && !has("cpu") && (l.Placement() == "none" || len(c.CPUs) == 0 || float64(len(c.CPUs)) > c.Quota) {
		unmet = append(unmet, fmt.Sprintf("%s: its quota of %g CPUs is not enforced: that needs the cgroup controller cpu", c.Name, c.Quota))
	}
	if c.Memory > 0 && !has("memory") {
		unmet = append(unmet, fmt.Sprintf("%s: its memory limit of %d bytes is not enforced: that needs the cgroup controller memory", c.Name, c.Memory))
	}
	if len(c.CPUs) > 0 && l.Placement() == "none" {
		unmet = append(unmet, fmt.Sprintf("%s: it is not bound to the CPUs %s: that needs Linux", c.Name, proctree.FormatCPUs(c.CPUs)))
	}
	return unmet
}
