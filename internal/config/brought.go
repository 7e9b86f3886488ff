// The processes of a variant as they are started: the workload's, merged with the tracer, its settings and its environment, and
// those that the tracer brings.

package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
)

// placed are the processes of a variant in start order: once-per-run processes; then, per workload process, its sidecars, the
// process, and its front proxies from inner to outer. Stop order is the reverse.
func (e *Experiment) placed(v Variant) ([]program.Process, error) {
	out, err := v.brought("", false)
	if err != nil {
		return nil, err
	}
	added, w := v.tracerEnv(), e.Workload
	if v.Replicas > 0 {
		if w, err = w.Replicated(v.Replicas); err != nil {
			return nil, fmt.Errorf("variant %s: %w", v.Name, err)
		}
	}
	for _, process := range w.Processes {
		on := v.Traces(process)
		process.Protocol = cmp.Or(process.Protocol, e.protocolOf(process))
		if process.InImage() && on && v.Image != "" {
			process.Image = v.Image
		}
		process = inImage(process, w, withParts(e.Operations))
		merged, err := merged(process, v, on, added)
		if err != nil {
			return nil, err
		}
		var around []program.Process
		if on {
			if around, err = v.brought(process.Name, true); err != nil {
				return nil, err
			}
		}
		for i := range around {
			around[i].Host = process.Host // it stands beside it
		}
		for _, p := range around {
			if !p.Placed.Front {
				out = append(out, p)
			}
		}
		out = append(out, merged)
		for _, p := range slices.Backward(around) {
			if p.Placed.Front {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// protocolOf returns the protocol of a process that names none: that of its operations.
func (e *Experiment) protocolOf(p program.Process) string {
	for _, o := range slices.Concat(e.Workload.Operations, withParts(e.Operations)) {
		switch {
		case len(o.Mix) > 0 || o.Method == "" && !o.OverGRPC() || o.Owner(e.Workload.Processes).Name != p.Name:
		case o.OverGRPC():
			return program.GRPC
		default:
			return program.HTTP
		}
	}
	return program.UnknownProtocol
}

// brought are the processes that the variant's tracers bring once a run, or beside one of the workload's.
func (v Variant) brought(of string, beside bool) (out []program.Process, err error) {
	for _, tracer := range v.tracers() {
		for _, b := range tracer.Brings() {
			if b.Beside != beside {
				continue
			}
			p, err := tracer.place(of, b)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
	}
	return out, nil
}

// Brings are the processes that the variant's tracer brings with its settings.
func (v Variant) Brings() []program.Brought {
	return slices.DeleteFunc(slices.Clone(v.Tracer.Processes), func(b program.Brought) bool {
		for name, value := range b.Only {
			if v.Settings[name] != value {
				return true
			}
		}
		return false
	})
}

// place is a process that the tracer brings beside one of the workload's, or once a run. Its name is told apart from
// every name in a file.
func (v Variant) place(of string, b program.Brought) (program.Process, error) {
	words := v.settingWords()
	p, err := b.Limited(words)
	if err != nil {
		return p, fmt.Errorf("tracer %s: %w", v.Tracer.Name, err)
	}
	p.Placed = program.Placed{Name: b.Name, Of: of, Front: b.Front, Out: b.Out, Between: b.Between}
	if of != "" {
		p.Name += "@" + of
	}
	var missing string
	fill := func(text string) string {
		filled, lacks := program.WithSettings(text, words)
		if lacks != "" {
			missing = lacks
		}
		return filled
	}
	p.Run, p.Env = slices.Clone(p.Run), maps.Clone(p.Env)
	for i, word := range p.Run {
		p.Run[i] = fill(word)
	}
	for name, text := range p.Env {
		p.Env[name] = fill(text)
	}
	p.Ready, p.Dir, p.Page, p.Says = fill(p.Ready), fill(p.Dir), fill(b.Metrics), b.Says
	if missing != "" {
		return p, fmt.Errorf("process %s of tracer %s: there is no {%s}", b.Name, v.Tracer.Name, missing)
	}
	p.Templates, err = v.templates(b.Templates)
	return p, err
}

// merged is a process of the workload as the variant starts it.
func merged(p program.Process, v Variant, on bool, tracer added) (program.Process, error) {
	env := map[string]string{}
	maps.Copy(env, p.Env)
	run, starts := p.Run, p.Starts
	p.Run, p.Starts, p.Args, p.Templates = slices.Concat(run, starts), nil, nil, maps.Clone(p.Templates)
	// What a variant leaves out is as untraced as in the baseline.
	p.Off = on && v.Untraced() || !on && p.Traced
	p.Traced = on
	if !on {
		p.Env = env
		return p, nil
	}
	p.Inherit = slices.DeleteFunc(tracer.to(env), func(name string) bool {
		_, said := v.Env[name]
		return said
	})
	maps.Copy(env, v.Env)
	if starts == nil {
		run, starts = nil, run
	}
	p.Run = slices.Concat(run, v.Tracer.Wrap, starts, v.Tracer.Args, v.Args)
	p.Env, p.Page = env, v.Tracer.Metrics
	of, err := v.templates(v.Tracer.Templates)
	for name, text := range of {
		if _, twice := p.Templates[name]; twice {
			return p, fmt.Errorf("the template %s is one of process %s and one of tracer %s: give one of them another name", name, p.Name, v.Tracer.Name)
		}
		if p.Templates == nil {
			p.Templates = map[string]string{}
		}
		p.Templates[name] = text
	}
	return p, err
}

// tracerEnv returns the variables that the tracer and its settings add, in their order.
func (v Variant) tracerEnv() added {
	a := added{set: maps.Clone(v.Tracer.Env), behind: map[string][]string{}}
	if a.set == nil {
		a.set = map[string]string{}
	}
	if injects(v.Inject) {
		maps.Copy(a.set, injectedEnv())
	}
	a.append(v.Tracer.Append)
	var unset []string
	for _, s := range v.Tracer.Settings {
		set, behind, gone := s.Environment(v.Settings[s.Name])
		maps.Copy(a.set, set)
		a.append(behind)
		unset = append(unset, gone...)
	}
	for _, name := range unset {
		delete(a.set, name)
		delete(a.behind, name)
	}
	return a
}

// to changes the environment of a process, and returns the variables that stand behind
// what the shell has, since the process says nothing of them itself.
func (a added) to(env map[string]string) (inherit []string) {
	maps.Copy(env, a.set)
	for name, texts := range a.behind {
		if _, said := env[name]; !said {
			inherit = append(inherit, name)
		}
		if env[name] != "" {
			texts = slices.Insert(slices.Clone(texts), 0, env[name])
		}
		env[name] = strings.Join(texts, program.Between(name))
	}
	slices.Sort(inherit)
	return inherit
}

// added is the change that a tracer and its settings make to a process's environment.
type added struct {
	set    map[string]string   // in the place of what is there
	behind map[string][]string // behind what is there
}

func (a added) append(texts map[string]string) {
	for name, text := range texts {
		if text != "" {
			a.behind[name] = append(a.behind[name], text)
		}
	}
}
