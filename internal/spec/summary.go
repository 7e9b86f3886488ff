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
		variants = append(variants, v.Name+v.viaText())
	}
	probe := ""
	if e.Load.Capacity != nil {
		probe = ", probing"
	}
	return fmt.Sprintf("%s of %s (%s) on workload %s, each run with %s (%s) %s%s for %s after %s%s",
		e.Design.blocksText(), plural(len(variants), "variant"), strings.Join(variants, ", "), e.Workload.Name,
		plural(len(operations), "operation"), strings.Join(operations, ", "), e.pace(),
		probe, formatDuration(e.Load.Duration), e.Load.warmupSummary(), e.Design.duetText())
}

// blocksText is "10 blocks", or "8 to 30 blocks".
func (d Design) blocksText() string {
	if d.Most > 0 {
		return fmt.Sprintf("%d to %s", d.Blocks, plural(d.Most, "block"))
	}
	return plural(d.Blocks, "block")
}

func (d Design) duetText() string {
	if d.Duet {
		return ", both variants at the same time"
	}
	return ""
}

// Summary says how operations are made to happen: "at 400/s", "over 4 connections",
// "over 1, 2, 4 connections in turn", "as fast as it goes, 10 deep".
func (l Load) Summary() string { return l.pace() + l.shape() }

func (l Load) pace() string {
	switch {
	case len(l.Rates) > 0:
		return "at " + strings.Join(rateTexts(l.Rates), ", ") + " in turn"
	case len(l.Levels) > 0:
		return "over " + strings.Join(wholeTexts(l.Levels), ", ") + " connections in turn"
	case l.Relative != nil && l.Rate == 0:
		return "at " + l.Relative.text()
	case l.Capacity != nil:
		return "in search of " + l.Capacity.Summary()
	case l.Rate > 0:
		return "at " + formatRate(l.Rate)
	case l.Connections == 0:
		return "as fast as it goes"
	}
	return "over " + plural(l.Connections, "connection")
}

// shape says what only workloads that make themselves work have.
func (l Load) shape() string {
	out := ""
	switch {
	case len(l.Depths) > 0:
		out += ", " + strings.Join(wholeTexts(l.Depths), ", ") + " deep in turn"
	case l.Depth > 0:
		out += fmt.Sprintf(", %d deep", l.Depth)
	}
	switch {
	case len(l.Crowds) > 0:
		out += ", on " + strings.Join(wholeTexts(l.Crowds), ", ") + " threads in turn"
	case l.Threads > 1:
		out += fmt.Sprintf(", on %d threads", l.Threads)
	}
	if l.Busy > 0 {
		out += ", busy for " + formatDuration(l.Busy) + " each"
	}
	if l.Calls > 0 {
		out += fmt.Sprintf(", at most %d calls", l.Calls)
	}
	return out
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
		for _, service := range v.Services() {
			needs = append(needs, service.Needs...)
		}
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

// viaText is " via collector to zipkin" where spans pass through hops, and are stored in a backend.
func (v Variant) viaText() string {
	to := ""
	if v.To != nil {
		to = " to " + v.To.Name
	}
	if len(v.Via) == 0 {
		return to
	}
	var names []string
	for _, hop := range v.Via {
		names = append(names, hop.Name)
	}
	return " via " + strings.Join(names, " and ") + to
}
