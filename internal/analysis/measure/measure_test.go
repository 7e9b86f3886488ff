package measure

import (
	"testing"

	"github.com/tracetax/tracetax/internal/metric"
)

// What the table says is measured has a reading, and what is read stands in the table.
func TestEveryMetricIsRead(t *testing.T) {
	for _, row := range metric.Table {
		if _, read := readingOf(row); read != (row.In != 0) {
			t.Errorf("%s is measured in %b, and has a reading: %t", row.Name, row.In, read)
		}
	}
	for name := range readings {
		if _, known := metric.Of(name); !known {
			t.Errorf("%s is read, and stands in no table", name)
		}
	}
}

// In every regime there is an answer, and what is drawn over levels is measured.
func TestEveryRegimeHasAHeadline(t *testing.T) {
	for _, how := range []metric.Regimes{metric.Open, metric.Closed, metric.Search, metric.Unthrottled, metric.FixedRate} {
		headlines, has := 0, map[string]bool{}
		for _, m := range All(nil, how) {
			has[m.Name] = true
			if m.Leads {
				headlines++
			}
		}
		if headlines != 1 {
			t.Errorf("regime %d has %d headlines", how, headlines)
		}
		for _, name := range metric.Swept(how) {
			if !has[name] {
				t.Errorf("%s is drawn over levels in regime %d, and not measured there", name, how)
			}
		}
	}
}
