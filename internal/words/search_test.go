package words

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// A search that ends between two rates names both, and which of them passed.
func TestSearchNamesItsBracket(t *testing.T) {
	low, high := 800.0, 840.0
	for _, c := range []struct {
		search finding.Search
		made   record.Capacity
		want   string
	}{
		{finding.Search{Kind: "latency", Goal: "p99 under 20.0 ms", Rate: &finding.Interval{Estimate: 800, Low: &low, High: &high}},
			record.Capacity{Goal: "latency", Method: "staircase", Outcome: record.Found, Rate: 800, Passing: 800, Failing: 840},
			"p99 under 20.0 ms up to 800/s (800 to 840); between 800/s (passed) and 840/s (did not)"},
		{finding.Search{Kind: "cpu", Goal: "75 % of the app's CPU", Rate: &finding.Interval{Estimate: 840, Low: &low, High: &high}},
			record.Capacity{Goal: "cpu", Target: 0.75, Method: "staircase", Outcome: record.Found, Rate: 840, Passing: 800, Failing: 840},
			"75 % of the app's CPU at 840/s (800 to 840); between 800/s (not over it) and 840/s (over it)"},
		{finding.Search{Kind: "cpu", Goal: "75 % of the app's CPU", Rate: &finding.Interval{Estimate: 840, Low: &low, High: &high}},
			record.Capacity{Goal: "cpu", Target: 0.75, Method: "fit", Outcome: record.Found, Rate: 840, Passing: 800, Failing: 840},
			"75 % of the app's CPU at 840/s (800 to 840)"},
	} {
		FillSearch(&c.search, []*record.Capacity{&c.made})
		if c.search.Text != c.want {
			t.Errorf("%q, want %q", c.search.Text, c.want)
		}
	}
}
