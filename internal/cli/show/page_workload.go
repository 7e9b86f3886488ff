package show

// What is shown of a workload, and of a service.

import (
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/protocol"
)

func (p *page) workload(w *config.Workload) {
	p.head("workload", w.Name, w.Language, w.Description)
	p.needs(w.Needs)
	p.packages(w.Artifact)
	p.line("\nprocesses:")
	for _, process := range w.Processes {
		role := string(process.Role)
		if process.Service != nil {
			role += ", service " + process.Service.Name
		}
		p.line("  %s (%s): %s", process.Name, role, strings.Join(process.Run, " "))
	}
	if w.Self {
		p.line("\nit is self-driving: a load gives calls, depth, threads, busy, rate or duration")
	}
	p.line("\noperations:")
	for _, o := range w.Operations {
		p.line("  %s: %s%s", o.Name, workOf(w, o), ownRate(o))
		if o.Description != "" {
			p.line("      %s", oneLine(o.Description))
		}
	}
	if len(w.Prepare) > 0 {
		p.line("\nbefore each run: %s", strings.Join(w.Prepare, " "))
	}
	if len(w.Cleanup) > 0 {
		p.line("\nafter each run: %s", strings.Join(w.Cleanup, " "))
	}
	if len(w.Verify) > 0 {
		p.line("\nits answers are checked by: %s", strings.Join(w.Verify, " "))
	}
	if len(w.Build) > 0 {
		p.line("\nbuilt for: %s", strings.Join(buildNames(w), ", "))
	}
}

// ownRate is the rate at which an operation is asked where nothing else is said.
func ownRate(o config.Operation) string {
	if o.Rate <= 0 {
		return ""
	}
	return " (" + finding.FormatValue(o.Rate, "1/s") + ")"
}

// workOf is what an operation asks for: a request, or the words of an order.
func workOf(w *config.Workload, o config.Operation) string {
	if !w.Self {
		requests := []string{strings.TrimSpace(o.Method + " " + o.URL)}
		for _, step := range o.Then {
			requests = append(requests, step.Method+" "+step.URL)
		}
		return strings.Join(requests, ", then ")
	}
	words := []string{"run"}
	for _, word := range slices.Sorted(maps.Keys(o.Drive)) {
		words = append(words, word+"="+o.Drive[word])
	}
	return strings.Join(words, " ")
}

func buildNames(w *config.Workload) []string {
	names := []string{}
	for _, tracer := range slices.Sorted(maps.Keys(w.Build)) {
		if tracer == "" {
			tracer = "any other tracer"
		}
		names = append(names, tracer)
	}
	return names
}

func (p *page) service(s *config.Service) {
	p.head("service", s.Name, "", s.Description)
	p.needs(s.Needs)
	p.line("\nrole: %s", s.Process.Role)
	p.line("run: %s", strings.Join(s.Process.Run, " "))
	p.ofSpans(s)
	if s.Hop != nil {
		p.ofSpans(s.Hop)
	}
}

// ofSpans is what a service does with spans, and what can be set of it there.
func (p *page) ofSpans(s *config.Service) {
	if len(s.Receives) > 0 {
		way := "\nspans pass through it (via: %s): it receives %s"
		if s.Stores() {
			way = "\nspans are stored in it (to: %s): it receives %s"
		}
		p.line(way, s.Name, strings.Join(receives(s), ", "))
		p.line("it says what was: %s", strings.Join(said(s), ", "))
	}
	for _, section := range slices.Sorted(maps.Keys(s.Components)) {
		p.line("%s of a configuration: %s", section, strings.Join(s.Components[section], ", "))
	}
	if len(s.Process.Env) > 0 {
		p.line("\nenvironment:")
		p.env("  ", s.Process.Env)
	}
	p.settings(s.Settings)
}

// receives are the protocols that a service takes spans in by.
func receives(s *config.Service) []string {
	var out []string
	for _, r := range protocol.Table {
		if _, takes := s.Receives[r.Name]; takes {
			out = append(out, r.Title)
		}
	}
	return out
}

// said is what a service says of spans, each once.
func said(s *config.Service) []string {
	var out []string
	for _, one := range s.Says {
		if !slices.Contains(out, one.What) {
			out = append(out, one.What)
		}
	}
	return out
}
