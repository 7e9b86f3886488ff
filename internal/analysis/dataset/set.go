// Package dataset owns the way from records to an immutable Set: which runs count, by variant, block and cell, in which
// regime each cell was measured, and which blocks the harness spoiled. It must not know how a metric is read, nor what
// became of spans.
package dataset

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
)

// Set is an experiment's records, sorted out. Nobody changes it once it is made.
type Set struct {
	Experiment *config.Experiment
	Plans      map[string]*config.Plan // by variant
	Records    []record.Record
	Variants   []config.Variant
	Baseline   string
	CPUs       float64 // of the machine

	Runs    map[string]map[int]*Run // good and unspoiled: by variant and block
	All     map[string]map[int]*Run // good: spoiled ones too
	Idles   []Idle                  // why what processes use when idle is not taken off; none where it is
	Failed  []*record.Record
	Dropped []Spoil // blocks left out
	Spoiled []Spoil // blocks that should have been, beyond what may be

	places []cell.At
	beside map[beside]*Run // good runs, by the runs beside them
}

// beside is a run of a variant in a block, made together with one of another.
type beside struct {
	block         int
	variant, with string
}

// New sorts the records of an experiment with variants out, reads their histograms, and leaves out the blocks that the
// harness spoiled. It fails where a record cannot be read.
func New(e *config.Experiment, plans map[string]*config.Plan, environment map[string]any, records []record.Record) (*Set, error) {
	s := Glance(e, records)
	s.Plans, s.CPUs = plans, cpus(environment)
	for r := range s.every() {
		if err := r.readHistograms(); err != nil {
			return nil, err
		}
	}
	s.spoil()
	return s, nil
}

// every goes through all good runs that count, each once.
func (s *Set) every() iter.Seq[*Run] {
	all := map[*Run]bool{}
	for _, byBlock := range s.All {
		for _, r := range byBlock {
			all[r] = true
		}
	}
	for _, r := range s.beside {
		all[r] = true
	}
	return maps.Keys(all)
}

// Glance takes the good runs: of several attempts in a block the last good one. It reads no histogram, and leaves no block
// out as spoiled.
func Glance(e *config.Experiment, records []record.Record) *Set {
	s := &Set{
		Experiment: e, Records: records, Variants: e.Variants, Baseline: e.Variants[0].Name,
		CPUs: cpus(nil), All: map[string]map[int]*Run{}, beside: map[beside]*Run{},
	}
	for _, v := range s.Variants {
		s.All[v.Name] = map[int]*Run{}
	}
	for i := range records {
		r := &records[i]
		byBlock, known := s.All[r.Variant]
		switch {
		case !known:
			continue
		case r.Failed():
			s.Failed = append(s.Failed, r)
		case r.Kind == record.Measured:
			one := newRun(r)
			byBlock[r.Block] = one
			for _, with := range r.Harness.With {
				s.beside[beside{r.Block, r.Variant, with}] = one
			}
		}
	}
	s.judgeIdle()
	s.Runs = s.All
	s.places = s.findCells()
	return s
}

// foreseen is the set of an experiment before its first run, with the cells of what will be run.
func Foreseen(e *config.Experiment) *Set {
	s := Glance(e, nil)
	s.places = nil
	for _, operation := range s.Operations() {
		for _, level := range e.Load.Steps() {
			s.places = append(s.places, cell.AtOf(operation, level.Parameter))
		}
	}
	return s
}

// cpus returns the environment's number of CPUs; 1 if unknown.
func cpus(environment map[string]any) float64 {
	switch n := environment["cpus"].(type) {
	case float64:
		return max(n, 1)
	case int:
		return float64(max(n, 1))
	}
	return 1
}

// The demands of the experiment on its analysis.

// Confidence is the confidence to ask of an interval that is to have the one given,
// in spite of stopping at a precision. It is the one place where intervals are
// widened for that.
func (s *Set) Confidence(given float64) float64 {
	if !s.Stops() {
		return given
	}
	d := s.Experiment.Design
	return stats.SequentialConfidence(d.Blocks, d.Most, given)
}

// Stops reports whether the number of blocks is found on the way.
func (s *Set) Stops() bool {
	d := s.Experiment.Design
	return d.Most > 0 && d.Precision > 0
}

// Woven reports whether variants had the load at the same time.
func (s *Set) Woven() bool {
	return s.Experiment.Design.Order == config.Woven || s.Any(func(r *Run) bool { return r.Harness.Order == string(config.Woven) })
}

// has reports whether a variant is one of those that are analysed.
func (s *Set) has(variant string) bool {
	for _, v := range s.Variants {
		if v.Name == variant {
			return true
		}
	}
	return false
}

// Shortest is the length of a variant's windows: what was asked for, or the shortest
// that there was where a number of operations ended them.
func (s *Set) Shortest(variant string) time.Duration {
	least := s.Experiment.Loaded()
	if s.InTurns() {
		least = s.Experiment.Shortest()
	}
	if s.Experiment.Load.Calls == 0 {
		return least
	}
	for _, r := range s.All[variant] {
		for _, p := range r.ByCell {
			took := time.Duration(p.Load.WallSeconds * float64(time.Second)).Round(time.Millisecond)
			if least == 0 || took < least {
				least = took
			}
		}
	}
	return least
}

// SearchedPercentile is the percentile of latency that searches hold against their limit; 99 where none is named.
func (s *Set) SearchedPercentile() float64 {
	if c := s.Experiment.Load.Capacity; c != nil && c.Percentile > 0 {
		return c.Percentile
	}
	return 99
}

// The pairs that are compared.

// Pair is a variant and the one that it is compared with.
type Pair struct {
	Variant, Against string
	Extra            bool // not against the baseline
}

// Pairs returns each variant against the baseline, and those against another
// variant that the experiment asks for.
func (s *Set) Pairs() []Pair {
	var out []Pair
	for _, v := range s.Variants[1:] {
		out = append(out, Pair{Variant: v.Name, Against: s.Baseline})
		if v.Against != "" && v.Against != s.Baseline && v.Against != v.Name {
			out = append(out, Pair{Variant: v.Name, Against: v.Against, Extra: true})
		}
	}
	return out
}

// The axes of an operation.

// Axis is the varied parameter of one operation.
type Axis struct {
	Parameter string
	Cells     []cell.At
	X         []float64
}

// AxisOf returns an operation's levels, smallest first; false where there are not
// two of them, or where they are not one number each.
func (s *Set) AxisOf(operation string) (Axis, bool) {
	var a Axis
	for _, at := range s.Cells() {
		if at.Operation != operation {
			continue
		}
		name, x, ok := at.Level.Swept()
		if !ok || a.Parameter != "" && name != a.Parameter {
			return Axis{}, false
		}
		a.Parameter = name
		a.Cells, a.X = append(a.Cells, at), append(a.X, x)
	}
	return a, len(a.Cells) > 1
}

// Sloped reports whether a line is fitted through the levels of an operation. What is
// claimed of it is the line: a verdict on every level by itself would make all of them
// wider for no question of use.
func (s *Set) Sloped(operation string) bool {
	a, ok := s.AxisOf(operation)
	return ok && a.Parameter == cell.Depth && metric.Driven.Has(s.RegimeOf(a.Cells[0]))
}

// Charges returns the parties that a cost is charged to alone: each role, and each of a role's services if the program under
// test has several.
func (s *Set) Charges() []role.Charge {
	services := map[string]bool{}
	of := map[role.Charge]bool{}
	s.eachUsage(func(u record.Usage) {
		if u.Role == role.App || u.Service != "" {
			services[u.Whose()], of[role.Charge{Role: u.Role, Service: u.Whose()}] = true, true
		}
	})
	var out []role.Charge
	for _, r := range s.Roles() {
		out = append(out, role.Charge{Role: r})
		for _, service := range slices.Sorted(maps.Keys(services)) {
			if one := (role.Charge{Role: r, Service: service}); len(services) > 1 && of[one] {
				out = append(out, one)
			}
		}
	}
	return out
}

// Services are the processes of the workload, each with what stands beside it, and what stands by itself: by name, with the
// roles of their processes. There are none where the program under test has one process alone; the harness is none.
func (s *Set) Services() map[string][]role.Role {
	services, apps := map[string][]role.Role{}, 0
	s.eachUsage(func(u record.Usage) {
		name := u.Whose()
		if u.Role.Harness() || slices.Contains(services[name], u.Role) {
			return
		}
		services[name] = append(services[name], u.Role)
		if slices.Sort(services[name]); u.Role == role.App {
			apps++
		}
	})
	if apps < 2 {
		return nil
	}
	return services
}

// eachUsage goes through what the processes of all good runs used.
func (s *Set) eachUsage(do func(record.Usage)) {
	for _, byBlock := range s.Runs {
		for _, r := range byBlock {
			for _, p := range r.ByCell {
				for _, u := range p.Usage {
					do(u)
				}
			}
		}
	}
}
