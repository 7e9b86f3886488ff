// Random sampling: what may have been lost in whole traces, which nobody can see.

package ledger

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

func unaccounted(l finding.Ledger) finding.Entry {
	for _, e := range l.Entries {
		if e.Name == Unaccounted {
			return e
		}
	}
	return finding.Entry{}
}

// What may be missing is what chance allows at most, less what came; at 100 % and at none it is
// exact, and nothing is between two ends.
func TestWhatChanceMayHide(t *testing.T) {
	rootless := record.Counts{Spans: 120} // ids are not checked, and no root came
	varying := Tracing{Sampling: .1, Spans: map[string]PerOperation{"json": {Low: 2, High: 4, How: Declared}}}
	for _, c := range []struct {
		name      string
		tracing   Tracing
		sink      record.Counts
		admitted  record.Admitted
		low, high int64 // of what is unaccounted for
		says      string
		never     string
	}{
		{"a tenth of the traces lost whole", three(.1), ids(2760, 920), record.Admitted{}, 0, 540, "all kept traces are complete: 920 of 10,000", "nothing lost"},
		{"as many as chance allows at most", three(.1), ids(3300, 1100), record.Admitted{}, 0, 0, "all kept traces are complete: 1,100 of 10,000", "may have been lost"},
		{"traces with holes", three(.1), ids(2970, 1000), record.Admitted{}, 30, 330, "1.00 % lost: 30 unaccounted for; 1,000 of 10,000 traces kept (at 10 % chance allows 903 to 1,100); up to 330 spans (10.0 %) may have been lost in all", "complete"},
		{"dropped, as the tracer admits", three(.1), ids(2940, 980), record.Admitted{Dropped: number(60)}, -60, 300, "2.00 % lost: 60 dropped by the tracer; 980 of", "complete"},
		{"fewer than chance allows", three(.1), ids(2400, 800), record.Admitted{}, 309, 900, "11.4 % lost: 309 unaccounted for, or the sampler keeps fewer traces than asked: only 800", "nothing lost"},
		{"none", three(.1), ids(0, 0), record.Admitted{}, 2709, 3300, "100 % lost: 2,709 unaccounted for, or the sampler keeps fewer", "nothing lost"},
		{"none with a root", three(.1), rootless, record.Admitted{}, 2589, 3180, "lost: 2,589 unaccounted for, or the sampler", "nothing lost"},
		{"none, of a number that may be none", Tracing{Sampling: .1, Spans: map[string]PerOperation{"json": {Low: 0, High: 3, How: Declared}}}, ids(0, 0), record.Admitted{}, 0, 3300, "fewer traces than chance allows, so that some were lost or the sampler keeps fewer than asked: only 0 of 10,000", "nothing lost"},
		{"more than chance allows, with holes", three(.1), ids(3000, 1200), record.Admitted{}, 0, 0, "16.7 % lost: 600 unaccounted for; 1,200 of 10,000 traces kept (at 10 % chance allows 903 to 1,100); more traces than asked for", "complete"},
		{"a number that varies", varying, ids(3000, 1000), record.Admitted{}, -1000, 1400, "1,000 of 10,000 traces kept (at 10 % chance allows 903 to 1,100); up to 1,400 spans (31.8 %) may have been lost in whole traces", "complete"},
		{"every trace", three(1), ids(29999, 10000), record.Admitted{}, 0, 0, "lost: 1 unaccounted for", "whole traces"},
		{"no trace", three(0), ids(0, 0), record.Admitted{}, 0, 0, "nothing lost", "whole traces"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, _ := find(Account("otel", AppToSink, []string{"json"}, c.tracing, []Run{{Phases: []Stretch{phase("json", 10000, c.sink)}, Admitted: c.admitted}}), "json")
			if e := unaccounted(l); e.Low != c.low || e.High != c.high {
				t.Errorf("between %d and %d, want %d and %d", e.Low, e.High, c.low, c.high)
			}
			if !strings.Contains(l.Verdict, c.says) || strings.Contains(l.Verdict, c.never) {
				t.Errorf("%q, want in it %q, and not %q", l.Verdict, c.says, c.never)
			}
			if l.ByChance != (c.tracing.Sampling == .1) {
				t.Errorf("by chance: %t", l.ByChance)
			}
		})
	}
}

// What may have been lost of a number that varies is told of each delivery; what chance may hide
// is not in it.
func TestLostAtMost(t *testing.T) {
	varying := Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 2, High: 4, How: Declared}}}
	failing := phase("json", 1000, ids(2940, 980))
	failing.Completed = 975
	sampled := varying
	sampled.Sampling = .1
	for name, c := range map[string]struct {
		tracing Tracing
		run     Run
		want    Delivery
	}{
		"exact":              {three(1), Run{Phases: []Stretch{phase("json", 1000, ids(2900, 1000))}}, Delivery{3000, 2900, 100}},
		"varies":             {varying, Run{Phases: []Stretch{phase("json", 1000, ids(2900, 1000))}}, Delivery{2900, 2900, 1100}},
		"varies, and less":   {varying, Run{Phases: []Stretch{phase("json", 1000, ids(800, 800))}}, Delivery{2000, 800, 3200}},
		"varies, admitted":   {varying, Run{Phases: []Stretch{phase("json", 1000, ids(2500, 1000))}, Admitted: record.Admitted{Dropped: number(500)}}, Delivery{3000, 2500, 1500}},
		"operations failed":  {three(1), Run{Phases: []Stretch{failing}}, Delivery{2940, 2940, 60}},
		"sampled":            {three(.1), Run{Phases: []Stretch{phase("json", 10000, ids(2760, 920))}}, Delivery{2760, 2760, 0}},
		"sampled, with hole": {three(.1), Run{Phases: []Stretch{phase("json", 10000, ids(2970, 1000))}}, Delivery{3000, 2970, 30}},
		"sampled, varies":    {sampled, Run{Phases: []Stretch{phase("json", 10000, ids(3000, 1000))}}, Delivery{3000, 3000, 1000}},
	} {
		if got := Deliveries(c.tracing, c.run)["json"]; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
