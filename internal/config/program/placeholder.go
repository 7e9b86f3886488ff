// Placeholders: {port}, {shop.port}, {sink.otlp.grpc} and the like, filled in by
// the run, and ${env:NAME}, filled in from the environment when a plan is made.

package program

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
		"port", "host", "dir", "tmp", "memory", "build", "workload", "tracer", "process",
		"service", "templates", "tracetax", "packets",
	}, protocol.Placeholders()...)
	valuePlaceholders  = []string{"value", "value.ms", "value.s", "value.ratio", "value.percent"}
	futurePlaceholders = []string{"sink.jaeger"}
)

// A placeholder is a lower-case, possibly dotted word in braces. Everything else in
// braces, such as JSON and the shell's ${HOME}, stays as it is. {{word}} is a literal {word}.
var placeholder = regexp.MustCompile(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}|\$\{[^{}]*\}|\{\{[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)*\}\}|\{([a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)*)\}`)

// Replace calls fill for every {word}, lookup for every ${env:NAME}, and turns {{word}} into
// literal(word). Where one of them is nil, what it is for stays as it is.
func Replace(s string, fill, lookup, literal func(word string) string) string {
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
	out := Replace(s, func(word string) string {
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
				word, Printable(s), Unknown("placeholder", word, known), word)
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
	Replace(s, func(word string) string {
		if !slices.Contains(out, word) {
			out = append(out, word)
		}
		return ""
	}, nil, nil)
	return out
}

// EnvReferences are the names of the ${env:NAME} in s.
func EnvReferences(s string) []string {
	var out []string
	Replace(s, nil, func(name string) string {
		out = append(out, name)
		return ""
	}, nil)
	return out
}

// Literal protects a value that is put into a text which is expanded later.
func Literal(value string) string {
	return Replace(value, func(word string) string { return "{{" + word + "}}" }, nil,
		func(word string) string { return "{{{" + word + "}}}" })
}

// Placeholders complains of words in braces that nothing fills in.
func (s *Source) Placeholders(at Place, text string, known []string) {
	for _, word := range Placeholders(text) {
		switch {
		case slices.Contains(known, word), strings.HasPrefix(word, PortPrefix) && slices.Contains(known, "port"):
		case slices.Contains(futurePlaceholders, word):
			s.Fail(at, "not supported yet: {%s}; Jaeger takes OTLP as well: {sink.otlp.grpc} and {sink.otlp.http}", word)
		case !s.besides(at, word):
			s.Fail(at, "%s (write {{%s}} for the word in braces itself)", Unknown("placeholder", "{"+word+"}", braced(known)), word)
		}
	}
}

// Empty complains of every text below n that names a word for which there is nothing to stand; why says so, and what to do.
func (s *Source) Empty(n *Node, word, why string) {
	if slices.Contains(Placeholders(n.Text), word) {
		s.Fail(n.At, "{%s} stands for nothing here: %s (write {{%s}} for the word in braces itself)", word, why, word)
	}
	for _, item := range n.Items {
		s.Empty(item, word, why)
	}
	for _, e := range n.Entries {
		s.Empty(e.Value, word, why)
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
func (s *Source) environment(at Place, text string) {
	for _, name := range EnvReferences(text) {
		if _, ok := os.LookupEnv(name); ok {
			continue
		}
		s.Fail(at, "%s", UnsetText(name))
	}
}

func UnsetText(name string) string {
	if strings.HasPrefix(name, redactedPrefix) {
		return fmt.Sprintf("a credential was left out here when the file was written; set the environment variable %s to it", name)
	}
	return fmt.Sprintf("the environment variable %s is not set; set it, or write the value here instead of ${env:%s}", name, name)
}

// besides complains, in the place of unknown, of a word about the process beside where there is none, and of one that
// could be of several processes.
func (s *Source) besides(at Place, word string) bool {
	name, _, _ := strings.Cut(word, ".")
	switch {
	case slices.Contains(besidePlaceholders, word):
		s.Fail(at, "{%s} is for a process that a tracer brings and that stands beside another one (beside: true in its tracer.yaml)", word)
	case slices.Contains(s.several, name):
		s.Fail(at, "{%s} says nothing where there is one a run: there is a process %q beside each of the traced ones", word, name)
	default:
		return false
	}
	return true
}

// MinSecret is the shortest value that is kept from being shown: a shorter one
// would be struck out everywhere in the logs.
const MinSecret = 4
