package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseBudget(t *testing.T) {
	got, err := ParseBudget("cpu=3%, p99=0.05,lost=0,p50=2ms,memory=5MB")
	want := []Limit{
		{Metric: "cpu_per_operation", Value: 0.03, Text: "3%"}, {Metric: "latency_p99", Value: 0.05, Text: "0.05"}, {Metric: "lost_share", Text: "0"},
		{Metric: "latency_p50", Value: 0.002, Unit: "s", Text: "2ms"}, {Metric: "memory_peak", Value: 5e6, Unit: "bytes", Text: "5MB"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for text, want := range map[string]string{
		"cpu":        `cpu: "cpu" is not METRIC=SHARE, such as cpu=3%`,
		"cqu=3%":     `cqu=3%: unknown metric of a budget "cqu"; did you mean "cpu"?`,
		"lost=2ms":   `lost=2ms: "2ms" is not a share such as 5% or 0.05`,
		"p99=5MB":    `p99=5MB: "5MB" is not a share such as 5% or 0.05, nor a duration such as 20ms`,
		"memory=5s":  `memory=5s: "5s" is not a share such as 5% or 0.05, nor a size such as 5MB`,
		"cpu=3":      `cpu=3: 3 would be 300%; write 3%, or 300% if it is meant`,
		"p99=x,lost": `p99=x,lost: "lost" is not METRIC=SHARE, such as cpu=3%` + "\n" + `p99=x,lost: "x" is not a share such as 5% or 0.05, nor a duration such as 20ms`,
	} {
		if _, err := ParseBudget(text); err == nil || err.Error() != want {
			t.Errorf("ParseBudget(%q):\n got %v\nwant %s", text, err, want)
		}
	}
}
