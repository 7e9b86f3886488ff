package show

// This file is the page that show prints: its lines, and those that several kinds have.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/session"
)

// page prints lines; the first error ends it.
type page struct {
	w   io.Writer
	err error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *page) head(kind, name, language, description string) {
	if language != "" {
		language = " (" + language + ")"
	}
	p.line("%s %s%s", kind, name, language)
	if description != "" {
		p.line("  %s", oneLine(description))
	}
}

func (p *page) needs(needs []program.Need) {
	missing := artifact.Missing(needs)
	if len(missing) == 0 {
		p.line("\nruns here: yes")
		return
	}
	p.line("\nruns here: no")
	for _, m := range missing {
		p.line("  %s", m)
	}
}

func (p *page) env(indent string, env map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		p.line("%s%s=%s", indent, name, env[name])
	}
}

// appended prints variables to which something is added, after a space.
func (p *page) appended(indent string, env map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		p.line("%s%s=… %s", indent, name, env[name])
	}
}

// packages prints which files pin the packages of a workload or tracer.
func (p *page) packages(a program.Artifact) {
	var all []string
	for _, one := range []struct{ kind, lock string }{{"Python", a.Python}, {"Maven", a.Maven}, {"npm", a.NPM}, {"NuGet", a.NuGet}} {
		if one.lock != "" {
			all = append(all, fmt.Sprintf("%s (%s)", one.kind, one.lock))
		}
	}
	if len(all) > 0 {
		p.line("\npackages: %s", strings.Join(all, ", "))
	}
}

// What is shown of an experiment.

func (p *page) experiments(experiments []*config.Experiment) {
	for i, e := range experiments {
		if i > 0 {
			p.line("\n---")
		}
		p.head("experiment", e.Name, "", e.Description)
		p.line("  %s", e.Summary())
		for _, line := range e.Rewritten() {
			p.line("  %s", line)
		}
		p.canRun(e)
		text, err := e.YAML()
		if err != nil {
			p.err = errors.Join(p.err, err)
			return
		}
		p.line("\n%s", strings.TrimSpace(string(text)))
	}
}

// canRun prints whether an experiment can run here, and what is left out of it.
func (p *page) canRun(e *config.Experiment) {
	left, whole := session.Lacking(e)
	if whole || len(left) == 0 {
		p.needs(e.Needs())
		return
	}
	p.line("\nruns here: in part; left out are")
	for _, l := range left {
		p.line("  %s: %s", lackView(l).name(false), strings.Join(l.Missing, "; "))
	}
}

// What is shown of a tracer.

func (p *page) tracer(t *program.Tracer) {
	p.head("tracer", t.Name, t.Language, t.Description)
	p.needs(t.Needs)
	p.packages(t.Artifact)
	for _, command := range t.Build.Run {
		p.line("\nbuilt by: %s", strings.Join(command, " "))
	}
	if len(t.Wrap) > 0 {
		p.line("\ngoes before the command: %s", strings.Join(t.Wrap, " "))
	}
	if len(t.Args) > 0 {
		p.line("\ngoes after the command: %s", strings.Join(t.Args, " "))
	}
	if len(t.Env)+len(t.Append) > 0 {
		p.line("\nenvironment:")
		p.env("  ", t.Env)
		p.appended("  ", t.Append)
	}
	if len(t.Templates) > 0 {
		p.line("\nfilled in for each run: %s", strings.Join(t.Templates, ", "))
	}
	if len(t.Processes) > 0 {
		p.line("\nprocesses that it brings:")
	}
	for _, b := range t.Processes {
		p.line("  %s (%s, %s): %s", b.Name, broughtRole(b), whereOf(b), strings.Join(b.Run, " "))
	}
	p.rest(program.Values(t, "tracer"))
	p.settings(t.Settings)
}

// worded are the keys of a tracer that its page has words of its own for.
var worded = []string{"language", "description", "needs", "artifact", "build", "wrap", "args", "env", "append", "templates", "processes", "settings"}

// rest prints the other keys as they stand in the file.
func (p *page) rest(keys program.Object) {
	first := "\n"
	for _, one := range keys {
		key := fmt.Sprint(one.Key)
		if slices.Contains(worded, key) {
			continue
		}
		text, err := keys.Text(key)
		p.err = errors.Join(p.err, err)
		p.line("%s%s: %s", first, key, oneLine(text))
		first = ""
	}
}

func (p *page) settings(settings []program.Setting) {
	if len(settings) > 0 {
		p.line("\nsettings:")
	}
	for _, s := range settings {
		p.setting(s)
	}
}

func whereOf(b program.Brought) string {
	where := b.Where()
	if b.Beside {
		where += " each traced process"
	}
	for _, name := range slices.Sorted(maps.Keys(b.Only)) {
		where += fmt.Sprintf(", with %s=%s", name, b.Only[name])
	}
	return where
}

func broughtRole(b program.Brought) string {
	if b.Service != nil {
		return fmt.Sprintf("%s, service %s", b.Role, b.Service.Name)
	}
	return string(b.Role)
}

func (p *page) setting(s program.Setting) {
	if s.Asked {
		p.line("  %s (%s, to be chosen)", s.Name, s.Kind)
	} else {
		p.line("  %s (%s, default %s)", s.Name, s.Kind, s.Default)
	}
	if s.Description != "" {
		p.line("      %s", oneLine(s.Description))
	}
	p.env("      ", s.Env)
	p.appended("      ", s.Append)
	for _, name := range slices.Sorted(maps.Keys(s.Choices)) {
		choice := s.Choices[name]
		p.line("      %s", strings.TrimSuffix(name+": "+oneLine(choice.Description), ": "))
		p.env("          ", choice.Env)
		p.appended("          ", choice.Append)
		if len(choice.Unset) > 0 {
			p.line("          without %s", strings.Join(choice.Unset, ", "))
		}
		if len(choice.Without) > 0 {
			p.line("          these say nothing: %s", strings.Join(choice.Without, ", "))
		}
		if choice.Steps != nil {
			p.line("          steps left: %s", cmp.Or(strings.Join(choice.Steps, ", "), "none"))
		}
	}
}

// What is shown of a workload, and of a service.

func (p *page) workload(w *program.Workload) {
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
	if by := w.Driver.Row(); by.Name != program.Requests {
		p.line("\nit is %s: a load gives %s, rate or duration", by.Name, strings.Join(by.Load, ", "))
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
func ownRate(o program.Operation) string {
	if o.Rate <= 0 {
		return ""
	}
	return " (" + finding.FormatValue(o.Rate, "1/s") + ")"
}

// workOf returns the request of an operation, or the words of its order.
func workOf(w *program.Workload, o program.Operation) string {
	if w.Driver.Row().Generator {
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

func buildNames(w *program.Workload) []string {
	names := []string{}
	for _, tracer := range slices.Sorted(maps.Keys(w.Build)) {
		if tracer == "" {
			tracer = "any other tracer"
		}
		names = append(names, tracer)
	}
	return names
}

func (p *page) service(s *program.Service) {
	p.head("service", s.Name, "", s.Description)
	p.needs(s.Needs)
	p.line("\nrole: %s", s.Process.Role)
	p.line("run: %s", strings.Join(s.Process.Run, " "))
	p.ofSpans(s)
	if s.Hop != nil {
		p.ofSpans(s.Hop)
	}
}

// ofSpans describes a service's work with spans, and its settings.
func (p *page) ofSpans(s *program.Service) {
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
func receives(s *program.Service) []string {
	var out []string
	for _, r := range protocol.Table {
		if _, takes := s.Receives[r.Name]; takes {
			out = append(out, r.Title)
		}
	}
	return out
}

// said lists the counts of spans that a service reports, each once.
func said(s *program.Service) []string {
	var out []string
	for _, one := range s.Says {
		if !slices.Contains(out, one.What) {
			out = append(out, one.What)
		}
	}
	return out
}
