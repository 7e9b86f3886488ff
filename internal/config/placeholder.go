// Placeholders: {port}, {shop.port}, {sink.otlp.grpc} and the like, filled in by
// the run, and ${env:NAME}, filled in from the environment when a plan is made.

package config

import (
	"fmt"
	"os"
	"slices"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/kubernetes/manifests"
)

// Filling ${env:NAME} into a plan, and remembering what must not be shown.

// filler fills in ${env:NAME} and remembers what must not be shown.
type filler struct {
	variant string
	target  *Plan
	err     error
}

func (f *filler) plan(p *Plan) {
	f.target = p
	for _, marks := range []map[string]string{p.Annotations, p.Labels} {
		for name, text := range marks {
			marks[name] = f.only(name, text)
		}
	}
	for i := range p.Processes {
		process := &p.Processes[i]
		f.all(process.Run)
		f.values(process.Env)
		f.secrets(process.Ready)
		process.Ready = f.fill(process.Ready)
		process.Dir = f.fill(process.Dir)
		process.Manifest = manifests.Rewrite(process.Manifest, f.only)
		for name, text := range process.Templates {
			process.Templates[name] = f.fill(text)
		}
	}
	for _, build := range []program.Build{p.Build, p.Plain} {
		for i := range build.Run {
			f.all(build.Run[i])
		}
		f.values(build.Env)
	}
	f.all(p.Verify)
	f.all(p.Prepare)
	f.all(p.Cleanup)
	f.operations(p.Operations)
	for i := range p.Setup {
		one := &p.Setup[i]
		part := []program.Operation{one.Operation()}
		f.operations(part)
		one.URL, one.Body = part[0].URL, part[0].Body // the headers are a map
	}
	slices.Sort(p.Secrets)
	p.Secrets = slices.Compact(p.Secrets)
}

func (f *filler) operations(operations []program.Operation) {
	for i := range operations {
		o := &operations[i]
		f.secrets(o.URL)
		o.URL = f.fill(o.URL)
		f.values(o.Headers)
		if body := string(o.Body.Bytes); len(program.EnvReferences(body)) > 0 {
			o.Body.Bytes = []byte(program.Replace(body, nil, f.lookup, nil))
		}
		for j := range o.Then {
			step := &o.Then[j]
			part := []program.Operation{{URL: step.URL, Headers: step.Headers, Body: step.Body}}
			f.operations(part)
			step.URL, step.Body = part[0].URL, part[0].Body // the headers are a map
		}
		for j := range o.Mix {
			part := []program.Operation{o.Mix[j].Operation}
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
		if len(program.Placeholders(m[k])) > 0 {
			continue
		}
		if value, err := program.Expand(m[k], nil); err == nil && program.IsSecret(k, value) {
			f.secret(value)
		}
	}
}

// fill puts the environment's values in, protected against the run's Expand.
func (f *filler) fill(text string) string {
	return program.Replace(text, nil, func(name string) string { return program.Literal(f.lookup(name)) }, nil)
}

// only puts the environment's values into a text in which nothing else is filled in.
func (f *filler) only(name, text string) string {
	text = program.Replace(text, nil, f.lookup, nil)
	if program.IsSecret(name, text) {
		f.secret(text)
	}
	return text
}

func (f *filler) lookup(name string) string {
	value, ok := os.LookupEnv(name)
	if !ok && f.err == nil {
		f.err = fmt.Errorf("preparing variant %q: %s", f.variant, program.UnsetText(name))
	}
	f.secret(value)
	return value
}

// secrets remembers the credentials in a URL, before it is filled in.
func (f *filler) secrets(text string) {
	for _, value := range program.URLCredentials(text) {
		f.secret(value)
	}
}

func (f *filler) secret(value string) {
	if len(value) >= program.MinSecret {
		f.target.Secrets = append(f.target.Secrets, value)
	}
}
