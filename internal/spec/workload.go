// Workload files, and workloads written inline in an experiment.
package spec

import (
	"path/filepath"
	"slices"
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
		known = append(slices.Clone(runPlaceholders), processPorts(n.get("processes"))...)
	}
	var operations *node
	s.mapping(n, "a workload", fields{
		"name":        func(v *node) { w.Name = s.line(v) },
		"language":    func(v *node) { w.Language = s.line(v) },
		"description": func(v *node) { w.Description = s.text(v) },
		"needs":       func(v *node) { w.Needs = s.needs(v) },
		"artifact":    func(v *node) { w.Artifact = s.artifact(v) },
		"build":       func(v *node) { w.Build = s.builds(v) },
		"processes":   func(v *node) { w.Processes = s.processes(v, known) },
		"operations":  func(v *node) { operations = v },
		"rate":        func(v *node) { w.Rate = s.rate(v) },
		"dir":         func(v *node) { w.Dir = filepath.FromSlash(s.line(v)) },
		"self":        s.refuse("workloads that make themselves work"),
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
	w.Operations = s.operationMap(operations, w.Processes, known)
	return w
}

// processPorts are the placeholders {NAME.port} of a list of processes that is
// not read yet.
func processPorts(n *node) []string {
	var out []string
	if n == nil {
		return nil
	}
	for _, item := range n.items {
		if name := item.get("name"); name != nil && name.kind == scalar {
			out = append(out, name.text+".port")
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

func (s *source) artifact(n *node) Artifact {
	var a Artifact
	s.mapping(n, "artifact", fields{
		"python": func(v *node) {
			a.Python = s.line(v)
			if a.Python == "" || !filepath.IsLocal(a.Python) {
				s.fail(v.at, "python must name a requirements file in this folder, not %q", a.Python)
			}
		},
		"maven": s.refuse("artifacts from Maven"),
		"npm":   s.refuse("artifacts from npm"),
	})
	return a
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
