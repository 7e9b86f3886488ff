package compare

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

func TestFilter(t *testing.T) {
	f := &finding.Finding{Metric: "latency_p99", Operation: "GET /a, b", Variant: "otel-10", Role: "app", Parameter: map[string]string{"connections": "4"}}
	for text, want := range map[string]bool{
		"":                                     true,
		"  ":                                   true,
		"*":                                    true,
		"metric:latency_p99":                   true,
		"metric:/^latency_/":                   true,
		"metric:/p9.$/":                        true,
		"metric:latency":                       false,
		"metric:(cpu_idle OR latency_p99)":     true,
		"metric:/latency/ variant:/otel/":      true,
		"metric:/latency/ variant:none":        false,
		`operation:"GET /a, b"`:                true,
		"operation:/^GET/":                     true,
		"-operation:/^GET/":                    false,
		"role:app":                             true,
		`role:""`:                              false,
		`service:""`:                           true, // a word that it does not have
		"connections:4":                        true,
		"connections:8":                        false,
		`threads:""`:                           true, // a parameter that it does not have
		"variant:otel-10 metric:latency_p99":   true,
		"variant:none OR metric:latency_p99":   true,
		"variant:none AND metric:latency_p99":  false,
		".unit:cpu-sec/op":                     false, // a finding has no units of benchmark lines
		"-(variant:none OR metric:latency_p9)": true,
	} {
		filter, err := ParseFilter(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := filter.matches(f); got != want {
			t.Errorf("%q matches: %v", text, got)
		}
	}
	for _, text := range []string{"metric", "metric=latency_p99", ":x", `metric:"x`, "a:b c", "a:/(/", ","} {
		if _, err := ParseFilter(text); err == nil {
			t.Errorf("%q is a filter", text)
		}
	}
}

// What a filter chooses for its metric gets a verdict; what it merely does not leave out gets none.
func TestFilterNames(t *testing.T) {
	f := &finding.Finding{Metric: "idle_cpu", Operation: "json", Role: "app"}
	for text, want := range map[string]bool{
		"":                              false,
		"*":                             false,
		"operation:json":                false,
		"metric:idle_cpu":               true,
		"metric:/./":                    true,
		"metric:cpu_per_operation":      false,
		"-metric:cpu_per_operation":     false,
		"metric:idle_cpu role:app":      true,
		"metric:idle_cpu role:other":    false,
		"metric:idle_cpu OR role:app":   false, // it is there for its role, too
		"metric:idle_cpu OR role:other": true,
	} {
		filter, err := ParseFilter(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got := filter.names("metric", f); got != want {
			t.Errorf("%q names the metric: %v", text, got)
		}
	}
}

func FuzzFilter(f *testing.F) {
	f.Add(`metric:/^cpu/ operation:("GET /x" OR b)`, "cpu_per_operation")
	f.Add("-(a:b OR c:/d/)", "e")
	f.Fuzz(func(t *testing.T, text, word string) {
		filter, err := ParseFilter(text)
		if err != nil {
			return
		}
		one := &finding.Finding{Metric: word}
		not, err := ParseFilter("-(" + text + ")")
		if strings.Contains(text, ".unit") || strings.TrimSpace(text) == "" || err != nil {
			return // of units there are none, with or without
		}
		if filter.matches(one) == not.matches(one) {
			t.Fatalf("%q and not %q choose the same", text, text)
		}
	})
}
