package selfcheck

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

func judged(t *testing.T, r *Report, name string) Check {
	t.Helper()
	for _, c := range r.Checks {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no check %q", name)
	return Check{}
}

func TestQuietMachinePasses(t *testing.T) {
	for _, form := range []Form{Quick, Full} {
		r := Judge(form, quiet().evidence())
		if r.Verdict != Passed {
			t.Errorf("%s: %s", form, r.Verdict)
		}
		for _, c := range r.Checks {
			if c.Verdict != Passed {
				t.Errorf("%s: %s: %s, %s", form, c.Name, c.Verdict, c.Text)
			}
		}
	}
}

// A wrong length fails, whichever it is, and no other with it.
func TestWrongLengthFails(t *testing.T) {
	for check, shift := range map[string]struct {
		variant, metric string
		by              float64
	}{
		"same again: CPU":        {Again, "cpu_per_operation", 2e-6}, // far inside the margin, yet none is there
		"same again: latency":    {Again, "latency_p50", -5e-6},
		"same again: memory":     {Again, "memory_mean", 300e3},
		"20 µs of CPU":           {Burn20, "cpu_per_operation", -15e-6},
		"200 µs of CPU":          {Burn200, "cpu_per_operation", -50e-6},
		"200 µs at the flush":    {Flush200, "cpu_per_operation", -200e-6}, // all of it is missed
		"1 ms of sleep: latency": {Sleep, "latency_mean", 150e-6},
		"1 ms of sleep: CPU":     {Sleep, "cpu_per_operation", 40e-6},
		"50 MB of memory":        {Hold, "memory_mean", 6e6},
	} {
		s := quiet()
		s.shift = map[string]float64{key(shift.variant, shift.metric): shift.by}
		r := Judge(Quick, s.evidence())
		if r.Verdict != Failed {
			t.Errorf("%s: the whole is %s", check, r.Verdict)
		}
		for _, c := range r.Checks {
			if want := c.Name == check; (c.Verdict == Failed) != want {
				t.Errorf("%s is wrong; %s: %s, %s", check, c.Name, c.Verdict, c.Text)
			}
		}
	}
}

// A noisy machine cannot tell: it neither fails nor passes, and says how noisy it is.
func TestNoisyMachineCannotTell(t *testing.T) {
	s := quiet()
	s.noise = 60e-6
	r := Judge(Quick, s.evidence())
	if r.Verdict != CannotTell {
		t.Errorf("the whole is %s", r.Verdict)
	}
	for _, name := range []string{"same again: CPU", "20 µs of CPU", "200 µs of CPU", "1 ms of sleep: latency"} {
		c := judged(t, r, name)
		if c.Verdict != CannotTell || !strings.Contains(c.Text, "too noisy: the interval is ±") || !strings.Contains(c.Text, "the margin is ±") {
			t.Errorf("%s: %s, %s", name, c.Verdict, c.Text)
		}
		if c.MoreBlocks <= 0 || !strings.Contains(c.Text, fmt.Sprintf("%d blocks in all would settle it", c.Blocks+c.MoreBlocks)) || !strings.Contains(c.Text, "'tracetax selfcheck --full'") || !strings.Contains(c.Text, "its end is") {
			t.Errorf("%s: it does not say how many blocks settle it, how they are had, and how far the margin's end is: %s", name, c.Text)
		}
	}
	for _, c := range r.Checks {
		if c.Exact && c.Verdict != Passed {
			t.Errorf("%s: %s: noise is no excuse", c.Name, c.Verdict)
		}
	}
}

// An interval that holds the injected overhead but reaches over the margin is no pass,
// nor is one that does not exclude zero.
func TestEdges(t *testing.T) {
	f := &finding.Finding{}
	around := func(centre, reach float64) []float64 {
		var d []float64
		for i := range 16 {
			d = append(d, centre+reach*(float64(i)-7.5)/7.5)
		}
		return d
	}
	for name, test := range map[string]struct {
		check         Check
		centre, reach float64
		want          Verdict
	}{
		"inside":                     {Check{Known: 200, Margin: 20}, 205, 10, Passed},
		"over the upper edge":        {Check{Known: 200, Margin: 20}, 215, 10, CannotTell},
		"over the lower edge":        {Check{Known: 200, Margin: 20}, 185, 10, CannotTell},
		"over both":                  {Check{Known: 200, Margin: 20}, 200, 60, CannotTell},
		"beside it":                  {Check{Known: 200, Margin: 20}, 240, 10, Failed},
		"zero is not excluded":       {Check{Known: 20, Margin: 30}, 10, 18, CannotTell},
		"nothing is there":           {Check{Known: 0, Margin: 20, kind: none}, 1, 10, Passed},
		"something where none is":    {Check{Known: 0, Margin: 20, kind: none}, 12, 10, Failed},
		"too wide to say there's 0":  {Check{Known: 0, Margin: 20, kind: none}, 1, 60, CannotTell},
		"no more than may be":        {Check{Known: 0, Margin: 20, kind: atMost}, 10, 4, Passed},
		"perhaps more than may be":   {Check{Known: 0, Margin: 20, kind: atMost}, 18, 8, CannotTell},
		"certainly more than may be": {Check{Known: 0, Margin: 20, kind: atMost}, 40, 8, Failed},
	} {
		test.check.Unit = "s"
		if got := test.check.judge(around(test.centre, test.reach), 0.99875, f); got.Verdict != test.want {
			t.Errorf("%s: %s (%v to %v), want %s", name, got.Verdict, got.Low, got.High, test.want)
		}
	}
}

// What the result itself calls untold is no failure of the harness; different work
// is no pass.
func TestWithheld(t *testing.T) {
	s := quiet()
	s.shift = map[string]float64{key(Sleep, "latency_mean"): 500e-6}
	s.kinds = map[string]finding.Verdict{
		key(Sleep, "latency_mean"):        {Kind: finding.CannotTell, Text: "cannot tell: the load generator's own lag differs"},
		key(Burn200, "cpu_per_operation"): {Kind: finding.Overloaded, Text: "burn-200 did not hold the rate"},
	}
	r := Judge(Quick, s.evidence())
	for name, word := range map[string]string{"1 ms of sleep: latency": "own lag differs", "200 µs of CPU": "did not hold the rate"} {
		if c := judged(t, r, name); c.Verdict != CannotTell || !strings.Contains(c.Text, word) {
			t.Errorf("%s: %s, %s", name, c.Verdict, c.Text)
		}
	}
}

func TestTooFewBlocks(t *testing.T) {
	s := quiet()
	s.blocks = 8
	c := judged(t, Judge(Quick, s.evidence()), "200 µs of CPU")
	if c.Verdict != CannotTell || c.MoreBlocks != 3 || c.Bounded {
		t.Errorf("%+v", c)
	}
}

func TestSleepIsHeldAgainstItsLog(t *testing.T) {
	e := quiet().evidence()
	c := judged(t, Judge(Quick, e), "1 ms of sleep: latency")
	if c.Known < 1.1e-3 || c.Known > 1.3e-3 || c.High-c.Low > 20e-6 {
		t.Errorf("the sleep is not taken from its log, block by block: %+v", c)
	}
	delete(e[OtherCosts].Slept, 3)
	if c := judged(t, Judge(Quick, e), c.Name); c.Verdict != Failed || !strings.Contains(c.Text, "log") {
		t.Errorf("without a log: %s, %s", c.Verdict, c.Text)
	}
}

// Every exact check fails where what it looks at is off by one, or missing.
func TestExactChecks(t *testing.T) {
	for name, test := range map[string]struct {
		check string
		spoil func(map[string]Evidence)
	}{
		"a span less in the ledger": {"spans lost in the sink", ledgerOf(LossySink, ledger.Unaccounted, 59)},
		"a span more in the ledger": {"spans lost in the sink", ledgerOf(LossySink, ledger.Unaccounted, 61)},
		"nothing thrown away": {"spans lost in the sink", func(e map[string]Evidence) {
			for i := range e[LossySink].Records {
				e[LossySink].Records[i].Life.Thrown = 0
			}
		}},
		"another share": {"spans lost in the sink", func(e map[string]Evidence) {
			for i := range e[LossySink].Records {
				e[LossySink].Records[i].Life.Spans *= 2
			}
		}},
		"no warning of loss":         {"warning of lost spans", silent(LossySink)},
		"a drop not admitted":        {"spans dropped, late sink", ledgerOf(LateSink, ledger.Dropped, 789)},
		"drops that nobody counts":   {"spans dropped, late sink", lateRuns(func(r *record.Record) { r.Tracer = record.Admitted{} })},
		"a span that came after all": {"spans dropped, late sink", lateRuns(func(r *record.Record) { r.Life.Spans++ })},
		"a span that came twice":     {"spans dropped, late sink", lateRuns(func(r *record.Record) { r.Life.Duplicate = 1 })},
		"an operation that failed":   {"spans dropped, late sink", lateRuns(func(r *record.Record) { r.Phases[0].Load.Completed-- })},
		"a count beyond, of nothing": {"spans dropped, late sink", func(e map[string]Evidence) {
			all := &e[LateSink].Document.Ledgers[1]
			all.Entries = append(all.Entries, finding.Entry{Name: ledger.AdmittedBeyond, Spans: 1})
		}},
		"nothing dropped": {"spans dropped, late sink", lateRuns(func(r *record.Record) {
			r.Life.Spans, r.Tracer = 1000, record.Admitted{}
		})},
		"no warning of drops":          {"warning of drops", silent(LateSink)},
		"no warning of late generator": {"warning of lateness", silent(LateGenerator)},
		"latency from the late start": {"latency, late generator", func(e map[string]Evidence) {
			f := &e[LateGenerator].Document.Findings[0]
			f.Samples[0].Value = 0.3e-3
			told(f)
		}},
		"no latency":    {"latency, late generator", func(e map[string]Evidence) { e[LateGenerator].Document.Findings = nil }},
		"no experiment": {"spans lost in the sink", func(e map[string]Evidence) { delete(e, LossySink) }},
		"no costs":      {"200 µs of CPU", func(e map[string]Evidence) { delete(e, Costs) }},
	} {
		e := quiet().evidence()
		test.spoil(e)
		r := Judge(Quick, e)
		if c := judged(t, r, test.check); c.Verdict != Failed || c.Text == "" || c.Text == "found" || r.Verdict != Failed {
			t.Errorf("%s: %s is %s (%s), the whole %s", name, c.Name, c.Verdict, c.Text, r.Verdict)
		}
	}
}

// lateRuns spoils the traced runs of LateSink.
func lateRuns(spoil func(*record.Record)) func(map[string]Evidence) {
	return func(e map[string]Evidence) {
		for i := range e[LateSink].Records {
			if r := &e[LateSink].Records[i]; r.Variant == traced {
				spoil(r)
			}
		}
	}
}

// The negative control: a drop counter that is three times too high, or too low,
// fails, though the ledger is made from it by the ordinary code and adds up.
func TestWrongDropCounterFails(t *testing.T) {
	spans := map[string]ledger.PerOperation{"json": {Low: 1, High: 1, How: ledger.Declared}, record.ProbeOperation: {How: ledger.Inferred}}
	for factor, want := range map[float64]Verdict{1. / 3: Failed, 1: Passed, 3: Failed} {
		e := quiet().evidence()
		late := e[LateSink]
		var runs []ledger.Run
		for i := range late.Records {
			r := &late.Records[i]
			if r.Variant != traced {
				continue
			}
			n := uint64(factor * 400)
			r.Tracer = record.Admitted{Dropped: &n}
			r.Start.Sink = record.Counts{Spans: 1, Checking: true}
			r.Phases[0].Sink = record.Counts{Spans: r.Life.Spans - 1, Checking: true}
			runs = append(runs, ledger.FromRecord(r))
		}
		late.Document.Ledgers = ledger.Account(traced, ledger.AppToSink, []string{"json"}, ledger.Tracing{Sampling: 1, Spans: spans}, runs)
		e[LateSink] = late
		if c := judged(t, Judge(Quick, e), "spans dropped, late sink"); c.Verdict != want || c.Known != 800 {
			t.Errorf("a drop counter %.2g times what was dropped: %+v", factor, c)
		}
	}
}

func ledgerOf(experiment, entry string, spans int64) func(map[string]Evidence) {
	return func(e map[string]Evidence) {
		for _, l := range e[experiment].Document.Ledgers {
			for i := range l.Entries {
				if l.Entries[i].Name == entry {
					l.Entries[i].Spans = spans
				}
			}
		}
	}
}

func silent(experiment string) func(map[string]Evidence) {
	return func(e map[string]Evidence) { e[experiment].Document.Warnings = nil }
}
