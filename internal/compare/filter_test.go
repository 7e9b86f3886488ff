package compare

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

func TestFilter(t *testing.T) {
	f := &finding.Finding{Metric: "latency_p99", Operation: "GET /a, b", Variant: "otel-10", Role: "app", Parameter: map[string]string{"connections": "4"}}
	for text, want := range map[string]bool{
		"":                                     true,
		"  ":                                   true,
		"metric=latency_p99":                   true,
		"metric=latency_*":                     true,
		"metric=*p9?":                          true,
		"metric=*p9":                           false,
		"metric=latency":                       false,
		"metric=cpu*,latency*":                 true,
		"metric=latency* variant=otel*":        true,
		"metric=latency* variant=none":         false,
		"operation='GET /a, b'":                true,
		`operation="GET /a, b",other`:          true,
		"operation=GET*":                       true,
		"role=app":                             true,
		"role=":                                false,
		"connections=4":                        true,
		"connections=8":                        false,
		"threads=":                             true, // a parameter that it does not have
		"variant=*":                            true,
		"variant=**-1*0":                       true,
		"variant=otel-10 metric='latency_p99'": true,
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
	for _, text := range []string{"metric", "=x", "metric='x", "a=b c", ","} {
		if _, err := ParseFilter(text); err == nil {
			t.Errorf("%q is a filter", text)
		}
	}
}

func FuzzFilter(f *testing.F) {
	f.Add("metric=cpu* operation='GET /x',b", "cpu_per_operation")
	f.Add("a=*?*?*b", "aaaab")
	f.Fuzz(func(t *testing.T, text, word string) {
		filter, err := ParseFilter(text)
		if err != nil {
			return
		}
		filter.matches(&finding.Finding{Metric: word})
		if !glob("*", word) || !glob(word+"*", word) && !hasWild(word) {
			t.Fatalf("* does not match %q", word)
		}
	})
}

func hasWild(word string) bool {
	for _, r := range word {
		if r == '*' || r == '?' {
			return true
		}
	}
	return false
}
