// Workload files, and workloads written inline in an experiment.

package program

import (
	"cmp"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
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
	Deployed    string             `yaml:"deployment" as:"line"`              // instead of processes: a Deployment of the cluster that is the target, statefulset/NAME or pod/NAME, which is the only process
	Within      string             `yaml:"container" as:"line"`               // the container of its template which is the program; default: the first one
	Manifest    string             `yaml:"manifests" as:"text"`               // a file of objects for a cluster, which has that template instead of the cluster: of its only Deployment, StatefulSet or Pod, or of the one that deployment names
	Port        int                `yaml:"port" range:"1..65535"`             // at which that listens; default: the first port of the container
	Operations  []Operation        `yaml:"operations" as:"operations"`        // what can be measured; needed without topology
	Mix         map[string]float64 `yaml:"mix" as:"weights"`                  // weights of operations, as {home: 70%, checkout: 30%}: measured as one operation where the experiment names neither operations nor a mix
	Files       fs.FS              // the folder of a built-in workload, with what it shares with others; of the user's own the program of a topology, or nil
	Graph       Graph              // of Topology, which is its text then; nil where there is none
}

// ParseWorkload reads a workload file. File is its name for errors.
func ParseWorkload(file, name string, text []byte) (*Workload, error) {
	s := &Source{File: file}
	root := ParseYAML(s, text)
	if root == nil {
		return nil, s.Err()
	}
	w := s.Workload(root, name)
	if err := s.Err(); err != nil {
		return nil, err
	}
	return w, nil
}

// Workload reads the mapping of a workload.
func (s *Source) Workload(n *Node, name string) *Workload {
	w := &Workload{Name: name}
	s.Decode(n, w)
	return w
}

func (w *Workload) Begin(s *Source, n *Node) {
	s.deployment(n)
	s.In, s.Known = InWorkload, slices.Concat(runPlaceholders, s.processPorts(n.Get("processes"), nil))
	if graph := n.Get("topology"); graph != nil {
		s.topology(graph, w)
	}
}

// deployment gives the mapping of a workload that is a Deployment its only process.
func (s *Source) deployment(n *Node) {
	of := cmp.Or(n.Get("deployment"), n.Get("manifests"))
	if of == nil {
		return
	}
	if other := n.Get("processes"); other != nil {
		s.Fail(other.At, "a workload of a Deployment has that as its only process; write deployment: into one of the processes instead")
		return
	}
	process := &Node{Kind: Mapping, At: of.At}
	for _, key := range []string{"deployment", "manifests", "container", "port"} {
		if value := n.Get(key); value != nil {
			process.Set(key, value)
		}
	}
	s.manifest(process)
	name := Node{Kind: Scalar, Text: "own", At: of.At}
	if of := process.Get("deployment"); of != nil { // else manifest has complained
		name.Text = of.Text[strings.LastIndexByte(of.Text, '/')+1:] // of statefulset/shop: shop
	}
	process.Set("name", &name)
	n.Set("processes", &Node{Kind: List, At: of.At, Items: []*Node{process}})
}

func (w *Workload) Finish(s *Source, n *Node) {
	w.Deployed, w.Within, w.Manifest, w.Port = "", "", "", 0 // the process has them
	if n.Get("topology") != nil {
		s.graphed(n, w)
		return
	}
	if processes := n.Get("processes"); processes == nil {
		s.Lacks(n, "processes", n.At, "a workload needs processes: what is to be started")
	} else {
		var names []string
		for i, p := range w.Processes {
			if names = append(names, p.Name); p.Service == nil { // {build} is the service's
				w.Nothing(s, processes.Items[i])
			}
		}
		s.eachOnce(processes, "name at least the program itself", names)
	}
	if n.Get("self") != nil && n.Get("driver") != nil {
		s.Fail(n.Get("self").At, "self: true is driver: %s; leave one of them out", SelfDriving)
	}
	if w.Self {
		w.Driver = SelfDriving
	}
	w.Self = w.Driver == SelfDriving
	operations := n.Get("operations")
	if operations == nil {
		s.Lacks(n, "operations", n.At, "a workload needs operations: what is counted and timed")
		return
	}
	for _, key := range []string{"rate", "warmup_all"} {
		if has := n.Get(key); has != nil {
			s.Refuses(has.At, key, w)
		}
	}
	w.Operations = s.operationMap(operations, w)
	if mix := n.Get("mix"); mix != nil {
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
func (s *Source) max(n *Node) map[string]int {
	var most Max
	s.Decode(n, &most)
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

func (v *Verify) Finish(s *Source, n *Node) {
	if n.Get("run") == nil {
		s.Lacks(n, "run", n.At, "verify needs run: the command that checks the answers")
	}
}

func (s *Source) verify(n *Node) []string {
	var v Verify
	s.Decode(n, &v)
	return v.Run
}

// hookPlaceholders are the placeholders of commands around a run: no process has a port then.
var hookPlaceholders = []string{"dir", "tmp", "memory", "build", "workload", "tracer", "tracetax"}

var buildPlaceholders = []string{"build", "dir", "tmp", "workload", "tracer"}

// The name of a program, from the command that starts it.

// Programs are what the executables of a language's programs begin with; of a language that
// compiles to programs of their own there are none.
var Programs = map[string][]string{
	"java": {"java"}, "python": {"python", "pypy", "gunicorn", "uwsgi"}, "node": {"node", "nodejs", "bun", "deno"},
}

// heedless run programs of a language, and do not load what its tracers are attached by.
var heedless = map[string][]string{"node": {"bun"}}

// Heedless is the first of the programs that runs a language without what attaches its tracers, where none does with it; "" where
// there is none.
func Heedless(language string, programs []string) string {
	found := ""
	for _, name := range programs {
		if slices.Contains(heedless[language], name) {
			found = cmp.Or(found, name)
		} else if slices.ContainsFunc(Programs[language], func(p string) bool { return strings.HasPrefix(name, p) }) {
			return ""
		}
	}
	return found
}

func (w *Workload) ProcessNames() []string {
	var out []string
	for _, p := range w.Processes {
		out = append(out, p.Name)
	}
	return out
}

// Template is the text of a file of the tracer's folder; "" where it cannot be read.
func (t *Tracer) Template(name string) string {
	return (&Source{Files: t.Files}).templateText(name)
}

// ReadsVariables reports whether the tracer is configured by OpenTelemetry's variables.
func (t *Tracer) ReadsVariables() bool {
	for name := range t.Env {
		if strings.HasPrefix(name, "OTEL_") {
			return true
		}
	}
	return false
}

func (w *Workload) BuildFor(tracer string) Build {
	b, ok := w.Build[tracer]
	if !ok {
		b = w.Build[""]
	}
	out := Build{Env: maps.Clone(b.Env)}
	for _, command := range b.Run {
		out.Run = append(out.Run, slices.Clone(command))
	}
	return out
}

// Parts are the operations of a mix, or the operation itself.
func (o Operation) Parts() []Operation {
	if len(o.Mix) == 0 {
		return []Operation{o}
	}
	var out []Operation
	for _, share := range o.Mix {
		out = append(out, share.Operation)
	}
	return out
}

func (o Operation) Declared(tracer string) (Number, bool) {
	if len(o.Mix) == 0 {
		n, ok := o.Spans[tracer]
		if !ok && tracer != NoTracer {
			n, ok = o.Spans[""]
		}
		return n, ok
	}
	var all Number
	for i, share := range o.Mix {
		n, ok := share.Operation.Declared(tracer)
		if !ok {
			return Number{}, false
		}
		if i == 0 {
			all = n
		}
		all = Number{min(all.Low, n.Low), max(all.High, n.High)}
	}
	return all, true
}

func CloneOperations(operations []Operation) []Operation {
	out := slices.Clone(operations)
	for i := range out {
		out[i].Headers = maps.Clone(out[i].Headers)
		out[i].Drive = maps.Clone(out[i].Drive)
		out[i].Then = slices.Clone(out[i].Then)
		for j := range out[i].Then {
			out[i].Then[j].Headers = maps.Clone(out[i].Then[j].Headers)
		}
		out[i].Mix = slices.Clone(out[i].Mix)
		for j := range out[i].Mix {
			out[i].Mix[j].Operation = CloneOperations([]Operation{out[i].Mix[j].Operation})[0]
		}
	}
	return out
}

// NoTracer is the name of the tracer that adds nothing.
const NoTracer = "none"

// Nothing complains of words in a text below n for which the workload has nothing.
func (w *Workload) Nothing(s *Source, n *Node) {
	if w.Artifact == (Artifact{}) {
		s.Empty(n, "workload", "workload "+Printable(w.Name)+" has no artifact: whose packages it would be; its folder is {dir}")
	}
	if len(w.Build) == 0 {
		s.Empty(n, "build", "workload "+Printable(w.Name)+" has no build: whose result it would be; its folder is {dir}")
	}
}

// Placeholders are the words that texts about this workload may hold.
func (w *Workload) Placeholders() []string {
	out := append([]string{}, runPlaceholders...)
	for _, p := range w.Processes {
		out = append(out, p.portPlaceholders(p.FurtherPorts())...)
	}
	return out
}

// Placeholders are the words of what the tracer brings, in texts about a process beside which that stands.
func (t *Tracer) Placeholders() []string {
	var out []string
	for _, b := range t.Processes {
		out = append(out, b.portPlaceholders(further(b.AllWords(t.Template)))...)
	}
	return out
}

// portPlaceholders are the words for the port of a process and for its further ones.
func (p Process) portPlaceholders(further []string) []string {
	out := []string{p.Name + ".port", p.Name + ".host"}
	for _, word := range further {
		out = append(out, p.Name+"."+word)
	}
	return out
}

// References complains of all ${env:NAME} below n that are not set.
func (s *Source) References(n *Node) {
	s.environment(n.At, n.Text)
	for _, item := range n.Items {
		s.References(item)
	}
	for _, e := range n.Entries {
		s.References(e.Value)
	}
}
