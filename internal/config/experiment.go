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

// parts are the values of an experiment file that need others to be read first.
type parts struct {
	workload, workloads, operations, mix, variants, load *node
	published, claims                                    *node
}

func (s *source) experiments(n *node, name, dir string, catalog *Catalog) []*Experiment {
	s.services = catalog.Service
	e := Experiment{Name: name, Load: defaultLoad(), Design: Design{Blocks: DefaultBlocks}, Sink: Checking}
	var p parts
	ok := s.mapping(n, "an experiment", fields{
		"name":        func(v *node) { e.Name = s.line(v) },
		"description": func(v *node) { e.Description = s.text(v) },
		"workload":    func(v *node) { p.workload = v },
		"workloads":   func(v *node) { p.workloads = v },
		"operations":  func(v *node) { p.operations = v },
		"mix":         func(v *node) { p.mix = v },
		"variants":    func(v *node) { p.variants = v },
		"load":        func(v *node) { p.load, e.Load = v, s.load(v) },
		"design":      func(v *node) { e.Design = s.design(v) },
		"budget":      func(v *node) { e.Budget = s.budget(v) },
		"sink":        func(v *node) { e.Sink = SinkMode(s.oneOf(v, "sink", string(Checking), string(Counting))) },
		"faults":      func(v *node) { e.Faults = s.faults(v, Faults{}) },
		"samples":     func(v *node) { e.Samples = s.flag(v) },
		"published":   func(v *node) { p.published = v },
		"claims":      func(v *node) { p.claims = v },
	})
	if !ok {
		return nil
	}
	if e.Name == "" || len(e.Name) > 100 {
		at := n.at
		if given := n.get("name"); given != nil {
			at = given.at
		}
		s.fail(at, "the name of an experiment has 1 to 100 characters")
	}
	if p.variants == nil {
		s.lacks(n, "variants", n.at, "an experiment needs variants: what is to be compared")
	}
	var out []*Experiment
	for _, w := range s.workloads(n, p, dir, catalog) {
		one := e
		one.Workload = w
		s.goesWith(n, p.load, w, &one)
		fixedRate := one.Load.namesPace()
		one.Load.complete(w)
		one.Design.complete(one.Load)
		one.Operations = s.measured(p, w)
		if fixedRate {
			one.yieldRates()
		}
		if p.variants != nil {
			one.Variants = s.variants(p.variants, w, catalog, e.Faults)
		}
		s.check(n, &one)
		out = append(out, &one)
	}
	s.oneWay(p.workloads, out)
	s.study(p, out, catalog)
	return out
}

// workloads are the workloads of an experiment, named or inline.
func (s *source) workloads(n *node, p parts, dir string, catalog *Catalog) []*Workload {
	switch {
	case p.workload == nil && p.workloads == nil:
		if slices.Contains(n.meant, "workloads") {
			return nil
		}
		s.lacks(n, "workload", n.at, "an experiment needs a workload: the name of a built-in one, or a mapping with processes and operations")
		return nil
	case p.workload != nil && p.workloads != nil:
		s.fail(p.workloads.at, "there is a workload already; put all of them into workloads")
		return nil
	case p.workload != nil:
		return s.oneWorkload(p.workload, dir, catalog)
	case p.workloads.kind != list || len(p.workloads.items) == 0:
		s.fail(p.workloads.at, "workloads must be a list of names")
		return nil
	}
	var out []*Workload
	for _, item := range p.workloads.items {
		out = append(out, s.oneWorkload(item, dir, catalog)...)
	}
	return out
}

func (s *source) oneWorkload(n *node, dir string, catalog *Catalog) []*Workload {
	if n.kind == mapping {
		w := s.workload(n, "own")
		s.ownWorkload(n, w, dir)
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
	quickWarmup     = 500 * time.Millisecond
	quickWarmupAll  = 10 * time.Second
	quickWindow     = 2500 * time.Millisecond
	quickShortest   = 500 * time.Millisecond
	quickProbe      = 2 * time.Second // of a search
	quickIdle       = 300 * time.Millisecond
	quickResolution = 0.1 // likewise
	quickConfirm    = 5 * time.Second
	quickCalls      = 200_000
	quickDriven     = time.Second     // window of a self-driving workload
	quickDrivenWarm = 3 * time.Second // and its warm-up, where nothing warms up all operations before: agents of Java are not compiled earlier
)

// Quicken makes the experiment a matter of minutes: the same, with shorter windows and warm-ups, and the fewest blocks
// that give intervals, whatever precision it was to reach.
func (e *Experiment) Quicken() {
	d := &e.Design
	d.Quick, d.Blocks = true, min(d.Blocks, quickBlocks)
	d.Most, d.Precision, d.Metric = 0, 0, ""
	e.declareRates()
	l := &e.Load
	warmup := quickWarmup
	if l.WarmupAll == 0 {
		warmup = e.driver().QuickWarmup
	}
	if l.WarmupMost > 0 {
		l.Warmup, l.WarmupMost = warmup, 0 // there is no time to find it
	}
	l.Warmup, l.WarmupAll = min(l.Warmup, warmup), min(l.WarmupAll, quickWarmupAll)
	l.Duration = min(l.Duration, e.quickest())
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
	length = min(length, max((quickLoad/time.Duration(phases)).Round(100*time.Millisecond), quickShortest, delaysInWindow*e.delay()))
	longer := func(rate float64) {
		if !happens(rate, length) {
			length = time.Duration(math.Ceil(float64(time.Second) / rate))
		}
	}
	for _, o := range e.Operations {
		for _, level := range e.Load.Steps() {
			longer(cmp.Or(o.Rate, level.Load.Rate))
		}
	}
	if c := e.Load.search(); c != nil {
		longer(c.From)
	}
	return length
}
