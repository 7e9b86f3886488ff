// What has to be made or fetched before a program runs.

package config

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
)

func (s *source) artifact(n *node) Artifact {
	var a Artifact
	s.mapping(n, "artifact", fields{
		"python": func(v *node) { a.Python = s.lockFile(v, "python", "a requirements file with hashes") },
		"maven":  func(v *node) { a.Maven = s.lockFile(v, "maven", "a list of coordinates with checksums") },
		"npm": func(v *node) {
			a.NPM = s.lockFile(v, "npm", "a package-lock.json")
			if manifest := path.Join(path.Dir(a.NPM), "package.json"); a.NPM != "" && s.files != nil && !isFile(s.files, manifest) {
				s.fail(v.at, "npm: there is no %s beside %s", path.Base(manifest), printable(a.NPM))
			}
		},
		"nuget": func(v *node) { a.NuGet = s.projects(v) },
	})
	return a
}

func (s *source) build(n *node) Build {
	var b Build
	s.mapping(n, "a build (of one tracer, or of default)", fields{
		"run": func(v *node) {
			if v.kind != list {
				s.fail(v.at, "run must be a list of commands, not %s", v.kind)
				return
			}
			for _, item := range v.items {
				b.Run = append(b.Run, s.command(item, buildPlaceholders))
			}
		},
		"env": func(v *node) { b.Env = s.env(v, buildPlaceholders) },
	})
	return b
}

func (s *source) needs(n *node) []Need {
	if n.kind != list {
		s.fail(n.at, "needs must be a list, not %s", n.kind)
		return nil
	}
	var out []Need
	for _, item := range n.items {
		var need Need
		ok := s.mapping(item, "a need", fields{
			"command": func(v *node) { need.Command = s.line(v) },
			"also":    func(v *node) { need.Also = s.pattern(v) },
			"instead": func(v *node) { need.Instead = s.line(v) },
			"install": func(v *node) { need.Install = s.line(v) },
			"reason":  func(v *node) { need.Reason = s.line(v) },
		})
		if ok && need.Command == "" && need.Reason == "" {
			s.fail(item.at, "a need names a command, or a reason why it cannot be had")
		}
		out = append(out, need)
	}
	return out
}

// lockFile reads the name of a file that pins packages, in the folder of a
// built-in workload or tracer.
func (s *source) lockFile(n *node, key, what string) string {
	before := len(s.problems)
	name := s.line(n)
	switch {
	case len(s.problems) > before:
	case name == "" || !filepath.IsLocal(name):
		s.fail(n.at, "%s must name %s in this folder, not %q", key, what, printable(name))
	case s.files != nil && !isFile(s.files, name):
		s.fail(n.at, "%s: there is no file %q in this folder", key, printable(name))
	default:
		return path.Clean(filepath.ToSlash(name))
	}
	return ""
}

// needs are the needs of who has these packages: what is there already, and the
// package managers that fetch them.
func (a Artifact) needs(there []Need) []Need {
	for _, one := range []struct {
		lock string
		need Need
	}{
		{a.Python, Need{Command: "python3", Install: "install Python 3.10 or newer with pip (Debian: python3 and python3-pip)"}},
		{a.Maven, Need{Command: "mvn", Install: "install Maven 3.8 or newer, which fetches the packages (Debian: maven)"}},
		{a.NPM, Need{Command: "npm", Install: "install Node.js 18 or newer with npm"}},
		{a.NuGet, Need{Command: "dotnet", Install: "install the .NET 10 SDK, from https://dotnet.microsoft.com/download"}},
	} {
		if one.lock != "" && !slices.ContainsFunc(there, func(n Need) bool { return n.Command == one.need.Command }) {
			there = append(there, one.need)
		}
	}
	return there
}

// pattern reads a pattern of whole paths.
func (s *source) pattern(n *node) string {
	text := s.line(n)
	if _, err := filepath.Match(text, ""); err != nil || !filepath.IsAbs(text) {
		s.fail(n.at, "%q is not a pattern of whole paths such as /usr/lib/postgresql/*/bin/postgres", printable(text))
	}
	return text
}

func isFile(files fs.FS, name string) bool {
	info, err := fs.Stat(files, path.Clean(filepath.ToSlash(name)))
	return err == nil && info.Mode().IsRegular()
}

// builds reads the builds by tracer; "default" is kept as "".
func (s *source) builds(n *node) map[string]Build {
	out := map[string]Build{}
	for _, e := range s.entries(n, "build") {
		name := e.key
		if name == "default" {
			name = ""
		}
		out[name] = s.build(e.value)
	}
	return out
}
