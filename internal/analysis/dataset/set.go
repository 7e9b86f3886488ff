// Package dataset owns the way from records to an immutable Set: which runs count, by variant, block and cell, in which
// regime each cell was measured, and which blocks the harness spoiled. It must not know how a metric is read, nor what
// became of spans.
package dataset

import (
	"iter"
	"maps"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
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
	beside map[beside]*Run // good runs, by whom they were made together with
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

// cpus is the number of CPUs that the environment tells of; 1 where it does not.
func cpus(environment map[string]any) float64 {
	switch n := environment["cpus"].(type) {
	case float64:
		return max(n, 1)
	case int:
		return float64(max(n, 1))
	}
	return 1
}
