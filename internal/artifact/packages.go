// Pinned packages of one artefact: whatever kinds a folder names are put into one
// folder of the cache, and, below "files", what else stands in it.

package artifact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
	"golang.org/x/mod/modfile"
)

// filesFolder holds the files that stood beside the lock, in a folder of packages.
const filesFolder = "files"

// packages are the pinned packages of one kind.
type packages struct {
	kind    string   // the shelf of the store: python, maven, npm or nuget
	what    string   // for errors: "the Python packages of requirements.txt"
	parts   []string // everything that they are made from, besides the files beside them
	about   []string // names of files that only list packages
	install func(ctx context.Context, at site) error
}

// Artifact returns the one folder that holds all packages that a names in files,
// of whatever kinds; "" where it names none. Below "files" stands whatever else
// files holds. progress, which may be nil, gets a line for each kind that is installed.
func (s *Store) Artifact(ctx context.Context, files fs.FS, a program.Artifact, progress io.Writer) (string, error) {
	if a == (program.Artifact{}) {
		return "", nil
	}
	if files == nil {
		return "", errors.New("packages are pinned by a file beside workload.yaml or tracer.yaml; a workload that is written into an experiment has no such folder")
	}
	var all []packages
	for _, kind := range []struct {
		lock string
		read func(context.Context, fs.FS, string) (packages, error)
	}{{a.Python, s.pythonPackages}, {a.Maven, mavenPackages}, {a.NPM, npmPackages}, {a.NuGet, nugetPackages}} {
		if kind.lock == "" {
			continue
		}
		p, err := kind.read(ctx, files, kind.lock)
		if err != nil {
			return "", err
		}
		all = append(all, s.alone(p))
	}
	return s.packages(ctx, files, all, progress)
}

// Python is Artifact for a requirements file alone: its folder is to be put on a
// PYTHONPATH. It is good for the python3 that is on the PATH now.
func (s *Store) Python(ctx context.Context, files fs.FS, requirements string, progress io.Writer) (string, error) {
	return s.Artifact(ctx, files, program.Artifact{Python: requirements}, progress)
}

// Maven is Artifact for a list of coordinates alone; see readMavenLock.
func (s *Store) Maven(ctx context.Context, files fs.FS, lock string, progress io.Writer) (string, error) {
	return s.Artifact(ctx, files, program.Artifact{Maven: lock}, progress)
}

// NPM is Artifact for a package-lock.json alone: its folder holds node_modules.
func (s *Store) NPM(ctx context.Context, files fs.FS, lock string, progress io.Writer) (string, error) {
	return s.Artifact(ctx, files, program.Artifact{NPM: lock}, progress)
}

// NuGet is Artifact for a folder of .NET projects alone.
func (s *Store) NuGet(ctx context.Context, files fs.FS, folder string, progress io.Writer) (string, error) {
	return s.Artifact(ctx, files, program.Artifact{NuGet: folder}, progress)
}

// alone has Maven install for one tracetax at a time: what it keeps in the user's
// own repository is not made for several writers.
func (s *Store) alone(p packages) packages {
	if p.kind != "maven" {
		return p
	}
	install := p.install
	p.install = func(ctx context.Context, at site) (err error) {
		held, err := lock(ctx, filepath.Join(s.dir, "maven-at-work"+lockEnding))
		if err != nil {
			return fmt.Errorf("waiting for another tracetax that uses Maven: %w", err)
		}
		defer func() { err = errors.Join(err, held.Close()) }()
		at.held = append(slices.Clip(at.held), held)
		return install(ctx, at)
	}
	return p
}

// packages returns the folder of all of these.
func (s *Store) packages(ctx context.Context, files fs.FS, all []packages, progress io.Writer) (string, error) {
	shelf, about := all[0].kind, []string{"README.md", "workload.yaml", "tracer.yaml", "causes.yaml"}
	if len(all) > 1 {
		shelf = "several"
	}
	k := newKey(shelf)
	for _, p := range all {
		k.add(p.kind)
		k.add(p.parts...)
		about = append(about, p.about...)
	}
	// What only describes the folder makes nothing new when it changes.
	skip := func(name string) bool { return slices.Contains(about, name) }
	if err := k.addFiles(files, skip); err != nil {
		return "", fmt.Errorf("reading the files beside %s: %w", all[0].what, err)
	}
	return s.obtain(ctx, shelf, k.text(), func(ctx context.Context, at site) error {
		for _, p := range all {
			tell(progress, "installing %s", p.what)
			if err := p.install(ctx, at); err != nil {
				return fmt.Errorf("installing %s: %w", p.what, err)
			}
		}
		return copyBeside(files, filepath.Join(at.dir, filesFolder))
	})
}

func copyBeside(files fs.FS, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return program.CopyFiles(files, dir)
}

// Reading lists of pinned packages.

// readLock reads a lock file of a folder.
func readLock(files fs.FS, name string) ([]byte, error) {
	text, err := fs.ReadFile(files, path.Clean(strings.ReplaceAll(name, "\\", "/")))
	if err != nil {
		return nil, fmt.Errorf("reading the list of pinned packages: %w", err)
	}
	return text, nil
}

// Which versions of packages a folder pins.

// Pinned are the versions of the packages that an artifact names itself, by name, as its lock files have them; without
// those that these need in their turn.
func Pinned(files fs.FS, a program.Artifact) (map[string]string, error) {
	out := pins{}
	for _, kind := range []struct {
		name string
		read func(fs.FS, string, pins) error
	}{{a.Python, pythonPins}, {a.Maven, mavenPins}, {a.NPM, npmPins}, {a.NuGet, nugetPins}} {
		if kind.name == "" {
			continue
		}
		if err := kind.read(files, kind.name, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// PinnedModules are the versions of the Go modules that a program requires itself, by path; none where it has no go.mod.
func PinnedModules(files fs.FS) (map[string]string, error) {
	for _, name := range []string{"go.mod", "go.mod.embed"} {
		text, err := fs.ReadFile(files, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading the modules of a program: %w", err)
		}
		file, err := modfile.Parse(name, text, nil)
		if err != nil {
			return nil, fmt.Errorf("reading the modules of a program: %w", err)
		}
		out := pins{}
		for _, r := range file.Require {
			if !r.Indirect {
				out.add(r.Mod.Path, r.Mod.Version)
			}
		}
		return out, nil
	}
	return nil, nil
}

// pins are versions by the names of packages.
type pins map[string]string

// add notes a version. Of a package there may be several, for one platform each.
func (p pins) add(name, version string) {
	if have := p[name]; have != "" && !slices.Contains(strings.Split(have, ", "), version) {
		version = have + ", " + version
	} else if have != "" {
		return
	}
	p[name] = version
}

// requirement is a line of a list of requirements that pins a package.
var requirement = regexp.MustCompile(`(?m)^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)`)

// pythonPins lists the requirements of requirements.in beside the lock, if there is one: the lock also has what they need.
func pythonPins(files fs.FS, name string, out pins) error {
	lock, err := readLock(files, name)
	if err != nil {
		return err
	}
	wanted := lock
	if text, err := fs.ReadFile(files, strings.TrimSuffix(name, path.Ext(name))+".in"); err == nil {
		wanted = text
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading which packages are wanted: %w", err)
	}
	var names []string
	for _, line := range requirement.FindAllSubmatch(wanted, -1) {
		names = append(names, pythonName(line[1]))
	}
	for _, line := range requirement.FindAllSubmatch(lock, -1) {
		if slices.Contains(names, pythonName(line[1])) {
			out.add(string(line[1]), string(line[2]))
		}
	}
	return nil
}

// separators are characters that Python treats alike in the names of packages, as it does upper and lower case.
var separators = regexp.MustCompile(`[-_.]+`)

func pythonName(name []byte) string {
	return strings.ToLower(separators.ReplaceAllString(string(name), "-"))
}

func mavenPins(files fs.FS, name string, out pins) error {
	text, err := readLock(files, name)
	if err != nil {
		return err
	}
	all, err := readMavenLock(name, string(text))
	if err != nil {
		return err
	}
	for _, c := range all {
		out.add(c.group+":"+c.artifact, c.version)
	}
	return nil
}

func npmPins(files fs.FS, name string, out pins) error {
	var wanted struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	var lock struct {
		Packages map[string]struct {
			Version string `json:"version"`
		} `json:"packages"`
	}
	for file, into := range map[string]any{path.Join(path.Dir(name), "package.json"): &wanted, name: &lock} {
		text, err := readLock(files, file)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, into); err != nil {
			return fmt.Errorf("reading %s: %w", file, err)
		}
	}
	for dependency := range wanted.Dependencies {
		if version := lock.Packages["node_modules/"+dependency].Version; version != "" {
			out.add(dependency, version)
		}
	}
	return nil
}

func nugetPins(files fs.FS, folder string, out pins) error {
	projects, err := nugetProjects(files, folder)
	if err != nil {
		return err
	}
	for _, project := range projects {
		name := path.Join(folder, project, program.NuGetLock)
		text, err := readLock(files, name)
		if err != nil {
			return err
		}
		var lock struct {
			Dependencies map[string]map[string]struct {
				Type     string `json:"type"`
				Resolved string `json:"resolved"`
			} `json:"dependencies"`
		}
		if err := json.Unmarshal(text, &lock); err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		for _, packages := range lock.Dependencies {
			for dependency, p := range packages {
				if p.Type == "Direct" && p.Resolved != "" {
					out.add(dependency, p.Resolved)
				}
			}
		}
	}
	return nil
}
