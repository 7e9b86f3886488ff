// Budgets: what the user is willing to pay, per metric.

package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/metric"
)

// limitedNames are the metrics that a budget may name.
func limitedNames() []string { return metric.Where(func(r metric.Row) bool { return r.Limited }) }

// limitedWords are their names, and their short words.
func limitedWords() []string {
	return append(slices.Collect(maps.Keys(metric.Limits())), limitedNames()...)
}

func (s *source) budget(n *node) []Limit {
	var out []Limit
	for _, e := range s.entries(n, "budget") {
		name, err := metricOf(e.key)
		if err != nil {
			s.fail(e.at, "%v", err)
			continue
		}
		if slices.ContainsFunc(out, func(l Limit) bool { return l.Metric == name }) {
			s.fail(e.at, "%s has a limit already", name)
			continue
		}
		text := s.line(e.value)
		value, err := parseLimit(name, text)
		if err != nil {
			s.fail(e.value.at, "%v", err)
			continue
		}
		out = append(out, Limit{Metric: name, Value: value, Text: text})
	}
	return out
}

func metricOf(word string) (string, error) {
	short := metric.Limits()
	if name, ok := short[word]; ok {
		return name, nil
	}
	if slices.Contains(limitedNames(), word) {
		return word, nil
	}
	return "", fmt.Errorf("%s", unknown("metric of a budget", printable(word), limitedWords()))
}

// parseLimit reads 5% or 0.05. A bare number above 1 is more likely a forgotten
// % than an increase by that many times.
func parseLimit(name, text string) (float64, error) {
	v, percent, err := parsePercent(text)
	switch {
	case err != nil:
		return 0, err
	case v < 0:
		return 0, fmt.Errorf("a budget cannot be negative: %s", text)
	case v > 1 && !percent:
		return 0, fmt.Errorf("%s would be %s; write %s%%, or %s if it is meant", text, formatShare(v), text, formatShare(v))
	case v > 1 && name == metric.LostShare:
		return 0, fmt.Errorf("no more than 100%% can be lost: %s", text)
	}
	return v, nil
}

// ParseBudget reads the words of a flag: "cpu=3%,p99=5%,lost=0". Errors name the
// words, not the flag.
func ParseBudget(text string) ([]Limit, error) {
	s := &source{}
	flag := place{flag: quote(text)}
	n := &node{kind: mapping, at: flag}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			s.fail(flag, "%q is not METRIC=SHARE, such as cpu=3%%", printable(part))
			continue
		}
		n.entries = append(n.entries, entry{name, flag, &node{kind: scalar, text: value, at: flag}})
	}
	limits := s.budget(n)
	return limits, s.err()
}
