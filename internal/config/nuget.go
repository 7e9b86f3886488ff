// The folder of .NET projects that a workload or tracer names.

package config

import (
	"io/fs"
	"path"
	"path/filepath"
)

// NuGetLock pins the packages of a .NET project, beside it.
const NuGetLock = "packages.lock.json"

// projects reads the name of a folder whose folders are .NET projects with pinned packages.
func (s *source) projects(n *node) string {
	before := len(s.problems)
	name := s.line(n)
	switch {
	case len(s.problems) > before:
	case name == "" || name == "." || !filepath.IsLocal(name):
		s.fail(n.at, "nuget must name a folder of projects in this folder, not %q", printable(name))
	case s.files != nil && len(pinnedProjects(s.files, path.Clean(filepath.ToSlash(name)))) == 0:
		s.fail(n.at, "nuget: no folder in %q has a %s", printable(name), NuGetLock)
	default:
		return path.Clean(filepath.ToSlash(name))
	}
	return ""
}

func pinnedProjects(files fs.FS, folder string) []string {
	found, err := fs.Glob(files, folder+"/*/"+NuGetLock)
	if err != nil {
		return nil // a name that is a broken pattern is no folder's
	}
	return found
}
