// From a variant to what is to be started: everything merged into a Plan.
package spec

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"time"
)

// Plan merges the workload, the variant's tracer with its settings, and the
// variant itself. In the environment of a traced process the later wins:
// workload, tracer, its settings, variant. ${env:NAME} is filled in here; the
// error names those that are not set.
func (e *Experiment) Plan(v Variant) (*Plan, error) {
	t := v.Tracer
	p := &Plan{
		Workload:   e.Workload.Name,
		Variant:    v.Name,
		Operations: cloneOperations(e.Operations),
		Build:      e.Workload.buildFor(t.Name),
		Spans:      declaredSpans(e.Operations, t.Name),
		Admits:     slices.Clone(t.Admits),
		Sampling:   1,
		Settle:     t.Settle,
	}
	added := v.tracerEnv()
	for _, process := range e.Workload.Processes {
		p.Processes = append(p.Processes, process.merged(v, added))
	}
	p.behaviour(v)
	f := filler{variant: v.Name}
	f.plan(p)
	return p, f.err
}

func (w *Workload) buildFor(tracer string) Build {
	b, ok := w.Build[tracer]
	if !ok {
		b = w.Build[""]
	}
	out := Build{Env: maps.Clone(b.Env)}
	for _, command := range b.Run {
		out.Run = append(out.Run, slices.Clone(command))
	}
	return out
}

// tracerEnv is the environment that the tracer and its settings add.
func (v Variant) tracerEnv() map[string]string {
	env := map[string]string{}
	maps.Copy(env, v.Tracer.Env)
	var unset []string
	for _, s := range v.Tracer.Settings {
		set, gone := s.environment(v.Settings[s.Name])
		maps.Copy(env, set)
		unset = append(unset, gone...)
	}
	for _, name := range unset {
		delete(env, name)
	}
	return env
}

// merged is a process as the variant starts it.
func (p Process) merged(v Variant, added map[string]string) Process {
	env := map[string]string{}
	maps.Copy(env, p.Env)
	p.Run = slices.Clone(p.Run)
	if p.Traced {
		maps.Copy(env, added)
		maps.Copy(env, v.Env)
		p.Run = slices.Concat(v.Tracer.Wrap, p.Run, v.Tracer.Args, v.Args)
	}
	p.Env = env
	return p
}

// behaviour works out what the tracer is to do with spans, from its settings.
func (p *Plan) behaviour(v Variant) {
	immediate := false
	for _, s := range v.Tracer.Settings {
		value := v.Settings[s.Name]
		choice := s.Choices[value]
		p.Silent = p.Silent || choice.Silent
		immediate = immediate || choice.Immediate
		switch s.Meaning {
		case "sampling":
			if share, err := parseShare(value); err == nil {
				p.Sampling *= share
			}
		case "delay":
			if d, err := time.ParseDuration(value); err == nil {
				p.Delay = max(p.Delay, d)
			}
		}
	}
	// Without a tracer there are no spans, unless the variant turns on the
	// program's own way of tracing.
	if v.Tracer.Name == NoTracer && len(v.Env) == 0 && len(v.Args) == 0 {
		p.Silent = true
	}
	if immediate || p.Silent {
		p.Delay = 0
	}
}

// declaredSpans are the spans per operation that the workload declares for a
// tracer. A mix has as few as the least and as many as the most of its parts.
func declaredSpans(operations []Operation, tracer string) map[string]Number {
	out := map[string]Number{}
	for _, o := range operations {
		if n, ok := o.declared(tracer); ok {
			out[o.Name] = n
		}
	}
	return out
}

func (o Operation) declared(tracer string) (Number, bool) {
	if len(o.Mix) == 0 {
		n, ok := o.Spans[tracer]
		if !ok && tracer != NoTracer {
			n, ok = o.Spans[""]
		}
		return n, ok
	}
	var all Number
	for i, share := range o.Mix {
		n, ok := share.Operation.declared(tracer)
		if !ok {
			return Number{}, false
		}
		if i == 0 {
			all = n
		}
		all = Number{min(all.Low, n.Low), max(all.High, n.High)}
	}
	return all, true
}

func cloneOperations(operations []Operation) []Operation {
	out := slices.Clone(operations)
	for i := range out {
		out[i].Headers = maps.Clone(out[i].Headers)
		out[i].Mix = slices.Clone(out[i].Mix)
		for j := range out[i].Mix {
			out[i].Mix[j].Operation = cloneOperations([]Operation{out[i].Mix[j].Operation})[0]
		}
	}
	return out
}

// filler fills in ${env:NAME} and remembers what must not be shown.
type filler struct {
	variant string
	target  *Plan
	err     error
}

func (f *filler) plan(p *Plan) {
	f.target = p
	for i := range p.Processes {
		process := &p.Processes[i]
		f.all(process.Run)
		f.values(process.Env)
		f.secrets(process.Ready)
		process.Ready = f.fill(process.Ready)
		process.Dir = f.fill(process.Dir)
	}
	for i := range p.Build.Run {
		f.all(p.Build.Run[i])
	}
	f.values(p.Build.Env)
	f.operations(p.Operations)
	slices.Sort(p.Secrets)
	p.Secrets = slices.Compact(p.Secrets)
}

func (f *filler) operations(operations []Operation) {
	for i := range operations {
		o := &operations[i]
		f.secrets(o.URL)
		o.URL = f.fill(o.URL)
		f.values(o.Headers)
		if len(envReferences(string(o.Body))) > 0 {
			o.Body = []byte(replace(string(o.Body), nil, f.lookup, nil))
		}
		for j := range o.Mix {
			part := []Operation{o.Mix[j].Operation}
			f.operations(part)
			o.Mix[j].Operation = part[0]
		}
	}
}

func (f *filler) all(words []string) {
	for i := range words {
		words[i] = f.fill(words[i])
	}
}

func (f *filler) values(m map[string]string) {
	for k, v := range m {
		m[k] = f.fill(v)
		if !isCredential(k) || len(Placeholders(m[k])) > 0 {
			continue
		}
		if value, err := Expand(m[k], nil); err == nil {
			f.secret(value)
		}
	}
}

// fill puts the environment's values in, protected against the run's Expand.
func (f *filler) fill(text string) string {
	return replace(text, nil, func(name string) string { return literal(f.lookup(name)) }, nil)
}

func (f *filler) lookup(name string) string {
	value, ok := os.LookupEnv(name)
	if !ok && f.err == nil {
		f.err = fmt.Errorf("preparing variant %q: %s", f.variant, unsetText(name))
	}
	f.secret(value)
	return value
}

// secrets remembers the credentials in a URL, before it is filled in.
func (f *filler) secrets(text string) {
	for _, value := range urlCredentials(text) {
		f.secret(value)
	}
}

// minSecret is the shortest value that is kept from being shown: a shorter one
// would be struck out everywhere in the logs.
const minSecret = 4

func (f *filler) secret(value string) {
	if len(value) >= minSecret {
		f.target.Secrets = append(f.target.Secrets, value)
	}
}
