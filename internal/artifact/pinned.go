// Which versions of packages a folder pins.

package artifact

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/tracetax/tracetax/internal/config"
)

// Pinned are the versions of the packages that an artifact names itself, by name, as its lock files have them; without
// those that these need in their turn.
func Pinned(files fs.FS, a config.Artifact) (map[string]string, error) {
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

// pythonPins are those of requirements.in beside the lock, where there is one: the lock has all that they need too.
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

// separators are what the names of Python packages are alike in spite of, as case is.
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
		name := path.Join(folder, project, config.NuGetLock)
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
