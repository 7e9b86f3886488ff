package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseBudget(t *testing.T) {
	got, err := ParseBudget("cpu=3%, p99=0.05,lost=0")
	want := []Limit{{"cpu_per_operation", 0.03, "3%"}, {"latency_p99", 0.05, "0.05"}, {"lost_share", 0, "0"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for text, want := range map[string]string{
		"cpu":        `cpu: "cpu" is not METRIC=SHARE, such as cpu=3%`,
		"cqu=3%":     `cqu=3%: unknown metric of a budget "cqu"; did you mean "cpu"?`,
		"cpu=3":      `cpu=3: 3 would be 300%; write 3%, or 300% if it is meant`,
		"p99=x,lost": `p99=x,lost: "lost" is not METRIC=SHARE, such as cpu=3%` + "\n" + `p99=x,lost: "x" is not a share such as 5% or 0.05`,
	} {
		if _, err := ParseBudget(text); err == nil || err.Error() != want {
			t.Errorf("ParseBudget(%q):\n got %v\nwant %s", text, err, want)
		}
	}
}
