// .NET projects, published with the packages that their packages.lock.json pins.

package artifact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/quote"
)

// nugetEnv keeps the build from leaving servers behind, and from sending telemetry.
var nugetEnv = []string{
	"DOTNET_CLI_USE_MSBUILD_SERVER=0", "MSBUILDDISABLENODEREUSE=1", "UseSharedCompilation=false",
	"DOTNET_CLI_TELEMETRY_OPTOUT=1", "DOTNET_NOLOGO=1",
}

// nugetPackages are the published projects of a folder, each in a folder of its own name.
func nugetPackages(ctx context.Context, files fs.FS, folder string) (packages, error) {
	projects, err := nugetProjects(files, folder)
	if err != nil {
		return packages{}, err
	}
	// A global.json at or above the folder where it is asked would choose which SDK answers: above a root there is none.
	version, err := command{args: []string{"dotnet", "--version"}, dir: string(filepath.Separator), env: nugetEnv}.output(ctx)
	if err != nil {
		return packages{}, fmt.Errorf("asking dotnet for its version: %w (install the .NET 10 SDK; a runtime alone does not build)", err)
	}
	return packages{
		// The projects themselves are among the files beside them.
		kind: "nuget", what: "the .NET projects of " + folder, parts: []string{version, folder},
		install: func(ctx context.Context, at site) error {
			sources := at.scratch.path("projects")
			if err := program.CopyFiles(files, sources); err != nil {
				return fmt.Errorf("writing the sources out: %w", err)
			}
			for _, name := range projects {
				if err := nugetPublish(ctx, at, filepath.Join(sources, filepath.FromSlash(folder), name), name); err != nil {
					return fmt.Errorf("%s: %w", path.Join(folder, name), explainNuGet(err))
				}
			}
			return nil
		},
	}, nil
}

// nugetProjects are the folders of a folder that hold a project, once all its packages are seen to be pinned.
func nugetProjects(files fs.FS, folder string) ([]string, error) {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return nil, fmt.Errorf("reading the folder of .NET projects: %w", err)
	}
	var names []string
	for _, entry := range entries {
		found, err := fs.Glob(files, path.Join(folder, entry.Name(), "*.csproj"))
		if err != nil {
			return nil, err
		}
		switch {
		case len(found) == 0: // sources that projects share
			continue
		case len(found) > 1:
			return nil, fmt.Errorf("%s has several projects: give each a folder of its own", path.Join(folder, entry.Name()))
		}
		lock := path.Join(folder, entry.Name(), program.NuGetLock)
		text, err := readLock(files, lock)
		if err != nil {
			return nil, err
		}
		if err := checkNuGetLock(text); err != nil {
			return nil, fmt.Errorf("%s: %w", lock, err)
		}
		names = append(names, entry.Name())
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no folder of %s holds a .NET project", folder)
	}
	return names, nil
}

// nugetPublish publishes the project of a folder.
func nugetPublish(ctx context.Context, at site, dir, name string) error {
	for _, args := range [][]string{
		{"dotnet", "restore", "--locked-mode", "--verbosity", "quiet"},
		{"dotnet", "publish", "--no-restore", "--configuration", "Release", "--verbosity", "quiet", "--output", filepath.Join(at.dir, name)},
	} {
		if err := (command{at: at, args: args, dir: dir, env: nugetEnv}).run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// nugetLock is as much of a packages.lock.json as it takes to see that all is pinned: packages by framework and name.
type nugetLock struct {
	Version      int `json:"version"`
	Dependencies map[string]map[string]struct {
		Type string `json:"type"`
		Hash string `json:"contentHash"`
	} `json:"dependencies"`
}

// checkNuGetLock complains of a lock that leaves a package open.
func checkNuGetLock(text []byte) error {
	var lock nugetLock
	if err := json.Unmarshal(text, &lock); err != nil {
		return fmt.Errorf("this is not a packages.lock.json: %w", err)
	}
	if lock.Version < 1 || len(lock.Dependencies) == 0 {
		return errors.New("it names no framework; make it again with 'dotnet restore --force-evaluate'")
	}
	for _, framework := range slices.Sorted(maps.Keys(lock.Dependencies)) {
		for _, name := range slices.Sorted(maps.Keys(lock.Dependencies[framework])) {
			if p := lock.Dependencies[framework][name]; p.Type != "Project" && p.Hash == "" {
				return fmt.Errorf("%s has no checksum (contentHash); make the lock again with 'dotnet restore --force-evaluate'", quote.Line(name))
			}
		}
	}
	return nil
}

var (
	nugetIntegrity = regexp.MustCompile(`NU1403: .*?for (\S+?)\. `)
	nugetStale     = regexp.MustCompile(`NU1004`)
	nugetNetwork   = regexp.MustCompile(`NU1301|NU1801`)
	nugetAbsent    = regexp.MustCompile(`NU110[123]: Unable to find (?:a stable )?package (\S+?)[.]?(?:\s|$)`)
	nugetOld       = regexp.MustCompile(`NETSDK1045`)
)

// explainNuGet puts in front of dotnet's words what failed and what to do.
func explainNuGet(err error) error {
	var failed *commandError
	if !errors.As(err, &failed) {
		return err
	}
	out := failed.output
	switch {
	case nugetIntegrity.MatchString(out):
		return fmt.Errorf("%s is not the file that was pinned: its checksum differs: %w", nugetIntegrity.FindStringSubmatch(out)[1], err)
	case nugetStale.MatchString(out):
		return fmt.Errorf("the project and its packages.lock.json do not say the same (make the lock again: dotnet restore --force-evaluate): %w", err)
	case nugetAbsent.MatchString(out):
		return fmt.Errorf("no source of packages has (or gives) %s: %w", nugetAbsent.FindStringSubmatch(out)[1], err)
	case nugetNetwork.MatchString(out):
		return fmt.Errorf("a source of NuGet packages cannot be reached ('dotnet nuget list source' says which there are): %w", err)
	case nugetOld.MatchString(out):
		return fmt.Errorf("this SDK of .NET is too old; install the .NET 10 SDK: %w", err)
	}
	return err
}
