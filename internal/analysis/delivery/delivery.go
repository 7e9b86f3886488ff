// Package delivery owns what became of the spans of a set: what each variant is meant to make, the ledgers, what was lost
// of what is measured on each cell, suppressed, or may have been lost, and where no span came at all. It must not know what
// tracing costs.
package delivery

import (
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/wording"
)

// Accounts are the accounts of the spans of a set. The ledgers are of all good runs, the shares of those that count.
type Accounts struct {
	*dataset.Set
	Tracing map[string]ledger.Tracing // by variant
	Ledgers []finding.Ledger

	byCell     []finding.Ledger                            // the same by cell, where operations have levels
	deliveries map[*dataset.Run]map[string]ledger.Delivery // by run and the name of the cell
	cells      map[cell.Cell]*Delivery                     // that are known already
}

// New accounts for the spans of a set.
func New(set *dataset.Set) *Accounts {
	s := Blank(set)
	s.trace()
	s.account()
	s.dimLedgers()
	return s
}

// Blank are the accounts of a set without what became of its spans: for figures in which these play no part.
func Blank(set *dataset.Set) *Accounts {
	return &Accounts{
		Set: set, Tracing: map[string]ledger.Tracing{}, Ledgers: []finding.Ledger{},
		deliveries: map[*dataset.Run]map[string]ledger.Delivery{}, cells: map[cell.Cell]*Delivery{},
	}
}

// Tracing and runs by the names of cells, for questions on one level alone.

// tracingByCell is a variant's tracing with the spans of an operation under the names of its
// cells too, for what is asked of one level alone.
func (b *Accounts) tracingByCell(variant string) ledger.Tracing {
	t := b.Tracing[variant]
	t.Spans = maps.Clone(t.Spans)
	for _, at := range b.Cells() {
		if per, known := t.Spans[at.Operation]; known && !isKnown(t.Spans, at.String()) {
			t.Spans[at.String()] = per
		}
	}
	return t
}

// ofCells is a run with its phases under the names of their cells.
func ofCells(r *record.Record) ledger.Run {
	one := ledger.FromRecord(r)
	for i := range one.Phases {
		one.Phases[i].Operation = cell.AtOf(r.Phases[i].Operation, r.Phases[i].Parameter).String()
	}
	return one
}

func isKnown(spans map[string]ledger.PerOperation, name string) bool {
	_, known := spans[name]
	return known
}

// Accounting for spans: the ledgers of the runs, and the share that a variant delivered.

// account makes the ledgers, of all good runs: a spoiled clock spoils no count.
func (b *Accounts) account() {
	cells := b.Cells()
	for _, v := range b.Variants {
		var names []string
		for _, at := range cells {
			names = append(names, at.String())
		}
		var runs, runsByCell []ledger.Run
		for _, block := range dataset.BlocksIn(b.All[v.Name]) {
			runs = append(runs, ledger.FromRecord(b.All[v.Name][block].Record))
		}
		t := ledger.Confirm(b.Tracing[v.Name], runs)
		b.Tracing[v.Name] = t
		byCell := b.tracingByCell(v.Name)
		for _, block := range dataset.BlocksIn(b.All[v.Name]) {
			r := b.All[v.Name][block]
			runsByCell = append(runsByCell, ofCells(r.Record))
			b.deliveries[r] = ledger.Deliveries(byCell, runsByCell[len(runsByCell)-1])
		}
		b.Ledgers = append(b.Ledgers, ledger.Account(v.Name, ledger.HopOf(runs), b.Operations(), t, runs)...)
		b.byCell = append(b.byCell, ledger.Account(v.Name, ledger.HopOf(runs), names, byCell, runsByCell)...)
	}
	for _, ledgers := range [][]finding.Ledger{b.Ledgers, b.byCell} {
		for i := range ledgers {
			_, ledgers[i].LostMost, _ = ledger.LossEnds(ledgers[i])
		}
		wording.FillLedgers(ledgers)
	}
}

// ledgerOf returns the ledger of a variant on a cell, nil if there is none.
func (b *Accounts) ledgerOf(variant string, at cell.At) *finding.Ledger {
	for i := range b.byCell {
		if l := &b.byCell[i]; l.Variant == variant && l.Operation == at.String() {
			return l
		}
	}
	return nil
}

// InBlock returns the share that a variant delivered on a cell in a block; false if the expected number is unknown.
func (b *Accounts) InBlock(variant string, block int, at cell.At) (ledger.Delivery, bool) {
	one, known := b.deliveries[b.Runs[variant][block]][at.String()]
	return one, known
}

// BesideOperations returns the loss of a variant on operations with an unknown number of spans, at their levels; nil
// if there is none.
func (b *Accounts) BesideOperations(variant string) *finding.Ledger {
	return ledger.BesideOperations(b.byCell, variant)
}

// OfAnyOperation is the ledger of a variant's whole run where it lost spans for sure that may be of any of its operations; nil
// where there are none.
func (b *Accounts) OfAnyOperation(variant string) *finding.Ledger {
	return ledger.OfAnyOperation(b.byCell, variant)
}

// Arithmetic with numbers of spans that are known only to lie between two ends.

// Spans is the number of spans of an operation, or two ends between which it lies.
type Spans struct{ Low, High float64 }

// Less subtracts, between the ends that are farthest apart.
func (s Spans) Less(other Spans) Spans { return Spans{s.Low - other.High, s.High - other.Low} }

func (s Spans) times(share float64) Spans { return Spans{s.Low * share, s.High * share} }

// Doubted returns the ends from the surely made to the intended number: spans that may be missing unseen may not have been
// made. A difference too small to matter is ignored.
func (s Spans) Doubted(by Lost) Spans {
	unseen := by.MostShare() - by.Share()
	if !by.Known || !finding.Matters(unseen) {
		return s
	}
	return Spans{min(s.Low, s.High*(1-unseen)), s.High}
}

// The number of spans that each variant should make and deliver: declared, learnt in calibration
// runs, or known of another variant that makes the same.

// trace finds out what each variant's tracing is meant to do.
func (b *Accounts) trace() {
	learnt := map[string]map[string]ledger.PerOperation{}
	for _, v := range b.Variants {
		learnt[v.Name] = ledger.Learn(b.Calibrations(v.Name), 1, false)
	}
	for i, v := range b.Variants {
		t := ledger.Tracing{Sampling: 1, Spans: map[string]ledger.PerOperation{}}
		plan := b.Plans[v.Name]
		if plan != nil {
			t.Silent, t.Decides, t.Sampling, t.Buffers = plan.Silent, plan.Decides, plan.Sampling, plan.Buffers
			t.Late, t.Follows = plan.MayDelay > plan.Delay, plan.Follows
		}
		operations, mixes := append(b.Operations(), record.ProbeOperation, record.SetupOperation), map[string][]string{}
		if plan != nil {
			for _, o := range plan.Operations {
				for _, share := range o.Mix {
					mixes[o.Name] = append(mixes[o.Name], share.Operation.Name)
				}
			}
		}
		for _, operation := range slices.Concat(operations, slices.Concat(slices.Collect(maps.Values(mixes))...)) {
			if per, known := b.perOperation(i, plan, operation, learnt); known {
				t.Spans[operation] = per
			}
		}
		for mix, parts := range mixes {
			if per, known := ledger.Mixed(t.Spans, parts); known && !isKnown(learnt[v.Name], mix) {
				t.Spans[mix] = per // older results learnt it as a whole
			}
		}
		b.traceDepths(i, t, learnt)
		if t.Buffers > 0 {
			t.Besides = ledger.Besides(b.Calibrations(v.Name), learnt[v.Name])
		}
		if plan != nil && plan.Renames {
			t.Spans = ledger.Nameless(t.Spans)
		}
		b.Tracing[v.Name] = t
	}
}

// traceDepths sets the number of spans of an operation for each depth of a sweep, learnt at
// that depth: another depth makes another number.
func (b *Accounts) traceDepths(i int, t ledger.Tracing, learnt map[string]map[string]ledger.PerOperation) {
	for _, at := range b.Cells() {
		if at.Level.Value(cell.Depth) == "" {
			continue
		}
		own, traces := learnt[b.Variants[i].Name][at.String()] // in a way of its own, where it has no tracer
		if traces {
			t.Spans[at.String()] = own
			continue
		}
		if b.Variants[i].TracerName() == program.NoTracer {
			continue // its number, if it is known, is nought at any depth
		}
		if per, known := b.learntOf(i, at.String(), learnt); known {
			t.Spans[at.String()] = per
			continue
		}
		delete(t.Spans, at.Operation)
	}
}

// perOperation returns the number of spans of an operation: declared; or learnt from the
// variant itself, or from another one that makes the same spans; or none, where there
// is no tracer.
func (b *Accounts) perOperation(i int, plan *config.Plan, operation string, learnt map[string]map[string]ledger.PerOperation) (ledger.PerOperation, bool) {
	v := b.Variants[i]
	own, known := learnt[v.Name][operation]
	if plan != nil {
		if n, declared := plan.Spans[operation]; declared {
			return ledger.Declare(n.Low, n.High, own), true
		}
	}
	if known {
		return own, true
	}
	if v.TracerName() == program.NoTracer {
		plain := i == 0 || !knowsSink(v, plan) // otherwise the user may trace in a way of their own
		return ledger.PerOperation{How: ledger.Declared}, plain
	}
	return b.learntOf(i, operation, learnt)
}

// learntOf returns the number learnt of a variant itself, or of another one that makes the same
// spans, under the name of an operation or of an operation at a level.
func (b *Accounts) learntOf(i int, name string, learnt map[string]map[string]ledger.PerOperation) (ledger.PerOperation, bool) {
	if per, known := learnt[b.Variants[i].Name][name]; known {
		return per, true
	}
	for _, other := range b.Variants {
		if per, ok := learnt[other.Name][name]; ok && config.SameSpans(other, b.Variants[i]) {
			return per, true
		}
	}
	return ledger.PerOperation{}, false
}

// sinkMark begins the placeholders of the sink's addresses.
const sinkMark = "{sink."

// knowsSink reports whether any process of a variant gets the sink's address.
// Its ports are chosen for each run: without a placeholder no program finds it.
func knowsSink(v config.Variant, plan *config.Plan) bool {
	told := func(env map[string]string, words ...[]string) bool {
		for _, value := range env {
			if strings.Contains(value, sinkMark) {
				return true
			}
		}
		return slices.ContainsFunc(slices.Concat(words...), func(word string) bool { return strings.Contains(word, sinkMark) })
	}
	if told(v.Env, v.Args) {
		return true
	}
	return plan != nil && slices.ContainsFunc(plan.Processes, func(p program.Process) bool { return told(p.Env, p.Run) })
}

// mixed returns the mean number of spans of an operation of a mix, by the measured numbers of its parts; false if the
// operation is no mix, or the number of a part is unknown.
func (b *Accounts) mixed(variant string, at cell.At) (Spans, bool) {
	var operations float64
	var sum Spans
	for _, r := range b.Runs[variant] {
		p := r.ByCell[at]
		if p == nil {
			continue
		}
		for _, part := range p.Whole.Load.Parts {
			per, known := b.Tracing[variant].Spans[part.Operation]
			if !known {
				return Spans{}, false
			}
			n := float64(part.Started)
			operations, sum = operations+n, Spans{sum.Low + n*per.Low, sum.High + n*per.High}
		}
	}
	if operations == 0 {
		return Spans{}, false
	}
	return sum.times(1 / operations), true
}

// Meant is the number of spans per operation that a variant should deliver.
func (b *Accounts) Meant(variant string, at cell.At) (Spans, bool) {
	t := b.Tracing[variant]
	per, known := t.Spans[at.String()]
	if !known {
		per, known = t.Spans[at.Operation]
	}
	if !known || t.Silent {
		return Spans{}, t.Silent
	}
	if made, ofMix := b.mixed(variant, at); ofMix {
		return made.times(t.Sampling), true
	}
	if per.Low <= 0 && per.High > 0 {
		return Spans{}, false // a tracer that keeps so many traces a time: the range is too wide
	}
	return Spans{per.Low, per.High}.times(t.Sampling), true
}
