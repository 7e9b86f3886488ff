// This file finds out how many spans each variant is meant to make and to deliver: declared,
// learnt in calibration runs, or known of another variant that makes the same.

package delivery

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

// trace finds out what each variant's tracing is meant to do.
func (b *Book) trace() {
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
		for _, operation := range append(b.Operations(), record.ProbeOperation) {
			if per, known := b.perOperation(i, plan, operation, learnt); known {
				t.Spans[operation] = per
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

// traceDepths says how many spans an operation makes at each depth of a sweep: learnt
// there, because a number of one depth says nothing of another.
func (b *Book) traceDepths(i int, t ledger.Tracing, learnt map[string]map[string]ledger.PerOperation) {
	for _, at := range b.Cells() {
		if at.Level.Value(cell.Depth) == "" {
			continue
		}
		own, traces := learnt[b.Variants[i].Name][at.String()] // in a way of its own, where it has no tracer
		if traces {
			t.Spans[at.String()] = own
			continue
		}
		if b.Variants[i].TracerName() == config.NoTracer {
			continue // its number, if it is known, is nought at any depth
		}
		if per, known := b.learntOf(i, at.String(), learnt); known {
			t.Spans[at.String()] = per
			continue
		}
		delete(t.Spans, at.Operation)
	}
}

// perOperation is how many spans an operation makes: declared; or learnt from the
// variant itself, or from another one that makes the same spans; or none, where there
// is no tracer.
func (b *Book) perOperation(i int, plan *config.Plan, operation string, learnt map[string]map[string]ledger.PerOperation) (ledger.PerOperation, bool) {
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
	if v.TracerName() == config.NoTracer {
		plain := i == 0 || !knowsSink(v, plan) // otherwise the user may trace in a way of their own
		return ledger.PerOperation{How: ledger.Declared}, plain
	}
	return b.learntOf(i, operation, learnt)
}

// learntOf is what was learnt of a variant itself, or of another one that makes the same
// spans, under the name of an operation or of an operation at a level.
func (b *Book) learntOf(i int, name string, learnt map[string]map[string]ledger.PerOperation) (ledger.PerOperation, bool) {
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

// knowsSink reports whether any process of a variant is told where the sink is.
// Its ports are chosen for each run: without a placeholder nobody finds it.
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
	return plan != nil && slices.ContainsFunc(plan.Processes, func(p config.Process) bool { return told(p.Env, p.Run) })
}

// Meant is how many spans per operation a variant is meant to deliver.
func (b *Book) Meant(variant string, at cell.At) (Spans, bool) {
	t := b.Tracing[variant]
	per, known := t.Spans[at.String()]
	if !known {
		per, known = t.Spans[at.Operation]
	}
	if !known || t.Silent {
		return Spans{}, t.Silent
	}
	if per.Low <= 0 && per.High > 0 {
		return Spans{}, false // a tracer that keeps so many traces a time: between none and all says nothing
	}
	return Spans{per.Low, per.High}.times(t.Sampling), true
}
