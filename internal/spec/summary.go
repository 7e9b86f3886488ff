// An experiment in one line, and what it needs.
package spec

import (
	"fmt"
	"slices"
	"strings"
)

// Summary says in one line what the experiment runs.
func (e *Experiment) Summary() string {
	var operations, variants []string
	for _, o := range e.Operations {
		operations = append(operations, o.Name)
	}
	for _, v := range e.Variants {
		variants = append(variants, v.Name)
	}
	return fmt.Sprintf("%s of %s (%s) on workload %s, each run with %s (%s) %s for %s after %s of warm-up",
		plural(e.Design.Blocks, "block"), plural(len(variants), "variant"), strings.Join(variants, ", "), e.Workload.Name,
		plural(len(operations), "operation"), strings.Join(operations, ", "), e.Load.Summary(),
		formatDuration(e.Load.Duration), formatDuration(e.Load.Warmup))
}

// Summary says how operations are made to happen: "at 400/s" or "over 4 connections".
func (l Load) Summary() string {
	if l.Rate > 0 {
		return "at " + formatRate(l.Rate)
	}
	return "over " + plural(l.Connections, "connection")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Needs are the needs of the workload and of all variants' tracers, each once.
func (e *Experiment) Needs() []Need {
	needs := slices.Clone(e.Workload.Needs)
	for _, v := range e.Variants {
		needs = append(needs, v.Tracer.Needs...)
	}
	return Distinct(needs)
}

// Distinct drops the needs that are in the list before.
func Distinct(needs []Need) []Need {
	var out []Need
	for _, n := range needs {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
