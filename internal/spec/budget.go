// Budgets: what the user is willing to pay, per metric.
package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// limited are the metrics that a budget may name: their short words and their
// names in findings.json. In all of them lower is better.
var limited = map[string]string{
	"cpu": "cpu_per_operation", "lost": "lost_share", "mean": "latency_mean", "latency": "latency_mean",
	"p50": "latency_p50", "p75": "latency_p75", "p90": "latency_p90", "p95": "latency_p95",
	"p99": "latency_p99", "p999": "latency_p999", "max": "latency_max",
	"memory": "memory_peak", "startup": "startup_time",
}

// moreLimited are metrics of findings.json without a short word of their own.
var moreLimited = []string{"cpu_utilisation", "memory_mean", "context_switches", "first_operation_time", "export_bytes_per_operation", metricTimePerCall, "allocation_per_operation"}

func limitedWords() []string {
	words := slices.Collect(maps.Keys(limited))
	words = append(words, slices.Collect(maps.Values(limited))...)
	return append(words, moreLimited...)
}

func (s *source) budget(n *node) []Limit {
	var out []Limit
	for _, e := range s.entries(n, "budget") {
		metric, err := metricOf(e.key)
		if err != nil {
			s.fail(e.at, "%v", err)
			continue
		}
		if slices.ContainsFunc(out, func(l Limit) bool { return l.Metric == metric }) {
			s.fail(e.at, "%s has a limit already", metric)
			continue
		}
		text := s.line(e.value)
		value, err := parseLimit(metric, text)
		if err != nil {
			s.fail(e.value.at, "%v", err)
			continue
		}
		out = append(out, Limit{Metric: metric, Value: value, Text: text})
	}
	return out
}

func metricOf(word string) (string, error) {
	if metric, ok := limited[word]; ok {
		return metric, nil
	}
	if slices.Contains(slices.Collect(maps.Values(limited)), word) || slices.Contains(moreLimited, word) {
		return word, nil
	}
	if nearest(word, limitedWords()) == "" {
		short := slices.Sorted(maps.Keys(limited))
		return "", fmt.Errorf("unknown metric of a budget %q; known are %s, and %s", printable(word), strings.Join(short, ", "), strings.Join(slices.Sorted(slices.Values(moreLimited)), ", "))
	}
	return "", fmt.Errorf("%s", unknown("metric of a budget", printable(word), limitedWords()))
}

// parseLimit reads 5% or 0.05. A bare number above 1 is more likely a forgotten
// % than an increase by that many times.
func parseLimit(metric, text string) (float64, error) {
	v, percent, err := parsePercent(text)
	switch {
	case err != nil:
		return 0, err
	case v < 0:
		return 0, fmt.Errorf("a budget cannot be negative: %s", text)
	case v > 1 && !percent:
		return 0, fmt.Errorf("%s would be %s; write %s%%, or %s if it is meant", text, formatShare(v), text, formatShare(v))
	case v > 1 && metric == limited["lost"]:
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
