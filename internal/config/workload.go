// Workload files, and workloads written inline in an experiment.

package config

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
		"driver":      func(v *node) { w.Driver = s.driver(v) },
		"self": func(v *node) {
			if s.flag(v) {
				w.Driver = SelfDriving
			}
		},
		"max":     func(v *node) { w.Max = s.most(v) },
		"prepare": func(v *node) { w.Prepare = s.command(v, hookPlaceholders) },
		"cleanup": func(v *node) { w.Cleanup = s.command(v, hookPlaceholders) },
		"verify":  func(v *node) { w.Verify = s.verify(v, without(known, "service")) },
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
	if n.get("self") != nil && n.get("driver") != nil {
		s.fail(n.get("self").at, "self: true is driver: %s; leave one of them out", SelfDriving)
	}
	if n.get("processes") == nil {
		s.lacks(n, "processes", n.at, "a workload needs processes: what is to be started")
	}
	if operations == nil {
		s.lacks(n, "operations", n.at, "a workload needs operations: what is counted and timed")
		return w
	}
	if rate != nil {
		s.refuses(rate.at, "rate", w)
	}
	if all != nil {
		s.refuses(all.at, "warmup_all", w)
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

// Tracer files.

// ParseTracer reads a tracer file. File is its name for errors.
func ParseTracer(file, name string, text []byte) (*Tracer, error) {
	s := &source{file: file}
	root := parseYAML(s, text)
	if root == nil {
		return nil, s.err()
	}
	t := s.tracer(root, name)
	if err := s.err(); err != nil {
		return nil, err
	}
	return t, nil
}

func (s *source) tracer(n *node, name string) *Tracer {
	t := &Tracer{Name: name}
	var templates, processes *node
	known := slices.Concat(runPlaceholders, s.processPorts(n.get("processes"), nil)) // of each process: those that stand beside it
	s.mapping(n, "a tracer", fields{
		"language":    func(v *node) { t.Language = s.line(v) },
		"description": func(v *node) { t.Description = s.text(v) },
		"needs":       func(v *node) { t.Needs = s.needs(v) },
		"programs":    func(v *node) { t.Programs = s.programs(v) },
		"artifact":    func(v *node) { t.Artifact = s.artifact(v) },
		"shared":      s.share,
		"compiled":    func(v *node) { t.Compiled = s.flag(v) },
		"wrap":        func(v *node) { t.Wrap = s.arguments(v, known) },
		"args":        func(v *node) { t.Args = s.arguments(v, known) },
		"env":         func(v *node) { t.Env = s.env(v, known) },
		"settings":    func(v *node) { t.Settings = s.settings(v, known) },
		"says":        func(v *node) { t.Says = s.says(v, tracerSays) },
		"metrics":     func(v *node) { t.Metrics = s.page(v) },
		"admits":      s.admits,
		"tells":       func(v *node) { t.Tells = s.tells(v) },
		"settle":      func(v *node) { t.Settle = s.duration(v, 0, 10*time.Minute) },
		"startup":     func(v *node) { t.Startup = s.duration(v, 0, 10*time.Minute) },
		"connects":    func(v *node) { t.Connects = s.duration(v, 0, 10*time.Minute) },
		"buffers":     func(v *node) { t.Buffers = s.whole(v, 0, 1_000_000) },
		"ends":        func(v *node) { t.Ends = s.line(v) },
		"append":      func(v *node) { t.Append = s.env(v, known) },
		"templates":   func(v *node) { templates = v },
		"processes":   func(v *node) { processes = v },
	})
	s.paged(n, "tracer", t.Metrics, t.Says)
	if templates != nil {
		t.Templates = s.templates(templates, append(known, t.settingPlaceholders()...))
	}
	if processes != nil {
		t.Processes = s.brought(processes, t)
	}
	return t
}

// programs reads how to get programs, by their names.
func (s *source) programs(n *node) map[string]string {
	out := map[string]string{}
	for _, e := range s.entries(n, "programs") {
		before := len(s.problems)
		if out[e.key] = s.line(e.value); out[e.key] == "" && len(s.problems) == before {
			s.fail(e.at, "say how to get %s, such as: install it by …", printable(e.key))
		}
	}
	return out
}

// arguments reads a list of words that may hold placeholders.
func (s *source) arguments(n *node, known []string) []string {
	if n.kind != list && n.kind != null {
		s.fail(n.at, "expected a list of words, such as [--verbose, \"--port={port}\"], not %s", n.kind)
		return nil
	}
	words := s.texts(n)
	for i, w := range words {
		s.placeholders(n.items[i].at, w, known)
	}
	return words
}

var kinds = []string{"share", "count", "duration", "choice", "text", "path"}

// tells reads the pattern of the lines that name what is instrumented.
func (s *source) tells(n *node) string {
	text := s.compile(n)
	if re, err := regexp.Compile(text); err == nil && re.SubexpIndex("name") < 0 {
		s.fail(n.at, "the group that holds the library must be called name: (?P<name>\\S+)")
	}
	return text
}

// The name of a program, from the command that starts it.

// Programs are what the executables of a language's programs begin with; of a language that
// compiles to programs of their own there are none.
var Programs = map[string][]string{
	"java": {"java"}, "python": {"python", "pypy", "gunicorn", "uwsgi"}, "node": {"node", "nodejs", "bun", "deno"},
}

var notName = regexp.MustCompile(`[^a-z0-9_-]+`)

// programName is a name for a process, from its command.
func programName(command []string) string {
	if len(command) == 0 {
		return "own"
	}
	command = behindEnv(command)
	program := command[0]
	if replaced := execed(command); replaced != "" {
		program = replaced
	}
	base := strings.ToLower(filepath.Base(program))
	name := strings.TrimLeft(notName.ReplaceAllString(strings.TrimSuffix(base, filepath.Ext(base)), "-"), "0123456789-_")
	if len(name) > 40 {
		name = name[:40]
	}
	if name == "" {
		return "own"
	}
	return name
}

var (
	shell      = regexp.MustCompile(`^(sh|bash|dash|ash|ksh|zsh)$`)
	shellFlags = regexp.MustCompile(`^-[a-z]*c[a-z]*$`)
	execWords  = regexp.MustCompile(`(?:^|[\s;&|({])exec((?:[ \t]+[^\s;&|<>]+)+)`)
	assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
	plainWord  = regexp.MustCompile(`^[A-Za-z_./{][A-Za-z0-9_./{}+-]*$`)
)

// behindEnv is the command that env starts with variables, or the command itself.
func behindEnv(command []string) []string {
	if path.Base(command[0]) != "env" {
		return command
	}
	for i, w := range command[1:] {
		switch {
		case assignment.MatchString(w):
		case strings.HasPrefix(w, "-"): // a flag of env, which may have a word of its own
			return command
		default:
			return command[i+1:]
		}
	}
	return command
}

// execed is the program that a script of sh -c replaces the shell with, or "".
func execed(command []string) string {
	if len(command) < 3 || !shell.MatchString(path.Base(command[0])) || !shellFlags.MatchString(command[1]) {
		return ""
	}
	for _, found := range execWords.FindAllStringSubmatch(command[2], -1) {
		for _, w := range strings.Fields(found[1]) {
			w = strings.Trim(w, `"'`)
			if w == "env" || assignment.MatchString(w) {
				continue
			}
			if plainWord.MatchString(w) {
				return w
			}
			break
		}
	}
	return ""
}
