// This file chooses what is compared: metric:cpu_per_operation variant:/otel/

package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
)

// Filter chooses findings by their words; the zero value chooses all.
type Filter struct {
	text string
	of   *benchproc.Filter // nil chooses all
}

// filterKeys are the words of a finding that a filter may name; any other is the
// name of a parameter.
var filterKeys = []string{"metric", "operation", "variant", "role", "service"}

// ParseFilter reads a filter in benchstat's language (golang.org/x/perf/benchproc/syntax): key:value, key:/regexp/,
// key:(a OR b), -x, and terms side by side that must all hold. An empty text chooses all.
func ParseFilter(text string) (Filter, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Filter{}, nil
	}
	of, err := benchproc.NewFilter(text)
	if err != nil {
		return Filter{}, fmt.Errorf("reading the filter: %w\nwrite KEY:VALUE or KEY:/REGEXP/, such as metric:cpu_per_operation", err)
	}
	return Filter{text, of}, nil
}

// matches reports whether the filter chooses the finding.
func (f Filter) matches(one *finding.Finding) bool { return f.chooses(wordsOf(one)) }

// names reports whether the filter chooses the finding for its value of key, and would not without one.
func (f Filter) names(key string, one *finding.Finding) bool {
	with, without := wordsOf(one), wordsOf(one)
	delete(without, key)
	return f.chooses(with) && !f.chooses(without)
}

func (f Filter) chooses(of map[string]string) bool {
	if f.of == nil {
		return true
	}
	line := &benchfmt.Result{}
	for key, word := range of {
		line.SetConfig(key, word)
	}
	chosen, err := f.of.Match(line)
	return err == nil && chosen.Any() // a line without measurements: a filter of units (.unit) chooses none
}

// wordsOf are the words of a finding by their keys; one that it does not have is not there.
func wordsOf(f *finding.Finding) map[string]string {
	out := map[string]string{}
	for key, value := range f.Parameter {
		out[key] = value
	}
	for i, word := range []string{f.Metric, f.Operation, f.Variant, f.Role, f.Service} {
		out[filterKeys[i]] = word
	}
	return out
}

// choices tells what a filter can choose from.
func (c *comparison) choices() string {
	have := map[string][]string{}
	for _, f := range overBaseline(c.in.Base) {
		for key, word := range wordsOf(f) {
			if word != "" && !slices.Contains(have[key], word) {
				have[key] = append(have[key], word)
			}
		}
	}
	var parts []string
	for _, key := range filterKeys {
		if len(have[key]) > 0 {
			parts = append(parts, key+" is one of "+strings.Join(have[key], ", "))
		}
	}
	return strings.Join(parts, "; ")
}
