// Workload files, and workloads written inline in an experiment.
package spec

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// ParseWorkload reads a workload file. File is its name for errors.
func ParseWorkload(file, name string, text []byte) (*Workload, error) {
	s := &source{file: file}
	root := parseYAML(s, text)
	if root == nil {
		return nil, s.err()
	}
	w := s.workload(root, name)
	if err := s.err(); err != nil {
		return nil, err
	}
	return w, nil
}

// workload reads the mapping of a workload.
func (s *source) workload(n *node, name string) *Workload {
	w := &Workload{Name: name}
	known := runPlaceholders
	if n.kind == mapping {
		known = append(slices.Clone(runPlaceholders), s.processPorts(n.get("processes"), nil)...)
	}
	var operations, rate, all *node
	s.mapping(n, "a workload", fields{
		"name":        func(v *node) { w.Name = s.line(v) },
		"language":    func(v *node) { w.Language = s.line(v) },
		"description": func(v *node) { w.Description = s.text(v) },
		"needs":       func(v *node) { w.Needs = s.needs(v) },
		"artifact":    func(v *node) { w.Artifact = s.artifact(v) },
		"shared":      s.share,
		"build":       func(v *node) { w.Build = s.builds(v) },
		"processes":   func(v *node) { w.Processes = s.processes(v, known) },
		"operations":  func(v *node) { operations = v },
		"rate":        func(v *node) { rate, w.Rate = v, s.rate(v) },
		"warmup_all":  func(v *node) { all, w.WarmupAll = v, s.duration(v, 0, time.Hour) },
		"dir":         func(v *node) { w.Dir = filepath.FromSlash(s.line(v)) },
		"self":        func(v *node) { w.Self = s.flag(v) },
		"most":        func(v *node) { w.Most = s.most(v) },
		"verify":      func(v *node) { w.Verify = s.verify(v, without(known, "service")) },
	})
	if n.kind != mapping {
		return w
	}
	if n.get("processes") == nil {
		s.lacks(n, "processes", n.at, "a workload needs processes: what is to be started")
	}
	if operations == nil {
		s.lacks(n, "operations", n.at, "a workload needs operations: what is counted and timed")
		return w
	}
	if w.Manner().Unpaced && rate != nil {
		s.fail(rate.at, "a workload that makes itself work goes as fast as it can where the experiment names no rate; leave rate out")
	}
	if w.Self && all != nil {
		s.fail(all.at, "warmup_all is for programs that are asked by requests; a workload that makes itself work has the warmup of its load")
	}
	w.Operations = s.operationMap(operations, w, known)
	// What a service needs is needed wherever it is used.
	for _, service := range w.services() {
		w.Needs = Distinct(slices.Concat(w.Needs, service.Needs))
	}
	return w
}

// most reads {depth: 4096, threads: 1}: what a workload that makes itself work can do at most.
func (s *source) most(n *node) map[string]int {
	out := map[string]int{}
	s.mapping(n, "most", fields{
		"depth":   func(v *node) { out["depth"] = s.whole(v, 1, maxDeep) },
		"threads": func(v *node) { out["threads"] = s.whole(v, 1, maxThreads) },
	})
	return out
}

// verify reads {run: COMMAND}: what checks the workload's answers.
func (s *source) verify(n *node, known []string) []string {
	var command []string
	ok := s.mapping(n, "verify", fields{"run": func(v *node) { command = s.command(v, without(known, "port")) }})
	if ok && n.get("run") == nil {
		s.lacks(n, "run", n.at, "verify needs run: the command that checks the answers")
	}
	return command
}

// processPorts are the placeholders {NAME.port} and {NAME.port.FURTHER} of those of a list of
// processes that is not read yet which are wanted; nil: of all.
func (s *source) processPorts(n *node, wanted func(*node) bool) []string {
	var out []string
	if n == nil {
		return nil
	}
	for _, item := range n.items {
		name := item.get("name")
		if name == nil || name.kind != scalar || wanted != nil && !wanted(item) {
			continue
		}
		for _, word := range append([]string{"port"}, s.ownPorts(item)...) {
			out = append(out, name.text+"."+word)
		}
	}
	return out
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

// pattern reads a pattern of whole paths.
func (s *source) pattern(n *node) string {
	text := s.line(n)
	if _, err := filepath.Match(text, ""); err != nil || !filepath.IsAbs(text) {
		s.fail(n.at, "%q is not a pattern of whole paths such as /usr/lib/postgresql/*/bin/postgres", printable(text))
	}
	return text
}

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

var buildPlaceholders = []string{"build", "dir", "tmp", "workload", "tracer"}

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
