// An experiment in one line, and what it needs.

package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
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
		probe, e.durations(), e.Load.warmupSummary(), e.Design.orderText())
}

// durations are how long the operations' windows are: "10s", or "4s, 14s" where they differ.
func (e *Experiment) durations() string {
	var out []string
	for _, o := range e.Operations {
		out = append(out, program.FormatDuration(e.Load.For(o).Duration))
	}
	if len(slices.Compact(slices.Clone(out))) == 1 {
		return out[0]
	}
	return strings.Join(out, ", ")
}

// blocksText is "10 blocks", or "8 to 30 blocks".
func (d Design) blocksText() string {
	if d.Most > 0 {
		return fmt.Sprintf("%d to %s", d.Blocks, plural(d.Most, "block"))
	}
	if d.Sittings > 1 {
		return fmt.Sprintf("%s in %d sittings, %s apart,", plural(d.Blocks, "block"), d.Sittings, program.FormatDuration(d.Pause))
	}
	return plural(d.Blocks, "block")
}

func (d Design) orderText() string {
	switch d.Order {
	case Windows:
		return ", the variants of a block in turn"
	case Woven:
		return ", the variants of a block at the same time"
	}
	return ""
}

// Rewritten says what configurations of hops have otherwise in a run than in the user's file, a line a change.
func (e *Experiment) Rewritten() []string {
	var out []string
	type of struct{ hop, given string }
	told := map[of]bool{}
	for _, v := range e.Variants {
		for _, hop := range v.Via {
			if hop.Copy == nil || told[of{hop.Name, hop.Copy.Given}] {
				continue
			}
			told[of{hop.Name, hop.Copy.Given}] = true
			for _, line := range hop.Copy.Lines() {
				out = append(out, fmt.Sprintf("variant %s via %s: %s", v.Name, hop.Name, line))
			}
		}
	}
	return out
}

// Unmade says what else is in files of manifests, a line a process: no run makes it.
func (e *Experiment) Unmade() (out []string) {
	for _, p := range e.Workload.Processes {
		if len(p.Unmade) > 0 {
			out = append(out, fmt.Sprintf("process %s is %s of its manifests; no run makes what else is there, "+
				"and what its pods mount has to be in the namespace: %s", p.Name, p.Deployed, program.Printable(strings.Join(p.Unmade, ", "))))
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
