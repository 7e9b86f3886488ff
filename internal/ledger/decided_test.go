package ledger

import (
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// What a tracer leaves out once the traces were there is no loss, as far as it says so; a trace that it kept is to have all its spans.
func TestDecidedByTheTracer(t *testing.T) {
	for _, c := range []struct {
		name             string
		sizes            map[int]int64
		says             uint64
		entries, outcome string
	}{
		{"whole traces", map[int]int64{3: 100}, 2700, "expected=3000 sampled-by-tracer=2700 delivered=300 duplicated=0 unaccounted=0", "nothing-lost"},
		{"it says of fewer", map[int]int64{3: 100}, 2690, "expected=3000 sampled-by-tracer=2690 delivered=300 duplicated=0 unaccounted=10", "spans-lost share=0.03226 unaccounted=10"},
		{"a process without an error left its part out", map[int]int64{3: 90, 2: 10}, 2710,
			"expected=3000 sampled-by-tracer=2700 torn=10 delivered=290 duplicated=0 unaccounted=0", "spans-lost share=0.03333 torn=10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := Run{Phases: []Stretch{phase("json", 1000, traced(record.Shapes{"json": c.sizes}))}, Admitted: record.Admitted{Sampled: &c.says}}
			l := Account("otel", AppToSink, []string{"json"}, Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 3, High: 3, How: Declared}}}, []Run{run})[0]
			if entries(l) != c.entries || outcomes(l) != c.outcome {
				t.Errorf("%s; %s\nwant %s; %s", entries(l), outcomes(l), c.entries, c.outcome)
			}
		})
	}
}
