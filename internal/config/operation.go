// Operations of a workload.

package config

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
)

// Rates that the operations of a workload have of their own.

// ownRate reports whether an operation has a rate of its own.
func ownRate(o program.Operation) bool { return o.Rate > 0 }

// namesPace reports whether the load says by itself how often or by how many
// operations are made. A search and a relative rate do not: they find it.
func (l Load) namesPace() bool {
	return l.search() == nil && (l.Rate > 0 || len(l.Rates) > 0 || l.Connections > 0 || len(l.Levels) > 0)
}

// For returns the load of an operation, which may have a duration of its own.
func (l Load) For(o program.Operation) Load {
	if l.search() == nil {
		l.Duration = cmp.Or(o.Duration, l.Duration)
	}
	return l
}

// LoadOf is the load of an operation by its name; of one that the experiment does not have the load of all.
func (e *Experiment) LoadOf(operation string) Load {
	for _, o := range e.Operations {
		if o.Name == operation {
			return e.Load.For(o)
		}
	}
	return e.Load
}

// Shortest is the shortest duration of an operation's load.
func (e *Experiment) Shortest() time.Duration {
	least := e.Load.Duration
	for i, o := range e.Operations {
		if d := e.Load.For(o).Duration; i == 0 || d < least {
			least = d
		}
	}
	return least
}

// Loaded returns for how long a variant has its load while its CPU is measured, where that is shortest: Shortest, and in the order
// paired as long as all variants have it at once.
func (e *Experiment) Loaded() time.Duration {
	if e.Design.Order == Paired {
		return AtOnce(len(e.Variants), e.Shortest())
	}
	return e.Shortest()
}

// Average is the load with the duration that the operations have on average.
func (e *Experiment) Average() Load {
	l := e.Load
	var sum time.Duration
	for _, o := range e.Operations {
		sum += l.For(o).Duration
	}
	l.Duration = sum / time.Duration(max(1, len(e.Operations)))
	return l
}

// yieldDurations drops the operations' own durations.
func (e *Experiment) yieldDurations() {
	e.Operations = slices.Clone(e.Operations)
	for i := range e.Operations {
		e.Operations[i].Duration = 0
	}
}

// yieldRates drops the operations' own rates where they are those of a built-in
// workload and the experiment or a flag says the rate: what a user asks for wins over
// what the workload suggests. In a workload of your own both are the user's, and the
// operation's is the more particular.
func (e *Experiment) yieldRates() {
	if !e.builtIn() {
		return
	}
	e.Operations = slices.Clone(e.Operations)
	for i := range e.Operations {
		e.Operations[i].Rate = 0
	}
}

// suggested reports whether the operations are asked at the rates that the built-in
// workload has for them: the load names none then, and it stays so when it is written.
func (e *Experiment) suggested() bool {
	return e.builtIn() && e.Load.Rate > 0 && slices.ContainsFunc(e.Operations, ownRate)
}

func (e *Experiment) builtIn() bool { return e.Workload != nil && e.Workload.BuiltIn() }

// pace says how the operations are made to happen: as Load.Summary does, or each at its
// own rate.
func (e *Experiment) pace() string {
	if e.Design.Unpiloted != "" {
		return e.ownPace() + " (declared, not " + e.Design.Unpiloted + ")"
	}
	return e.ownPace()
}

func (e *Experiment) ownPace() string {
	if e.Load.Rate <= 0 || e.Load.Relative != nil || !slices.ContainsFunc(e.Operations, ownRate) {
		return e.Load.Summary()
	}
	rates := make([]string, len(e.Operations))
	for i, o := range e.Operations {
		rates[i] = program.FormatRate(cmp.Or(o.Rate, e.Load.Rate))
	}
	return "at " + strings.Join(rates, ", ") + e.Load.shape()
}

// What of a workload an experiment measures: operations, or a mix of them.

// readMeasured are the operations that the experiment measures on w: named ones,
// a mix, or all.
func readMeasured(s *program.Source, n *program.Node, w *program.Workload) []program.Operation {
	named, mix := n.Get("operations"), n.Get("mix")
	switch {
	case named != nil && mix != nil:
		s.Fail(mix.At, "an experiment has either operations or a mix")
		return nil
	case mix != nil:
		return readMix(s, mix, w)
	case named == nil:
		if mix, has := w.Mixed(); has {
			return []program.Operation{mix}
		}
		return slices.Clone(w.Operations)
	}
	var out []program.Operation
	for i, name := range s.Texts(named) {
		at := named.At
		if named.Kind == program.List {
			at = named.Items[i].At
		}
		if slices.ContainsFunc(out, func(o program.Operation) bool { return o.Name == name }) {
			s.Fail(at, "operation %q is here a second time", program.Printable(name))
			continue
		}
		if o := findOperation(s, at, name, w); o != nil {
			out = append(out, *o)
		}
	}
	if len(out) == 0 && len(s.Problems) == 0 {
		s.Fail(named.At, "operations is empty; leave it out to measure all")
	}
	return out
}

func findOperation(s *program.Source, at program.Place, name string, w *program.Workload) *program.Operation {
	var known []string
	for i := range w.Operations {
		if w.Operations[i].Name == name {
			return &w.Operations[i]
		}
		known = append(known, w.Operations[i].Name)
	}
	s.Fail(at, "%s (of workload %s)", program.Unknown("operation", program.Printable(name), known), w.Name)
	return nil
}

// readMix is one operation, made of several by weight.
func readMix(s *program.Source, n *program.Node, w *program.Workload) []program.Operation {
	if s.Refuses(n.At, "mix", w) {
		return nil
	}
	o := program.Operation{Name: program.MixName}
	for _, e := range s.Entries(n, "mix") {
		weight := s.Weight(e.Value)
		if e.Key == program.MixName {
			s.Fail(e.At, "an operation called %s cannot be part of a mix, which is called so itself; give it another name", program.MixName)
			continue
		}
		if part := findOperation(s, e.At, e.Key, w); part != nil {
			o.Mix = append(o.Mix, program.Share{Operation: *part, Weight: weight})
		}
	}
	if len(n.Entries) == 0 {
		s.Fail(n.At, "mix is empty; it gives each operation a weight: {json: 0.6, db: 0.4}")
	}
	return []program.Operation{o}
}
