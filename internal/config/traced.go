// Which of a workload's processes a variant is on, and whether what its tracer brings fits there.

package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
)

// everyProcess stands for all processes of the workload, those that are not traced by themselves, such as stores, among them.
const everyProcess = "all"

// readOn reads which processes of the workload a variant is on: names, one name, or all.
func readOn(s *program.Source, n *program.Node, w *program.Workload) []string {
	names := s.Texts(n)
	if n.Kind == program.Scalar && n.Text == everyProcess && !slices.Contains(w.ProcessNames(), everyProcess) {
		return w.ProcessNames()
	}
	if len(names) == 0 && n.Kind != program.Mapping {
		s.Fail(n.At, "on names no process, so that nothing would be traced; name some of %s, or leave it out for all that are traced", strings.Join(w.ProcessNames(), ", "))
	}
	for i, name := range names {
		at := n.At
		if n.Kind == program.List {
			at = n.Items[i].At
		}
		switch {
		case !slices.Contains(w.ProcessNames(), name):
			s.Fail(at, "%s", program.Unknown("process", program.Printable(name), w.ProcessNames()))
		case slices.Contains(names[:i], name):
			s.Fail(at, "process %q is named a second time", name)
		}
	}
	return names
}

// Traces reports whether a process of the workload is one that the variant is on.
func (v Variant) Traces(p program.Process) bool {
	if v.On == nil {
		return p.Traced
	}
	return slices.Contains(v.On, p.Name)
}

// Skips reports whether a variant is on none of the processes that an operation asks, by its own choice (on:).
func (v Variant) Skips(o program.Operation, w *program.Workload) bool {
	if v.On == nil || w == nil || len(w.Processes) == 0 {
		return false
	}
	if len(o.Mix) > 0 {
		return !slices.ContainsFunc(o.Mix, func(share program.Share) bool { return !v.Skips(share.Operation, w) })
	}
	return !v.Traces(o.Owner(w.Processes))
}

// LeavesOut reports whether a variant is not on some of the processes that a tracer would otherwise
// apply to.
func (v Variant) LeavesOut(w *program.Workload) bool {
	return w != nil && slices.ContainsFunc(w.Processes, func(p program.Process) bool { return p.Traced && !v.Traces(p) })
}

// checkFitting complains, at the places of the tracer and of on, where what a variant brings or chooses
// does not go with the workload. A place that is not there is that of the variant.
func checkFitting(s *program.Source, v *Variant, w *program.Workload, tracer, on program.Place) {
	t := v.Tracer
	if v.On != nil && v.Untraced() && !t.Captures() {
		s.Fail(on, "on says which processes are traced, and this variant traces none: give it a tracer, env or args, or leave on out")
	}
	var traced []program.Process
	for _, p := range w.Processes {
		if v.Traces(p) {
			traced = append(traced, p)
		}
	}
	ways := map[string]string{}
	for _, b := range v.Brings() {
		if _, err := b.Limited(v.settingWords()); err != nil {
			s.Fail(tracer, "tracer %s: %v", t.Name, err)
		}
		for _, way := range []struct {
			is   bool
			what string
		}{{b.Out, "what a process calls leaves"}, {b.Between, "all calls go"}} {
			if way.is && ways[way.what] != "" {
				s.Fail(tracer, "tracer %s brings %q and %q, and %s through one of them: choose which by only, in its file", t.Name, ways[way.what], b.Name, way.what)
			} else if way.is {
				ways[way.what] = b.Name
			}
		}
		if slices.Contains(w.ProcessNames(), b.Name) {
			s.Fail(tracer, "tracer %s brings a process called %q, and workload %s has one of that name: call one of them otherwise", t.Name, b.Name, program.Printable(w.Name))
		}
		if slices.ContainsFunc(v.Route(), func(hop program.Process) bool { return hop.Name == b.Name }) {
			s.Fail(tracer, "tracer %s brings a process called %q, and a hop of the variant has that name: give the hop another, such as {%s-hop: {service: …}}", t.Name, b.Name, b.Name)
		}
		if b.Beside && len(traced) == 0 && v.On == nil {
			s.Fail(tracer, "tracer %s brings %q beside each traced process, and workload %s has none: say which with on: [%s]", t.Name, b.Name, program.Printable(w.Name), strings.Join(w.ProcessNames(), ", "))
		}
		if why := w.Refusal("front"); (b.Front || b.Between) && why != "" {
			s.Fail(tracer, "tracer %s brings %q, through which requests go, and %s", t.Name, b.Name, why)
			continue
		}
		if !b.Front && !b.Between && !slices.Contains(b.AllWords(t.Template), program.BesidePrefix+"port") {
			continue
		}
		for _, p := range traced {
			if p.Run != nil && !program.UsesPort(p, w.Processes) {
				s.Fail(tracer, "tracer %s brings %q, which has to know the port of process %q, and that is not told its port by {port}: put {port} into its run or env, or leave it out with on:", t.Name, b.Name, p.Name)
			}
		}
	}
}

// mostNamed is the most processes that a line names; it counts more.
const mostNamed = 8

// Tracing says which processes a variant is on and what its tracer brings, where it chooses some or
// brings any: "on shop, cart; brings proxy in front of each, collector once a run".
func (e *Experiment) Tracing(v Variant) string {
	brought := v.Brings()
	if v.On == nil && len(brought) == 0 {
		return ""
	}
	var on, brings []string
	for _, p := range e.Workload.Processes {
		if v.Traces(p) {
			on = append(on, p.Name)
		}
	}
	whom := "it"
	if len(on) > 1 {
		whom = "each"
	}
	for _, b := range brought {
		where := b.Where()
		if b.Beside {
			where += " " + whom
		}
		brings = append(brings, b.Name+" "+where)
	}
	var parts []string
	switch {
	case len(on) == len(e.Workload.Processes) && len(on) > mostNamed:
		parts = append(parts, fmt.Sprintf("on all %d processes", len(on)))
	case len(on) > mostNamed:
		parts = append(parts, fmt.Sprintf("on %d of %d processes", len(on), len(e.Workload.Processes)))
	case len(on) > 0:
		parts = append(parts, "on "+strings.Join(on, ", "))
	}
	if len(brings) > 0 {
		parts = append(parts, "brings "+strings.Join(brings, ", "))
	}
	return strings.Join(parts, "; ")
}

// Tracers that are part of a program, and programs without a build for them.

// compiled finds built-in workloads without a build for a variant's tracer. What your program is built
// with, nobody here knows.
func (e *Experiment) compiled() []misfit {
	if !e.builtIn() {
		return nil
	}
	var out []misfit
	for _, v := range e.Variants {
		if v.Tracer == nil || !v.Tracer.Compiled {
			continue
		}
		if _, has := e.Workload.Build[v.Tracer.Name]; has {
			continue
		}
		out = append(out, misfit{at: []string{"variants", v.Name, "tracer"}, text: fmt.Sprintf(
			"variant %q: the tracer %s is compiled into a program, and no build of %s has it; %s",
			program.Printable(v.Name), v.Tracer.Name, e.Workload.Name, compiledWith(e.Workload))})
	}
	return out
}

// compiledWith says which tracers there are builds with.
func compiledWith(w *program.Workload) string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(w.Build)), func(name string) bool { return name == "" })
	if len(names) == 0 {
		return "take another tracer, or another workload"
	}
	return "it has builds with " + strings.Join(names, ", ")
}

// Configuration files of OpenTelemetry that a program has of its own: beside one of them
// OpenTelemetry reads no variable, and the spans of a tracer would not come to the sink.

// configFiles are the variables that name such a file. What has EXPERIMENTAL in its name is
// what older versions read: the tracers here ignore it, which its user would not expect.
var configFiles = []string{"OTEL_CONFIG_FILE", "OTEL_EXPERIMENTAL_CONFIG_FILE"}

// configOption is the system property that names one.
var configOption = regexp.MustCompile(`-Dotel\.(experimental\.)?config\.file=`)

// configFiles finds programs with a configuration file of their own that a tracer is attached to.
func (e *Experiment) configFiles() []misfit {
	var out []misfit
	for _, v := range e.Variants {
		if !v.Tracer.ReadsVariables() {
			continue
		}
		for i, p := range e.Workload.Processes {
			if !p.Traced {
				continue
			}
			process := []string{"workload", "processes", program.ItemKey(i)}
			own := maps.Clone(p.Env)
			maps.DeleteFunc(own, func(name, _ string) bool { _, replaced := v.Env[name]; return replaced })
			out = append(out, v.namedIn(own, append(slices.Clone(process), "env"))...)
			out = append(out, v.namedAmong(p.Run, append(slices.Clone(process), "run"))...)
			out = append(out, v.namedAmong(p.Starts, append(slices.Clone(process), "starts"))...)
		}
		out = append(out, v.namedIn(v.Env, []string{"variants", v.Name, "env"})...)
		out = append(out, v.namedAmong(v.Args, []string{"variants", v.Name, "args"})...)
	}
	return out
}

// namedIn finds the configuration files that variables name, by themselves or in options.
func (v Variant) namedIn(env map[string]string, at []string) []misfit {
	var out []misfit
	for _, name := range slices.Sorted(maps.Keys(env)) {
		at := append(slices.Clone(at), name)
		if slices.Contains(configFiles, name) && env[name] != "" {
			out = append(out, v.configFile(name, at))
		} else if option := configOption.FindString(env[name]); option != "" {
			out = append(out, v.configFile(strings.TrimSuffix(option, "="), at))
		}
	}
	return out
}

// namedAmong finds the configuration files that words of a command name.
func (v Variant) namedAmong(words []string, at []string) []misfit {
	var out []misfit
	for i, word := range words {
		if option := configOption.FindString(word); option != "" {
			out = append(out, v.configFile(strings.TrimSuffix(option, "="), append(slices.Clone(at), program.ItemKey(i))))
		}
	}
	return out
}

func (v Variant) configFile(name string, at []string) misfit {
	return misfit{at: at, text: fmt.Sprintf(
		"%s names a configuration file, beside which OpenTelemetry ignores every variable: the spans of variant %q would go where the file says, and not to the sink; leave the file out, or make a variant of your own of it, without tracer %s",
		name, program.Printable(v.Name), v.Tracer.Name)}
}

// CheckKept complains where a variable of the shell is to be kept that names such a file.
func (e *Experiment) CheckKept(name string) error {
	if !slices.Contains(configFiles, name) {
		return nil
	}
	for _, v := range e.Variants {
		if v.Tracer.ReadsVariables() {
			return fmt.Errorf("%s", v.configFile(name, nil).text)
		}
	}
	return nil
}
