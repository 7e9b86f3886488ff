// Placeholders: {port}, {shop.port}, {sink.otlp.grpc} and the like, filled in by
// the run, and ${env:NAME}, filled in from the environment when a plan is made.

package config

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/protocol"
)

// The placeholders that every text to be started with may hold, besides
// {NAME.port} of each process. {value…} is for settings only.
var (
	runPlaceholders = append([]string{
		"port", "dir", "tmp", "build", "workload", "tracer", "process",
		"service", "templates", "tracetax",
	}, protocol.Placeholders()...)
	valuePlaceholders  = []string{"value", "value.ms", "value.s", "value.ratio", "value.percent"}
	futurePlaceholders = []string{"sink.jaeger"}
)

// A placeholder is a lower-case, possibly dotted word in braces. Everything else in
// braces, such as JSON and the shell's ${HOME}, stays as it is. {{word}} is a literal {word}.
var placeholder = regexp.MustCompile(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}|\$\{[^{}]*\}|\{\{[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)*\}\}|\{([a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)*)\}`)

// replace calls fill for every {word}, lookup for every ${env:NAME}, and turns {{word}} into
// literal(word). Where one of them is nil, what it is for stays as it is.
func replace(s string, fill, lookup, literal func(word string) string) string {
	if !strings.Contains(s, "{") {
		return s
	}
	return placeholder.ReplaceAllStringFunc(s, func(found string) string {
		switch {
		case strings.HasPrefix(found, "${env:"):
			if lookup != nil {
				return lookup(found[len("${env:") : len(found)-1])
			}
		case strings.HasPrefix(found, "${"):
		case strings.HasPrefix(found, "{{"):
			if literal != nil {
				return literal(found[2 : len(found)-2])
			}
		case fill != nil:
			return fill(found[1 : len(found)-1])
		}
		return found
	})
}

// Expand fills in the placeholders of s from values, whose keys are the words
// without braces. A word that has no value is an error; the words of request data,
// {data.COLUMN}, and of values taken from answers, {take.NAME}, stay as they are: the load generator fills them in.
func Expand(s string, values map[string]string) (string, error) {
	var missing error
	out := replace(s, func(word string) string {
		value, ok := values[word]
		if !ok && (strings.HasPrefix(word, dataPrefix) || strings.HasPrefix(word, takePrefix)) {
			return "{" + word + "}"
		}
		if !ok && missing == nil {
			known := make([]string, 0, len(values))
			for k := range values {
				known = append(known, k)
			}
			missing = fmt.Errorf("cannot fill in {%s} in %q: %s (write {{%s}} for the word in braces itself)",
				word, printable(s), unknown("placeholder", word, known), word)
		}
		return value
	}, nil, func(word string) string { return "{" + word + "}" })
	if missing != nil {
		return "", missing
	}
	return out, nil
}

// Placeholders are the words in braces that Expand would fill in, each once, in order.
func Placeholders(s string) []string {
	var out []string
	replace(s, func(word string) string {
		if !slices.Contains(out, word) {
			out = append(out, word)
		}
		return ""
	}, nil, nil)
	return out
}

// envReferences are the names of the ${env:NAME} in s.
func envReferences(s string) []string {
	var out []string
	replace(s, nil, func(name string) string {
		out = append(out, name)
		return ""
	}, nil)
	return out
}

// literal protects a value that is put into a text which is expanded later.
func literal(value string) string {
	return replace(value, func(word string) string { return "{{" + word + "}}" }, nil,
		func(word string) string { return "{{{" + word + "}}}" })
}

// placeholders complains of words in braces that nothing fills in.
func (s *source) placeholders(at place, text string, known []string) {
	for _, word := range Placeholders(text) {
		switch {
		case slices.Contains(known, word), strings.HasPrefix(word, PortPrefix) && slices.Contains(known, "port"):
		case slices.Contains(futurePlaceholders, word):
			s.fail(at, "not supported yet: {%s}; Jaeger takes OTLP as well: {sink.otlp.grpc} and {sink.otlp.http}", word)
		case !s.besides(at, word):
			s.fail(at, "%s (write {{%s}} for the word in braces itself)", unknown("placeholder", "{"+word+"}", braced(known)), word)
		}
	}
}

// empty complains of every text below n that names a word for which there is nothing to stand; why says so, and what to do.
func (s *source) empty(n *node, word, why string) {
	if slices.Contains(Placeholders(n.text), word) {
		s.fail(n.at, "{%s} stands for nothing here: %s (write {{%s}} for the word in braces itself)", word, why, word)
	}
	for _, item := range n.items {
		s.empty(item, word, why)
	}
	for _, e := range n.entries {
		s.empty(e.value, word, why)
	}
}

// PortPrefix begins the words for more ports of a process: {port.metrics} is one of its own, beside {port}.
const PortPrefix = "port."

func braced(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "{" + w + "}"
	}
	return out
}

// redactedPrefix begins the name of the variable that stands for a credential
// which was left out of a resolved file.
const redactedPrefix = "REDACTED_"

// environment complains of ${env:NAME} that are not set.
func (s *source) environment(at place, text string) {
	for _, name := range envReferences(text) {
		if _, ok := os.LookupEnv(name); ok {
			continue
		}
		s.fail(at, "%s", unsetText(name))
	}
}

func unsetText(name string) string {
	if strings.HasPrefix(name, redactedPrefix) {
		return fmt.Sprintf("a credential was left out here when the file was written; set the environment variable %s to it", name)
	}
	return fmt.Sprintf("the environment variable %s is not set; set it, or write the value here instead of ${env:%s}", name, name)
}

// besides complains, in the place of unknown, of a word about the process beside where there is none, and of one that
// could be of several processes.
func (s *source) besides(at place, word string) bool {
	name, _, _ := strings.Cut(word, ".")
	switch {
	case slices.Contains(besidePlaceholders, word):
		s.fail(at, "{%s} is for a process that a tracer brings and that stands beside another one (beside: true in its tracer.yaml)", word)
	case slices.Contains(s.several, name):
		s.fail(at, "{%s} says nothing where there is one a run: there is a process %q beside each of the traced ones", word, name)
	default:
		return false
	}
	return true
}

// Filling ${env:NAME} into a plan, and remembering what must not be shown.

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
		for name, text := range process.Templates {
			process.Templates[name] = f.fill(text)
		}
	}
	for _, build := range []Build{p.Build, p.Plain} {
		for i := range build.Run {
			f.all(build.Run[i])
		}
		f.values(build.Env)
	}
	f.all(p.Verify)
	f.all(p.Prepare)
	f.all(p.Cleanup)
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
		for j := range o.Then {
			step := &o.Then[j]
			part := []Operation{{URL: step.URL, Headers: step.Headers, Body: step.Body}}
			f.operations(part)
			step.URL, step.Body = part[0].URL, part[0].Body // the headers are a map
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
		if len(Placeholders(m[k])) > 0 {
			continue
		}
		if value, err := Expand(m[k], nil); err == nil && IsSecret(k, value) {
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
