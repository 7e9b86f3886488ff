// Experiment files.

package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/suggest"
)

// ParseExperiment reads an experiment file and looks up what it names. File is
// its name for errors; dir is the folder that its relative paths stand for. A
// file over several workloads gives an Experiment for each. Keys that are given
// take the place of the file's.
func ParseExperiment(file, dir string, text []byte, catalog *program.Catalog, given ...Set) ([]*Experiment, error) {
	s := &program.Source{File: file, Open: opener(dir), Folder: dir}
	return readExperimentFile(s, text, dir, catalog, given)
}

// readExperimentFile reads the text of an experiment file whose relative paths stand
// for dir.
func readExperimentFile(s *program.Source, text []byte, dir string, catalog *program.Catalog, given Sets) ([]*Experiment, error) {
	root := program.ParseYAML(s, text)
	if root == nil {
		return nil, s.Err()
	}
	base := strings.TrimSuffix(filepath.Base(s.File), filepath.Ext(s.File))
	es := readExperiments(s, root, base, dir, catalog, given)
	if err := s.Err(); err != nil {
		return nil, err
	}
	return es, nil
}

// opener reads files that an experiment names, relative to its folder.
func opener(dir string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%q is not a file", name)
		}
		if info.Size() > program.MaxBody {
			return nil, fmt.Errorf("%q has %d bytes; the most is 64 MiB (%d bytes), larger bodies are not supported", name, info.Size(), program.MaxBody)
		}
		return os.ReadFile(path)
	}
}

// Experiment is a workload, its operations and its variants, with a load and a design. Placeholders such as {port} are filled in
// in run, env, args, ready, dir, requests and headers; see docs/experiment-file.md.
type Experiment struct {
	_           struct{}            `called:"an experiment"`
	Name        string              `yaml:"name"`                                                              // name of the results; default: the file's name
	Description string              `yaml:"description" as:"text"`                                             // a line for 'tracetax list'
	Workload    *program.Workload   `yaml:"workload" as:"own" shape:"WorkloadOrName"`                          // a name ('tracetax list workloads'), or your own program
	Stores      string              `yaml:"stores" one:"real echo"`                                            // of a workload with a topology: echo has nodes stand for its real stores; default: real
	Workloads   program.Elsewhere   `yaml:"workloads" as:"own" shape:"[]WorkloadOrName"`                       // instead of workload: a list to run over
	Operations  []program.Operation `yaml:"operations" as:"own" shape:"Texts"`                                 // which to measure, each in a phase of its own; default: all
	Mix         program.Elsewhere   `yaml:"mix" as:"own" shape:"{}Share"`                                      // instead of operations: weights, as {home: 70%, checkout: 30%}; counts as one operation
	Setup       []program.Setup     `yaml:"setup" as:"own" shape:"[]SetupOrRequest"`                           // requests before anything is measured, such as a login; operations that stand in this file may hold what they keep of the answers, as {token}
	Variants    []Variant           `yaml:"variants" as:"own" shape:"{}VariantOrTracer" required:"experiment"` // what is compared, at least two; the first is the baseline
	Load        Load                `yaml:"load" as:"own"`                                                     // how operations are made
	Design      Design              `yaml:"design" always:"true"`                                              // how many runs
	Budget      []Limit             `yaml:"budget" as:"own" shape:"{}Limit"`                                   // how much each metric may exceed the baseline, as a share or an amount, such as {cpu: 5%, p99: 10ms, memory: 20MB, lost: 0}: cpu, p50, p75, p90, p95, p99, p999, max, mean, memory, startup, lost (a share of the spans due), or a metric's own name. A run ends with status 3 over the budget, with 4 where that is inconclusive
	Sink        SinkMode            `yaml:"sink" one:"checking counting"`                                      // checking: finds duplicate and orphan spans; counting: only counts; default: checking
	Faults      Faults              `yaml:"faults"`                                                            // what goes wrong on purpose; default: nothing
	Target      Target              `yaml:"target"`                                                            // where the programs run; default: this machine
	Samples     bool                `yaml:"samples"`                                                           // true: keep every duration; only of self-driving workloads; default: false
	Captures    bool                `yaml:"captures"`                                                          // true: keep the packets that variants capture in the results folder; default: false
	KeepTraces  bool                `yaml:"keep_traces"`                                                       // true: keep all spans that the sink received over OTLP in the results folder, which takes some of the sink's CPU; default: false
	Profile     Profile             `yaml:"profile" as:"own" shape:"ProfileOrTrue"`                            // true: each operation is made again under a profiler, once all is measured, and the CPU that tracing adds is split by cause; or for how long, as {cpu: 6s}; default: false
	Published   []Published         `yaml:"published" as:"own" shape:"Texts"`                                  // a CSV file beside this one with a study's figures, or its lines
	Claims      []Claim             `yaml:"claims" as:"own"`                                                   // what that study found
}

func (e *Experiment) Begin(s *program.Source, _ *program.Node) {
	s.In = program.InExperiment
	e.Load, e.Design, e.Sink = defaultLoad(), Design{Blocks: DefaultBlocks}, Checking
}

// ReadKey reads what is the same for all workloads: the rest needs one.
func (e *Experiment) ReadKey(s *program.Source, n *program.Node, key string) {
	switch key {
	case "load":
		s.Decode(n, &e.Load)
	case "budget":
		e.Budget = readBudget(s, n)
	case "profile":
		e.Profile = readProfile(s, n)
	}
}

func (e *Experiment) Finish(s *program.Source, n *program.Node) {
	if e.Name == "" || len(e.Name) > 100 {
		at := n.At
		if given := n.Get("name"); given != nil {
			at = given.At
		}
		s.Fail(at, "the name of an experiment has 1 to 100 characters")
	}
	if n.Get("variants") == nil {
		s.Lacks(n, "variants", n.At, "an experiment needs variants: what is to be compared")
	}
}

// readExperiments reads the tree of an experiment file with the keys that are given: one experiment for each of its workloads.
func readExperiments(s *program.Source, n *program.Node, name, dir string, catalog *program.Catalog, given Sets) []*Experiment {
	if n.Kind == program.Mapping {
		given.apply(s, n)
	}
	s.Services, s.NodeFolders = catalog.Service, catalog.SharedPrograms
	setup := n.Get("setup")
	s.Kept = program.KeptBy(setup)
	e := Experiment{Name: name}
	if !s.Decode(n, &e) {
		return nil
	}
	s.In = program.InExperiment
	load, variants := n.Get("load"), n.Get("variants")
	var out []*Experiment
	for _, w := range readWorkloads(s, n, dir, catalog) {
		one := e
		if e.Stores == EchoStores {
			var err error
			if w, err = w.EchoStores(); err != nil {
				s.Fail(n.Get("stores").At, "%v", err)
				return nil
			}
		}
		one.Workload = w
		checkGoesWith(s, n, load, w, &one)
		fixedRate := one.Load.namesPace()
		one.Load.complete(w)
		one.Design.complete(one.Load)
		one.Operations = readMeasured(s, n, w)
		if setup != nil {
			one.Setup = s.Setup(setup, w)
		}
		if fixedRate {
			one.yieldRates()
		}
		if given.Has("load.duration") {
			one.yieldDurations()
		}
		if variants != nil {
			one.Variants = readVariants(s, variants, w, catalog, e.Faults)
		}
		if load == nil || load.Get("warmup") == nil {
			one.warmUp()
		}
		checkFit(s, n, &one)
		out = append(out, &one)
	}
	checkOneWay(s, n.Get("workloads"), out)
	readStudy(s, n, out, catalog)
	return out
}

// EchoStores has nodes stand for the stores of a graph; without the word they are real ones.
const EchoStores = "echo"

// readWorkloads are the workloads of an experiment, named or inline.
func readWorkloads(s *program.Source, n *program.Node, dir string, catalog *program.Catalog) []*program.Workload {
	one, several := n.Get("workload"), n.Get("workloads")
	switch {
	case one == nil && several == nil:
		if slices.Contains(n.Meant, "workloads") {
			return nil
		}
		s.Lacks(n, "workload", n.At, "an experiment needs a workload: the name of a built-in one, or a mapping with processes and operations")
		return nil
	case one != nil && several != nil:
		s.Fail(several.At, "there is a workload already; put all of them into workloads")
		return nil
	case one != nil:
		return readWorkload(s, one, dir, catalog)
	case several.Kind != program.List || len(several.Items) == 0:
		s.Fail(several.At, "workloads must be a list of names")
		return nil
	}
	var out []*program.Workload
	for _, item := range several.Items {
		out = append(out, readWorkload(s, item, dir, catalog)...)
	}
	return out
}

func readWorkload(s *program.Source, n *program.Node, dir string, catalog *program.Catalog) []*program.Workload {
	if n.Kind == program.Mapping {
		w := s.Workload(n, "own")
		completeOwn(s, n, w, dir)
		w.Files, s.Files = s.Files, nil // those of a topology
		return []*program.Workload{w}
	}
	if n.Kind == program.List {
		s.Fail(n.At, "several workloads go into workloads: [a, b]")
		return nil
	}
	w, err := catalog.Workload(s.Line(n))
	if err != nil {
		s.Fail(n.At, "%v", err)
		return nil
	}
	return []*program.Workload{w}
}

// completeOwn completes a workload that is written in the experiment file.
func completeOwn(s *program.Source, n *program.Node, w *program.Workload, dir string) {
	if graph := n.Get("topology"); w.Name == "own" && graph != nil && !program.IsTopologyText(graph.Text) {
		w.Name = program.GraphName(graph.Text)
	}
	if w.Name == "own" && len(w.Processes) > 0 { // a database before it is not what is measured
		first := max(0, slices.IndexFunc(w.Processes, func(p program.Process) bool { return p.Role == role.App }))
		w.Name = cmp.Or(w.Processes[first].Name, w.Name)
	}
	if !filepath.IsAbs(w.Dir) {
		w.Dir = filepath.Join(dir, w.Dir)
	}
	if abs, err := filepath.Abs(w.Dir); err == nil {
		w.Dir = abs
	} else {
		s.Fail(n.At, "dir: %v", err)
	}
	s.References(n)
}

// regular reports whether path is a file that can be read.
func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&fs.ModeType == 0
}

// BuiltIn is the built-in experiment of that name, one for each of its workloads.
func BuiltIn(c *program.Catalog, name string, given ...Set) ([]*Experiment, error) {
	names, err := c.Experiments()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, name) {
		return nil, &program.UnknownError{What: "experiment", Name: program.Printable(name), Nearest: suggest.Word(name, names)}
	}
	file := path.Join("experiments", name+".yaml")
	for _, layer := range slices.Backward(c.Layers) {
		text, err := fs.ReadFile(layer, file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading experiment %q: %w", name, err)
		}
		s := &program.Source{File: file, Folder: ".", Open: func(n string) ([]byte, error) { return program.ReadBeside(layer, "experiments", n) }}
		return readExperimentFile(s, text, ".", c, given)
	}
	return nil, &program.UnknownError{What: "experiment", Name: name}
}

// Finding an experiment by what the user typed.

// Find reads the experiment file of that path, or else the built-in experiment
// of that name, and puts the given keys in the place of its own. It gives one
// Experiment for each workload of the file. An error for which IsProblem is true is
// the user's to mend.
func Find(pathOrName string, catalog *program.Catalog, given ...Set) ([]*Experiment, error) {
	if regular(pathOrName) || looksLikePath(pathOrName) {
		text, err := program.ReadRegular(pathOrName)
		if errors.Is(err, os.ErrNotExist) {
			if _, known := catalog.Workload(pathOrName); known == nil {
				return nil, program.Problems{{File: pathOrName, Text: "this is a workload, which an experiment names: write 'workload: " + pathOrName + "' and its variants into a file, or choose one of 'tracetax list experiments'"}}
			}
			return nil, program.Problems{{File: pathOrName, Text: "there is no such file; 'tracetax init " + pathOrName + "' writes one to start from"}}
		}
		if err != nil && program.IsProblem(err) {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("reading the experiment: %w", err)
		}
		return ParseExperiment(pathOrName, filepath.Dir(pathOrName), text, catalog, given...)
	}
	es, err := BuiltIn(catalog, pathOrName, given...)
	var unknown *program.UnknownError
	if errors.As(err, &unknown) && unknown.What == "experiment" {
		for _, ext := range []string{".yaml", ".yml"} {
			if regular(pathOrName + ext) {
				unknown.Nearest = pathOrName + ext
				return nil, unknown
			}
		}
		return nil, fmt.Errorf("%w (and there is no file of that name)", err)
	}
	return es, err
}

func looksLikePath(s string) bool {
	ext := filepath.Ext(s)
	return ext == ".yaml" || ext == ".yml" || strings.ContainsRune(s, filepath.Separator)
}

// Digests are the SHA-256 of the files that the experiment's operations name, in
// hexadecimal, by their names. The error says which cannot be read.
func (e *Experiment) Digests() (map[string]string, error) {
	out := map[string]string{}
	var files fs.FS
	if e.Workload != nil {
		files = e.Workload.Files
	}
	for _, name := range program.NamedFiles(e.Operations) {
		if _, done := out[name]; done {
			continue
		}
		digest, err := program.DigestOf(files, name)
		if err != nil {
			return nil, fmt.Errorf("reading %s for its digest: %w", name, err)
		}
		out[name] = digest
	}
	return out, nil
}

// YAML is the resolved experiment: every default filled in, in a form that
// ParseExperiment reads as the same experiment. A built-in workload is named;
// the user's own stands in full. Credentials are replaced by ${env:REDACTED_…}.
func (e *Experiment) YAML() ([]byte, error) {
	out, err := program.Encoded(program.NewWriter().Written(e, program.InExperiment), program.Layout...)
	if err != nil {
		return nil, fmt.Errorf("writing experiment %q: %w", e.Name, err)
	}
	return append(out, '\n'), nil
}

func (e Experiment) WriteKey(w program.Writer, key string) any {
	mixed := len(e.Operations) == 1 && len(e.Operations[0].Mix) > 0
	var p program.Object
	switch key {
	case "workload":
		if e.builtIn() {
			return e.Workload.Name
		}
		return w.Written(e.Workload.Written(), program.InWorkload)
	case "mix":
		if !mixed {
			return nil
		}
		for _, s := range e.Operations[0].Mix {
			p.Add(s.Operation.Name, s.Weight)
		}
		return p
	case "operations":
		if mixed {
			return nil
		}
		names := make(program.Inline[string], len(e.Operations))
		for i, o := range e.Operations {
			names[i] = o.Name
		}
		return names
	case "setup":
		var requests []program.Object
		for i := range e.Setup {
			requests = append(requests, w.Written(&e.Setup[i], program.InExperiment))
		}
		if len(requests) > 0 {
			return requests
		}
	case "variants":
		for _, v := range e.Variants {
			p.Add(v.Name, w.Written(&v, program.InExperiment))
		}
		return p
	case "load":
		load := e.Load
		if e.suggested() {
			load.Rate, load.Connections = 0, 0
		}
		if !e.driver().Generator { // nobody asks
			load.Arrivals, load.Timeout = "", 0
		}
		return w.Written(&load, program.InExperiment)
	case "profile":
		return e.Profile.written(w)
	case "budget":
		for _, l := range e.Budget {
			p.Add(l.Metric, l.Text)
		}
	case "published":
		if rows := e.stillPublished(); len(rows) > 0 {
			return publishedLines(rows)
		}
	case "claims":
		var claims []program.Object
		for _, c := range e.Claims {
			if e.about("", c.Operation, c.Variants) {
				claims = append(claims, w.Written(&c, program.InExperiment))
			}
		}
		if len(claims) > 0 {
			return claims
		}
	}
	if len(p) > 0 {
		return p
	}
	return nil
}
