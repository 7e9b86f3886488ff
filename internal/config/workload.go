// Workload files, and workloads written inline in an experiment.

package config

import (
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
		"max":         func(v *node) { w.Max = s.most(v) },
		"prepare":     func(v *node) { w.Prepare = s.command(v, hookPlaceholders) },
		"cleanup":     func(v *node) { w.Cleanup = s.command(v, hookPlaceholders) },
		"verify":      func(v *node) { w.Verify = s.verify(v, without(known, "service")) },
	})
	if n.kind != mapping {
		return w
	}
	if processes := n.get("processes"); processes != nil {
		for _, item := range processes.items {
			if item.get("service") == nil { // {build} is the service's
				w.nothing(s, item)
			}
		}
	}
	if n.get("processes") == nil {
		s.lacks(n, "processes", n.at, "a workload needs processes: what is to be started")
	}
	if operations == nil {
		s.lacks(n, "operations", n.at, "a workload needs operations: what is counted and timed")
		return w
	}
	if w.Manner().Unthrottled && rate != nil {
		s.fail(rate.at, "a self-driving workload goes as fast as it can where the experiment names no rate; leave rate out")
	}
	if w.Self && all != nil {
		s.fail(all.at, "warmup_all is for programs that are asked by requests; a self-driving workload has the warmup of its load")
	}
	w.Operations = s.operationMap(operations, w, known)
	// What a service needs is needed wherever it is used.
	for _, service := range w.services() {
		w.Needs = Distinct(slices.Concat(w.Needs, service.Needs))
	}
	return w
}

// most reads {depth: 4096, threads: 1}: what a self-driving workload can do at most.
func (s *source) most(n *node) map[string]int {
	out := map[string]int{}
	s.mapping(n, "max", fields{
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

// hookPlaceholders are those of commands around a run: no process has a port then.
var hookPlaceholders = []string{"dir", "tmp", "build", "workload", "tracer", "tracetax"}

var buildPlaceholders = []string{"build", "dir", "tmp", "workload", "tracer"}
