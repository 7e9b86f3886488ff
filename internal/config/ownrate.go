// Rates that the operations of a workload have of their own.

package config

import (
	"cmp"
	"slices"
	"strings"
)

// ownRate reports whether an operation has a rate of its own.
func ownRate(o Operation) bool { return o.Rate > 0 }

// namesPace reports whether the load says by itself how often or by how many
// operations are made. A search and a relative rate do not: they find it.
func (l Load) namesPace() bool {
	return l.search() == nil && (l.Rate > 0 || len(l.Rates) > 0 || l.Connections > 0 || len(l.Levels) > 0)
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

func (e *Experiment) builtIn() bool { return e.Workload != nil && e.Workload.Files != nil }

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
		rates[i] = formatRate(cmp.Or(o.Rate, e.Load.Rate))
	}
	return "at " + strings.Join(rates, ", ") + e.Load.shape()
}
