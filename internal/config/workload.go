// Workload files, and workloads written inline in an experiment.

package config

import (
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/topology"
)

// Workload is a program that can be traced: a folder workloads/NAME/ with a workload.yaml, or one of your own.
type Workload struct {
	_           struct{}           `called:"a workload"`
	Name        string             `yaml:"name"`                              // in reports; default: the first process's. Only in an experiment
	Language    string             `yaml:"language"`                          // so that otel means otel-LANGUAGE
	Description string             `yaml:"description" as:"text"`             // a line for 'tracetax list'
	Dir         string             `yaml:"dir" as:"folder"`                   // base of relative paths; default: the experiment's folder. Only in an experiment
	Rate        float64            `yaml:"rate" as:"rate"`                    // where the experiment names none
	WarmupAll   time.Duration      `yaml:"warmup_all" range:"0s..1h"`         // where the experiment names none
	Needs       []Need             `yaml:"needs"`                             // programs of the PATH that it needs
	Shared      []string           `yaml:"shared" as:"shared"`                // folders of workloads/shared/ to copy into its own; not in an experiment
	Artifact    Artifact           `yaml:"artifact"`                          // pinned packages, in the folder {workload}
	Driver      Driver             `yaml:"driver" as:"driver"`                // how operations are made: requests, or self-driving by the program itself; default: requests
	Self        bool               `yaml:"self"`                              // true: the same as driver: self-driving; default: false
	Max         map[string]int     `yaml:"max" as:"max"`                      // self-driving: the most that it can do
	Verify      []string           `yaml:"verify" as:"verify" words:"verify"` // what checks each ready variant's answers; it is measured only after status 0
	Prepare     []string           `yaml:"prepare" as:"command" words:"hook"` // a command before each run, not measured; TRACETAX_VARIANT names the variant. A run fails where it fails
	Cleanup     []string           `yaml:"cleanup" as:"command" words:"hook"` // a command after each run, whatever became of it, for at most a minute
	Build       map[string]Build   `yaml:"build" as:"byTracer"`               // by tracer, or default: commands that make the program
	Topology    string             `yaml:"topology" as:"topology"`            // a file with a graph of services, instead of processes and operations; see docs/graphs.md
	Processes   []Process          `yaml:"processes"`                         // what is started: each when those before it that it names ({NAME.port}) are ready; needed without topology
	Operations  []Operation        `yaml:"operations" as:"operations"`        // what can be measured; needed without topology
	Mix         map[string]float64 `yaml:"mix" as:"weights"`                  // weights of operations, as {home: 70%, checkout: 30%}: measured as one operation where the experiment names neither operations nor a mix
	Files       fs.FS              // the folder of a built-in workload, with what it shares with others; of the user's own the program of a topology, or nil
	Graph       *topology.Graph    // of Topology, which is its text then; nil where there is none
}

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
	s.decode(n, w)
	return w
}

func (w *Workload) begin(s *source, n *node) {
	s.in, s.known = inWorkload, slices.Concat(runPlaceholders, s.processPorts(n.get("processes"), nil))
	if graph := n.get("topology"); graph != nil {
		s.topology(graph, w)
	}
}

func (w *Workload) check(s *source, n *node) {
	if n.get("topology") != nil {
		s.graphed(n, w)
		return
	}
	if processes := n.get("processes"); processes == nil {
		s.lacks(n, "processes", n.at, "a workload needs processes: what is to be started")
	} else {
		var names []string
		for i, p := range w.Processes {
			if names = append(names, p.Name); p.Service == nil { // {build} is the service's
				w.nothing(s, processes.items[i])
			}
		}
		s.eachOnce(processes, "name at least the program itself", names)
	}
	if n.get("self") != nil && n.get("driver") != nil {
		s.fail(n.get("self").at, "self: true is driver: %s; leave one of them out", SelfDriving)
	}
	if w.Self {
		w.Driver = SelfDriving
	}
	w.Self = w.Driver == SelfDriving
	operations := n.get("operations")
	if operations == nil {
		s.lacks(n, "operations", n.at, "a workload needs operations: what is counted and timed")
		return
	}
	for _, key := range []string{"rate", "warmup_all"} {
		if has := n.get(key); has != nil {
			s.refuses(has.at, key, w)
		}
	}
	w.Operations = s.operationMap(operations, w)
	if mix := n.get("mix"); mix != nil {
		s.ownMix(mix, w)
	}
	// What a service needs is needed wherever it is used.
	for _, service := range w.services() {
		w.Needs = Distinct(slices.Concat(w.Needs, service.Needs))
	}
}

// BuiltIn reports whether the workload is one of a catalog, and not the user's own.
func (w *Workload) BuiltIn() bool { return w.Files != nil && w.Dir == "" }

// Max is the most that a self-driving workload can do.
type Max struct {
	_       struct{} `called:"max"`
	Depth   int      `yaml:"depth" range:"1..100000"` // calls in one another
	Threads int      `yaml:"threads" range:"1..1024"` // threads that call
}

// max is {depth: 4096, threads: 1} by its words.
func (s *source) max(n *node) map[string]int {
	var most Max
	s.decode(n, &most)
	out := map[string]int{}
	for word, value := range map[string]int{"depth": most.Depth, "threads": most.Threads} {
		if value > 0 {
			out[word] = value
		}
	}
	return out
}

// Verify is a check of a workload's answers.
type Verify struct {
	_   struct{} `called:"verify"`
	Run []string `yaml:"run" as:"command" required:"workload"` // its command; may use {NAME.port} and {tracetax}
}

func (v *Verify) check(s *source, n *node) {
	if n.get("run") == nil {
		s.lacks(n, "run", n.at, "verify needs run: the command that checks the answers")
	}
}

func (s *source) verify(n *node) []string {
	var v Verify
	s.decode(n, &v)
	return v.Run
}

// hookPlaceholders are those of commands around a run: no process has a port then.
var hookPlaceholders = []string{"dir", "tmp", "build", "workload", "tracer", "tracetax"}

var buildPlaceholders = []string{"build", "dir", "tmp", "workload", "tracer"}

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
