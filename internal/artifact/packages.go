// Pinned packages of one artefact: whatever kinds a folder names are put into one
// folder of the cache, and, below "files", what else stands in it.

package artifact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tracetax/tracetax/internal/config"
)

// filesFolder holds the files that stood beside the lock, in a folder of packages.
const filesFolder = "files"

// packages are the pinned packages of one kind.
type packages struct {
	kind    string   // the shelf of the store: python, maven, npm or nuget
	what    string   // for errors: "the Python packages of requirements.txt"
	parts   []string // everything that they are made from, besides the files beside them
	about   []string // names of files that only say which packages they are
	install func(ctx context.Context, at site) error
}

// Artifact returns the one folder that holds all packages that a names in files,
// of whatever kinds; "" where it names none. Below "files" stands whatever else
// files holds. progress, which may be nil, gets a line for each kind that is installed.
func (s *Store) Artifact(ctx context.Context, files fs.FS, a config.Artifact, progress io.Writer) (string, error) {
	if a == (config.Artifact{}) {
		return "", nil
	}
	if files == nil {
		return "", errors.New("packages are pinned by a file beside workload.yaml or tracer.yaml; a workload that is written into an experiment has no such folder")
	}
	var all []packages
	for _, kind := range []struct {
		lock string
		read func(context.Context, fs.FS, string) (packages, error)
	}{{a.Python, pythonPackages}, {a.Maven, mavenPackages}, {a.NPM, npmPackages}, {a.NuGet, nugetPackages}} {
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
	return s.Artifact(ctx, files, config.Artifact{Python: requirements}, progress)
}

// Maven is Artifact for a list of coordinates alone; see readMavenLock.
func (s *Store) Maven(ctx context.Context, files fs.FS, lock string, progress io.Writer) (string, error) {
	return s.Artifact(ctx, files, config.Artifact{Maven: lock}, progress)
}

// NPM is Artifact for a package-lock.json alone: its folder holds node_modules.
func (s *Store) NPM(ctx context.Context, files fs.FS, lock string, progress io.Writer) (string, error) {
	return s.Artifact(ctx, files, config.Artifact{NPM: lock}, progress)
}

// NuGet is Artifact for a folder of .NET projects alone.
func (s *Store) NuGet(ctx context.Context, files fs.FS, folder string, progress io.Writer) (string, error) {
	return s.Artifact(ctx, files, config.Artifact{NuGet: folder}, progress)
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
	shelf, about := all[0].kind, []string{"README.md", "workload.yaml", "tracer.yaml"}
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
	return config.CopyFiles(files, dir)
}
