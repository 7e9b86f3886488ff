// What does not go together in an experiment though each part is right.

package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/protocol"
)

// misfit is a part of an experiment that does not go with another.
type misfit struct {
	at   []string // keys from the top of the file, as far as they are there
	text string
	// Whether a choice among the variants may still mend it: a file is then right
	// as long as one is made.
	choice bool
}

// Check says what does not go together in the experiment, nil if all does.
// Whoever changes an experiment after it was read asks it.
func (e *Experiment) Check() error {
	var all []error
	for _, m := range e.misfits() {
		all = append(all, errors.New(m.text))
	}
	if all == nil {
		return e.CheckWindow()
	}
	return errors.Join(all...)
}

func (e *Experiment) misfits() []misfit {
	return slices.Concat(e.ownRates(), e.protocols(), e.stopping(), e.apartInTime(), e.orders(), e.warmups(), e.configFiles(), e.hops(), e.compiled(), e.misplaced(), e.unheard(), e.profiles(), e.captured(), e.sessions(), e.scattered())
}

// ownRates finds operations with a rate of their own that contradicts the swept rate.
func (e *Experiment) ownRates() []misfit {
	l := e.Load
	if len(l.Rates) == 0 && len(l.Levels) == 0 {
		return nil
	}
	var out []misfit
	for _, o := range e.Operations {
		if o.Rate > 0 {
			out = append(out, misfit{at: []string{"load"}, text: fmt.Sprintf(
				"operation %q has a rate of its own, %s, which this load (%s) could not vary; leave it out of the operation",
				program.Printable(o.Name), program.FormatRate(o.Rate), l.Summary())})
		}
	}
	return out
}

// scattered finds an order of runs that several nodes of a cluster cannot have.
func (e *Experiment) scattered() []misfit {
	if e.Target.Places() == 1 || cmp.Or(e.Design.Order, e.ownOrder()).Together() {
		return nil
	}
	return []misfit{{at: []string{"target", "kubernetes", "nodes"}, text: "blocks on several nodes are each whole on one, where their variants live " +
		"at the same time: leave nodes out, or the order apart"}}
}

// protocols finds what only gRPC has.
func (e *Experiment) protocols() []misfit {
	if e.Load.Streams == 0 || slices.ContainsFunc(e.Operations, program.Operation.OverGRPC) {
		return nil
	}
	return []misfit{{at: []string{"load", "streams"}, text: "streams are calls at a time on one connection of gRPC, but no operation is over gRPC; leave streams out"}}
}

// stopping finds a precision of a metric that the load does not have.
func (e *Experiment) stopping() []misfit {
	d := e.Design
	if d.Most == 0 {
		return nil
	}
	at := []string{"design", "precision"}
	switch searched := e.Load.Capacity != nil; {
	case searched && d.Metric != metric.Capacity:
		return []misfit{{at: at, text: fmt.Sprintf("the load searches for a capacity, so that each run has a rate of its own and %s cannot be compared; write precision: %s of %s",
			d.Metric, program.FormatShare(d.Precision), metric.Capacity)}}
	case !searched && d.Metric == metric.Capacity:
		return []misfit{{at: at, text: "there is no capacity without load: {capacity: {cpu: 75%}} or the like; name another metric"}}
	case e.Regime() == metric.Unthrottled && isLatency(d.Metric):
		return []misfit{{at: at, text: fmt.Sprintf("no latencies are compared where a workload goes as fast as it can, so that there is no precision of %s; give the load a rate, or write of %s",
			d.Metric, metric.TimePerCall)}}
	case e.Regime() == metric.Closed && isLatency(d.Metric):
		return []misfit{{at: at, text: fmt.Sprintf("no latencies are compared in a closed loop, so that there is no precision of %s; give the load a rate, or write of %s",
			d.Metric, metric.Throughput)}}
	case !e.Load.Closed() && d.Metric == metric.Throughput:
		return []misfit{{at: at, text: fmt.Sprintf("the throughput at a rate is that rate for every variant; write of %s, or load: {connections: 4}", metric.CPUPerOperation)}}
	}
	return nil
}

// checkFit complains of what does not go together, at the place in the file, as far
// as no choice among the variants may mend it; n is the whole file.
func checkFit(s *program.Source, n *program.Node, e *Experiment) {
	if len(s.Problems) > 0 {
		return // what is wrong by itself may be all that does not go together
	}
	for _, m := range e.misfits() {
		if m.choice {
			continue // Check asks after the choice
		}
		s.Fail(n.Place(m.at), "%s", m.text)
	}
	if len(s.Problems) > 0 {
		return
	}
	if err := e.CheckWindow(); err != nil {
		s.Fail(n.Place([]string{"load"}), "%v", err)
	}
}

// captured finds captures that are to be kept where no variant makes any.
func (e *Experiment) captured() []misfit {
	if !e.Captures || slices.ContainsFunc(e.Variants, Variant.Captures) {
		return nil
	}
	return []misfit{{at: []string{"captures"}, text: "captures: true keeps captured packets, and no variant captures any; give one a capture, such as traced: {tracer: otel, capture: packets}"}}
}

// sessions finds operations that name values of each connection, and that use rows of data or have steps besides.
func (e *Experiment) sessions() []misfit {
	var kept []string
	for _, s := range e.Setup {
		if s.Per == program.PerConnection {
			kept = append(kept, slices.Sorted(maps.Keys(s.Keep))...)
		}
	}
	var out []misfit
	for _, o := range withParts(e.Operations) {
		if names := o.Uses(kept); len(names) > 0 && (o.Data != "" || len(o.Then) > 0) {
			out = append(out, misfit{at: []string{"setup"}, text: fmt.Sprintf("operation %q: {%s} is of each connection, which goes with neither steps nor data; write per: run",
				program.Printable(o.Name), names[0])})
		}
	}
	return out
}

// FaultsOf are the faults that a variant is run with.
func (e *Experiment) FaultsOf(v Variant) Faults {
	if v.Faults != nil {
		return *v.Faults
	}
	return e.Faults
}

// unheard finds sinks that are to be gone to senders who do not connect, since datagrams tell nobody that they are not received,
// and sinks that are to be late to those who wait for no answer.
func (e *Experiment) unheard() []misfit {
	var out []misfit
	for _, v := range e.Variants {
		faults := e.FaultsOf(v)
		if faults.SinkGone == "" && faults.SinkLate == 0 {
			continue
		}
		p, err := e.Plan(v)
		if err != nil {
			continue // told elsewhere
		}
		for _, row := range protocol.Named(program.WordsOf(p.Texts())) {
			text := ""
			switch {
			case faults.SinkGone != "" && row.Packets:
				text = fmt.Sprintf("be gone (%s) to %s, whose datagrams need no connection; leave out sink-gone", faults.SinkGone, row.Title)
			case faults.SinkGone != "" && row.Folder:
				text = fmt.Sprintf("be gone (%s) to %s, which need no connection; leave out sink-gone", faults.SinkGone, row.Title)
			case faults.SinkLate > 0 && row.Unanswered:
				text = fmt.Sprintf("be late to %s, which waits for no answer; leave out sink-late", row.Title)
			default:
				continue
			}
			out = append(out, misfit{at: []string{"variants", v.Name, "faults"}, text: fmt.Sprintf(
				"variant %q: the sink cannot %s, or take another tracer", program.Printable(v.Name), text)})
		}
	}
	return out
}

// warmups finds warm-ups that no pilot can find.
func (e *Experiment) warmups() []misfit {
	l, at := e.Load, []string{"load", "warmup"}
	if l.WarmupRate > 0 && (l.Closed() || l.Capacity != nil || !e.driver().Generator) {
		return []misfit{{at: at, text: fmt.Sprintf("a warm-up faster than the load (%s) is for requests at a rate, and this load has none", l.warmupText())}}
	}
	if l.WarmupMost == 0 {
		return nil
	}
	for _, o := range e.Operations {
		for _, level := range l.Steps() {
			if rate := cmp.Or(o.Rate, level.Load.Rate); rate > 0 && rate*l.WarmupMost.Seconds() < leastInWarmup {
				return []misfit{{at: at, text: fmt.Sprintf("operation %q: %s for %s is under %d operations, too few to see when they get steady; write how long the warm-up is, or allow more (warmup: auto..%s)",
					program.Printable(o.Name), program.FormatRate(rate), program.FormatDuration(l.WarmupMost), leastInWarmup, program.FormatDuration(min(mostWarmupMost, 2*l.WarmupMost)))}}
			}
		}
	}
	return nil
}
