// This file chooses what is compared: metric=cpu_per_operation variant=otel*

package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// Filter chooses findings by their words; the zero value chooses all.
type Filter struct {
	text  string
	terms []term
}

// term is one condition: the word must match one of the patterns.
type term struct {
	key      string
	patterns []string
}

// filterKeys are the words of a finding that a filter may name; any other is the
// name of a parameter.
var filterKeys = []string{"metric", "operation", "variant", "role", "service"}

// ParseFilter reads conditions of the form key=pattern, separated by spaces; all
// of them must hold. A pattern may hold * (any characters) and ? (any one), and
// several patterns are separated by commas. Quotes keep spaces and commas in a
// pattern: operation='GET /x'. An empty text chooses all.
func ParseFilter(text string) (Filter, error) {
	f := Filter{text: strings.TrimSpace(text)}
	words, err := filterWords(text)
	if err != nil {
		return Filter{}, fmt.Errorf("reading the filter %q: %w", text, err)
	}
	for _, patterns := range words {
		key, first, found := strings.Cut(patterns[0], "=")
		if !found || key == "" {
			return Filter{}, fmt.Errorf("reading the filter %q: %q is not KEY=PATTERN, such as metric=cpu_per_operation", text, patterns[0])
		}
		f.terms = append(f.terms, term{key, append([]string{first}, patterns[1:]...)})
	}
	return f, nil
}

// filterWords splits text at spaces, and each word at commas; quotes protect both.
func filterWords(text string) (words [][]string, err error) {
	var word []string
	var part strings.Builder
	quote, inWord := rune(0), false
	end := func() { word = append(word, part.String()); part.Reset() }
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			part.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				end()
				words, word, inWord = append(words, word), nil, false
			}
		case r == ',':
			end()
			inWord = true
		default:
			part.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if inWord {
		end()
		words = append(words, word)
	}
	return words, nil
}

// matches reports whether all conditions hold.
func (f Filter) matches(one *finding.Finding) bool {
	return !slices.ContainsFunc(f.terms, func(t term) bool { return !t.matches(one) })
}

// names reports whether a condition is about the word.
func (f Filter) names(key string) bool {
	return slices.ContainsFunc(f.terms, func(t term) bool { return t.key == key })
}

func (t term) matches(f *finding.Finding) bool {
	word := f.Parameter[t.key]
	switch t.key {
	case "metric":
		word = f.Metric
	case "operation":
		word = f.Operation
	case "variant":
		word = f.Variant
	case "role":
		word = f.Role
	case "service":
		word = f.Service
	}
	return slices.ContainsFunc(t.patterns, func(p string) bool { return glob(p, word) })
}

// glob reports whether pattern, with * and ?, matches all of word.
func glob(pattern, word string) bool {
	p, w := []rune(pattern), []rune(word)
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(w) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == w[j]):
			i, j = i+1, j+1
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// choices tells what a filter can choose from.
func (c *comparison) choices() string {
	words := map[string][]string{}
	add := func(key, word string) {
		if word != "" && !slices.Contains(words[key], word) {
			words[key] = append(words[key], word)
		}
	}
	for _, f := range overBaseline(c.in.Base) {
		add("metric", f.Metric)
		add("operation", f.Operation)
		add("variant", f.Variant)
		add("role", f.Role)
		add("service", f.Service)
	}
	var parts []string
	for _, key := range filterKeys {
		if len(words[key]) > 0 {
			parts = append(parts, key+" is one of "+strings.Join(words[key], ", "))
		}
	}
	return strings.Join(parts, "; ")
}
