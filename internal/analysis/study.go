// This file chooses the runs that count and orders them by variant and block.
package analysis

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// study is an experiment's records, sorted out.
type study struct {
	in       Input
	variants []spec.Variant
	baseline string
	cpus     float64 // of the machine

	runs    map[string]map[int]*run // good and unspoiled: by variant and block
	all     map[string]map[int]*run // good: spoiled ones too
	failed  []*record.Record
	dropped []spoil // blocks left out
	spoiled []spoil // blocks that should have been, beyond what may be

	places    []cell.At
	tracing   map[string]ledger.Tracing // by variant
	ledgers   []finding.Ledger
	byCell    []finding.Ledger // the same by cell, where operations have levels
	windows   map[cell.Cell]lostSpans
	lags      []doubt // latency verdicts withheld because of the generator
	modes     []doubt // verdicts withheld because of modes
	bends     []hit   // lines over depth that are none
	below     []hit   // CPU per operation below zero
	headlines []*claim
}

// run is one good run.
type run struct {
	*record.Record
	phases   map[cell.At]*phase
	delivery map[string]ledger.Delivery // by the name of the cell
}

// phase is one operation's part of a run with what its histograms say.
type phase struct {
	*record.Phase
	idle         map[string]record.Usage // by process
	latency, lag distribution
}

// newStudy sorts the records out and reads their histograms.
func newStudy(in Input) (*study, error) {
	s := sortOut(in)
	for _, byBlock := range s.all {
		for _, r := range byBlock {
			if err := r.readHistograms(); err != nil {
				return nil, err
			}
		}
	}
	s.spoil()
	s.trace()
	s.account()
	s.dimLedgers()
	return s, nil
}

// sortOut takes the good runs: of several attempts in a block the last good one.
func sortOut(in Input) *study {
	s := &study{
		in: in, variants: in.Experiment.Variants, baseline: in.Experiment.Variants[0].Name,
		cpus: cpus(in.Environment), all: map[string]map[int]*run{}, tracing: map[string]ledger.Tracing{},
		windows: map[cell.Cell]lostSpans{},
	}
	for _, v := range s.variants {
		s.all[v.Name] = map[int]*run{}
	}
	for i := range in.Records {
		r := &in.Records[i]
		byBlock, known := s.all[r.Variant]
		switch {
		case !known:
			continue
		case r.Failed():
			s.failed = append(s.failed, r)
		case r.Kind == record.Measured:
			byBlock[r.Block] = newRun(r)
		}
	}
	s.runs = s.all
	s.places = s.findCells()
	return s
}

func newRun(r *record.Record) *run {
	idle := map[string]record.Usage{}
	for _, u := range r.Start.Idle {
		idle[u.Process] = u
	}
	out := &run{Record: r, phases: map[cell.At]*phase{}}
	for i := range r.Phases {
		p := &r.Phases[i]
		out.phases[cell.AtOf(p.Operation, p.Parameter)] = &phase{Phase: p, idle: idle}
	}
	return out
}

func (r *run) readHistograms() error {
	for at, p := range r.phases {
		var err error
		p.latency, err = distributionOf(p.Load.Latency, p.Load.TimedOut)
		if err == nil && p.Load.Driven == nil { // otherwise the lateness is the program's own, and nothing of the harness
			p.lag, err = distributionOf(p.Load.Lag, 0)
		}
		if err != nil {
			return fmt.Errorf("block %d, variant %s, operation %s: %w", r.Block, r.Variant, at, err)
		}
	}
	return nil
}

// blocksOf returns the blocks in which both variants have a run, in order. Every
// pair needs the baseline too: a block without it does not count.
func (s *study) blocksOf(a, b string) []int {
	var blocks []int
	for block := range s.runs[a] {
		if s.runs[b][block] != nil && s.runs[s.baseline][block] != nil {
			blocks = append(blocks, block)
		}
	}
	slices.Sort(blocks)
	return blocks
}

// runsOf returns a variant's runs in the order of their blocks.
func (s *study) runsOf(variant string) []*run {
	var out []*run
	for _, block := range slices.Sorted(maps.Keys(s.runs[variant])) {
		out = append(out, s.runs[variant][block])
	}
	return out
}

// phasesOf returns a variant's phases of one cell in the order of blocks.
func (s *study) phasesOf(variant string, at cell.At) []*phase {
	var out []*phase
	for _, r := range s.runsOf(variant) {
		if p := r.phases[at]; p != nil {
			out = append(out, p)
		}
	}
	return out
}

func (s *study) operations() []string {
	var names []string
	for _, o := range s.in.Experiment.Operations {
		names = append(names, o.Name)
	}
	return names
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

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
