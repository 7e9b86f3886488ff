// Experiment files.

package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/nearest"
)

// ParseExperiment reads an experiment file and looks up what it names. File is
// its name for errors; dir is the folder that its relative paths stand for. A
// file over several workloads gives an Experiment for each.
func ParseExperiment(file, dir string, text []byte, catalog *Catalog) ([]*Experiment, error) {
	s := &source{file: file, open: opener(dir), folder: dir}
	return s.experimentFile(text, dir, catalog)
}

// experimentFile reads the text of an experiment file whose relative paths stand
// for dir.
func (s *source) experimentFile(text []byte, dir string, catalog *Catalog) ([]*Experiment, error) {
	root := parseYAML(s, text)
	if root == nil {
		return nil, s.err()
	}
	base := strings.TrimSuffix(filepath.Base(s.file), filepath.Ext(s.file))
	es := s.experiments(root, base, dir, catalog)
	if err := s.err(); err != nil {
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
		if !info.Mode().IsRegular() || info.Size() > maxBody {
			return nil, fmt.Errorf("%q is not a file of at most %d bytes", name, maxBody)
		}
		return os.ReadFile(path)
	}
}

// Experiment is what is started, measured and compared. Placeholders such as {port} are filled in in run, env, args,
// ready, dir, requests and headers; see docs/experiment-file.md.
type Experiment struct {
	_           struct{}    `called:"an experiment"`
	Name        string      `yaml:"name"`                                                              // name of the results; default: the file's name
	Description string      `yaml:"description" as:"text"`                                             // a line for 'tracetax list'
	Workload    *Workload   `yaml:"workload" as:"own" shape:"WorkloadOrName"`                          // a name ('tracetax list workloads'), or your own program
	Workloads   elsewhere   `yaml:"workloads" as:"own" shape:"[]WorkloadOrName"`                       // instead of workload: a list to run over
	Operations  []Operation `yaml:"operations" as:"own" shape:"Texts"`                                 // which to measure, each in a phase of its own; default: all
	Mix         elsewhere   `yaml:"mix" as:"own" shape:"{}Share"`                                      // instead of operations: weights, as {home: 70%, checkout: 30%}; counts as one operation
	Variants    []Variant   `yaml:"variants" as:"own" shape:"{}VariantOrTracer" required:"experiment"` // what is compared, at least two; the first is the baseline
	Load        Load        `yaml:"load" as:"own"`                                                     // how operations are made
	Design      Design      `yaml:"design" always:"true"`                                              // how many runs
	Budget      []Limit     `yaml:"budget" as:"own" shape:"{}Share"`                                   // how much each metric may exceed the baseline, as {cpu: 5%, p99: 10%, lost: 0}: cpu, p50, p75, p90, p95, p99, p999, max, mean, memory, startup, lost (a share of the spans due), or a metric's own name. A run ends with status 3 over the budget, with 4 where that is inconclusive
	Sink        SinkMode    `yaml:"sink" one:"checking counting"`                                      // checking: finds duplicate and orphan spans; counting: only counts; default: checking
	Faults      Faults      `yaml:"faults"`                                                            // what goes wrong on purpose; default: nothing
	Samples     bool        `yaml:"samples"`                                                           // true: keep every duration; only of self-driving workloads; default: false
	Published   []Published `yaml:"published" as:"own" shape:"Texts"`                                  // a CSV file beside this one with a study's figures, or its lines
	Claims      []Claim     `yaml:"claims" as:"own"`                                                   // what that study found
}

func (e *Experiment) begin(s *source, _ *node) {
	s.in = inExperiment
	e.Load, e.Design, e.Sink = defaultLoad(), Design{Blocks: DefaultBlocks}, Checking
}

// read reads what is the same for all workloads: the rest needs one.
func (e *Experiment) read(s *source, n *node, key string) {
	switch key {
	case "load":
		s.decode(n, &e.Load)
	case "budget":
		e.Budget = s.budget(n)
	}
}

func (e *Experiment) check(s *source, n *node) {
	if e.Name == "" || len(e.Name) > 100 {
		at := n.at
		if given := n.get("name"); given != nil {
			at = given.at
		}
		s.fail(at, "the name of an experiment has 1 to 100 characters")
	}
	if n.get("variants") == nil {
		s.lacks(n, "variants", n.at, "an experiment needs variants: what is to be compared")
	}
}

// experiments reads an experiment file: one experiment for each of its workloads.
func (s *source) experiments(n *node, name, dir string, catalog *Catalog) []*Experiment {
	s.services, s.nodeFolders = catalog.Service, catalog.sharedPrograms
	e := Experiment{Name: name}
	if !s.decode(n, &e) {
		return nil
	}
	s.in = inExperiment
	load, variants := n.get("load"), n.get("variants")
	var out []*Experiment
	for _, w := range s.workloads(n, dir, catalog) {
		one := e
		one.Workload = w
		s.goesWith(n, load, w, &one)
		fixedRate := one.Load.namesPace()
		one.Load.complete(w)
		one.Design.complete(one.Load)
		one.Operations = s.measured(n, w)
		if fixedRate {
			one.yieldRates()
		}
		if variants != nil {
			one.Variants = s.variants(variants, w, catalog, e.Faults)
		}
		s.check(n, &one)
		out = append(out, &one)
	}
	s.oneWay(n.get("workloads"), out)
	s.study(n, out, catalog)
	return out
}

// workloads are the workloads of an experiment, named or inline.
func (s *source) workloads(n *node, dir string, catalog *Catalog) []*Workload {
	one, several := n.get("workload"), n.get("workloads")
	switch {
	case one == nil && several == nil:
		if slices.Contains(n.meant, "workloads") {
			return nil
		}
		s.lacks(n, "workload", n.at, "an experiment needs a workload: the name of a built-in one, or a mapping with processes and operations")
		return nil
	case one != nil && several != nil:
		s.fail(several.at, "there is a workload already; put all of them into workloads")
		return nil
	case one != nil:
		return s.oneWorkload(one, dir, catalog)
	case several.kind != list || len(several.items) == 0:
		s.fail(several.at, "workloads must be a list of names")
		return nil
	}
	var out []*Workload
	for _, item := range several.items {
		out = append(out, s.oneWorkload(item, dir, catalog)...)
	}
	return out
}

func (s *source) oneWorkload(n *node, dir string, catalog *Catalog) []*Workload {
	if n.kind == mapping {
		w := s.workload(n, "own")
		s.ownWorkload(n, w, dir)
		w.Files, s.files = s.files, nil // those of a topology
		return []*Workload{w}
	}
	if n.kind == list {
		s.fail(n.at, "several workloads go into workloads: [a, b]")
		return nil
	}
	w, err := catalog.Workload(s.line(n))
	if err != nil {
		s.fail(n.at, "%v", err)
		return nil
	}
	return []*Workload{w}
}

// ownWorkload completes a workload that is written in the experiment file.
func (s *source) ownWorkload(n *node, w *Workload, dir string) {
	if graph := n.get("topology"); w.Name == "own" && graph != nil && !isTopologyText(graph.text) {
		w.Name = graphName(graph.text)
	}
	if w.Name == "own" && len(w.Processes) > 0 && w.Processes[0].Name != "" {
		w.Name = w.Processes[0].Name
	}
	if !filepath.IsAbs(w.Dir) {
		w.Dir = filepath.Join(dir, w.Dir)
	}
	if abs, err := filepath.Abs(w.Dir); err == nil {
		w.Dir = abs
	} else {
		s.fail(n.at, "dir: %v", err)
	}
	s.references(n)
}

// references complains of all ${env:NAME} below n that are not set.
func (s *source) references(n *node) {
	s.environment(n.at, n.text)
	for _, item := range n.items {
		s.references(item)
	}
	for _, e := range n.entries {
		s.references(e.value)
	}
}

// regular reports whether path is a file that can be read.
func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&fs.ModeType == 0
}

// Experiment is the built-in experiment of that name, one for each of its workloads.
func (c *Catalog) Experiment(name string) ([]*Experiment, error) {
	names, err := c.Experiments()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, name) {
		return nil, &UnknownError{What: "experiment", Name: printable(name), Nearest: nearest.Word(name, names)}
	}
	file := path.Join("experiments", name+".yaml")
	for _, layer := range slices.Backward(c.layers) {
		text, err := fs.ReadFile(layer, file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading experiment %q: %w", name, err)
		}
		s := &source{file: file, folder: ".", open: func(n string) ([]byte, error) { return readBeside(layer, "experiments", n) }}
		return s.experimentFile(text, ".", c)
	}
	return nil, &UnknownError{What: "experiment", Name: name}
}

// An experiment as a matter of minutes.

// What a quick experiment is cut down to, where it asks for more.
const (
	quickBlocks     = 6               // the fewest that give an interval
	quickLoad       = 2 * time.Minute // of all phases of all blocks: where there are many, each is shorter
	quickWarmupAll  = 10 * time.Second
	quickLongest    = 5 * time.Second // where a tracer's delay asks for more
	quickWindows    = 4               // windows that a delay is given the time for
	quickDelays     = 5               // of a tracer in a phase, at least: in a shorter one it sends more often than in a long one
	quickShortest   = 500 * time.Millisecond
	quickProbe      = 2 * time.Second // of a search
	quickIdle       = 300 * time.Millisecond
	quickResolution = 0.1 // likewise
	quickConfirm    = 5 * time.Second
	quickCalls      = 200_000
)

// Quicken makes the experiment a matter of minutes: the same, with shorter windows and warm-ups, and the fewest blocks
// that give intervals, whatever precision it was to reach.
func (e *Experiment) Quicken() {
	d := &e.Design
	d.Quick, d.Blocks = true, min(d.Blocks, quickBlocks)
	d.Most, d.Precision, d.Metric = 0, 0, ""
	e.declareRates()
	l := &e.Load
	warmup := Requests.Row().QuickWarmup
	if l.WarmupAll == 0 {
		warmup = e.driver().QuickWarmup
	}
	if l.WarmupMost > 0 {
		l.Warmup, l.WarmupMost = warmup, 0 // there is no time to find it
	}
	l.Warmup, l.WarmupAll = min(l.Warmup, warmup), min(l.WarmupAll, quickWarmupAll)
	l.Duration = min(l.Duration, e.quickest())
	e.quickenOperations()
	if l.Calls > 0 {
		l.Calls = min(l.Calls, quickCalls)
	}
	l.Idle = min(l.Idle, quickIdle)
	// The searches are shared with the same experiment over other workloads.
	if l.Capacity != nil {
		c := l.Capacity.quick()
		l.Capacity = &c
	}
	if l.Relative != nil {
		l.Relative = &Relative{Share: l.Relative.Share, Shares: l.Relative.Shares, Search: l.Relative.Search.quick()}
	}
}

// declareRates puts the rates that the workload declares in the place of a share of what the slowest variant can do: pilots
// that find that take longer than all the rest. Where it declares none, or several shares are swept, pilots find it all the same.
func (e *Experiment) declareRates() {
	l := &e.Load
	if l.Relative == nil || len(l.Relative.Shares) > 0 {
		return
	}
	most := 0.0
	for _, o := range e.Operations {
		rate := cmp.Or(o.Rate, e.Workload.Rate)
		if rate == 0 {
			return
		}
		most = max(most, rate)
	}
	e.Design.Unpiloted, l.Relative = l.Relative.Text(), nil
	l.Rate = cmp.Or(e.Workload.Rate, most) // of the operations that have none of their own
}

// delay is the longest that the spans of a variant may take to the sink; 0 where no plan can be made, which is told elsewhere.
func (e *Experiment) delay() time.Duration {
	var longest time.Duration
	for _, v := range e.Variants {
		if plan, err := e.Plan(v); err == nil {
			longest = max(longest, plan.Passed())
		}
	}
	return longest
}

func (c Capacity) quick() Capacity {
	c.Resolution = max(c.Resolution, quickResolution)
	c.Confirm = min(c.Confirm, quickConfirm)
	return c
}

// quickest is how long a quick phase has the load: the shorter, the more of them there are, but in it each operation happens
// at least once, and where it can a tracer sends as often as it does in a long one.
func (e *Experiment) quickest() time.Duration {
	length := e.driver().QuickWindow
	if e.Load.Capacity != nil && e.driver().Generator {
		length = quickProbe
	}
	phases := max(1, e.Design.Blocks*len(e.Variants)*len(e.Operations)*len(e.Load.Steps()))
	if long := quickWindows * delaysInWindow * e.delay(); long <= quickLongest && e.Load.Capacity == nil && e.driver().Generator {
		length = max(length, long)
	}
	length = min(length, max((quickLoad/time.Duration(phases)).Round(100*time.Millisecond), quickShortest, quickDelays*e.delay()))
	for _, o := range e.Operations {
		for _, level := range e.Load.Steps() {
			if o.Duration == 0 {
				length = inWhich(cmp.Or(o.Rate, level.Load.Rate), length)
			}
		}
	}
	if c := e.Load.search(); c != nil {
		length = inWhich(c.From, length)
	}
	return length
}

// quickenOperations makes the operations' own durations as short as the load's, where they happen in that.
func (e *Experiment) quickenOperations() {
	e.Operations = slices.Clone(e.Operations)
	for i := range e.Operations {
		if o := &e.Operations[i]; o.Duration > 0 {
			o.Duration = min(o.Duration, inWhich(cmp.Or(o.Rate, e.Load.Rate), e.Load.Duration))
		}
	}
}

// inWhich is a length, or a longer one in which an operation happens at a rate.
func inWhich(rate float64, length time.Duration) time.Duration {
	if happens(rate, length) {
		return length
	}
	return time.Duration(math.Ceil(float64(time.Second) / rate))
}
