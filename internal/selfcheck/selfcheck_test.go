package selfcheck

import (
	"math"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
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
		"same again: CPU":        {Again, "cpu_per_operation", 3e-6},
		"same again: latency":    {Again, "latency_p50", -20e-6},
		"same again: memory":     {Again, "memory_mean", 2e6},
		"3 µs of CPU":            {Burn3, "cpu_per_operation", -3e-6}, // all of it is missed
		"73 µs of CPU":           {Burn73, "cpu_per_operation", -5e-6},
		"200 µs, later: CPU":     {Flush200, "cpu_per_operation", -200e-6},
		"200 µs, later: latency": {Flush200, "latency_p90", -100e-6}, // the baseline's carries it
		"1 ms of sleep: latency": {Sleep1, "latency_mean", 150e-6},
		"1 ms of sleep: CPU":     {Sleep1, "cpu_per_operation", 40e-6},
		"50 MB of memory":        {Burn73, "memory_mean", 6e6},
		"5 % of a CPU, idle":     {Idle5, "cpu_per_operation", 5 * 25e-6}, // nothing is taken off for the others' windows
	} {
		s := quiet()
		s.shift = map[string]float64{key(shift.variant, shift.metric): shift.by}
		r := Judge(Full, s.evidence())
		if r.Verdict != Failed {
			t.Errorf("%s: the whole is %s", check, r.Verdict)
		}
		for _, c := range r.Checks {
			if want := c.Name == check || check == "200 µs, later: CPU" && c.Name == "200 µs every 2 s"; (c.Verdict == Failed) != want || (c.Code == Beyond) != want {
				t.Errorf("%s is wrong; %s: %s, %s", check, c.Name, c.Verdict, c.Text)
			}
		}
	}
}

// A noisy machine neither fails nor passes.
func TestNoisyMachineIsInconclusive(t *testing.T) {
	s := quiet()
	s.noise = 200e-6
	r := Judge(Quick, s.evidence())
	if r.Verdict != Inconclusive {
		t.Errorf("the whole is %s", r.Verdict)
	}
	for _, c := range r.Checks {
		if c.Exact && c.Verdict != Passed {
			t.Errorf("%s: %s: noise is no excuse", c.Name, c.Verdict)
		}
		if !c.Exact && (c.Verdict != Inconclusive || c.Code != TooWide) {
			t.Errorf("%s: %s, %s, %s", c.Name, c.Verdict, c.Code, c.Text)
		}
	}
}

// The interval may miss what is known by the tolerance, and must lie within the bound.
func TestEdges(t *testing.T) {
	around := func(centre, reach float64) []float64 {
		var d []float64
		for i := range 16 {
			d = append(d, centre+reach*(float64(i)-7.5)/7.5)
		}
		return d
	}
	for name, test := range map[string]struct {
		centre, reach float64
		want          Code
	}{
		"inside":                {205, 10, Found},
		"at the edge":           {225, 10, Found},
		"too wide":              {200, 100, TooWide},
		"outside, and too wide": {240, 100, TooWide},
		"above":                 {240, 10, Beyond},
		"below":                 {160, 10, Beyond},
		"far off, and too wide": {600, 100, Beyond},
	} {
		c := Check{Known: 200, Tolerance: 20, Bound: 20, Unit: "s"}
		if got := c.judge(around(test.centre, test.reach), 0.995, &finding.Finding{}); got.Code != test.want || (got.Verdict == Passed) != (test.want == Found) || (got.Verdict == Failed) != (test.want == Beyond) {
			t.Errorf("%s: %s, %s (%v to %v), want %s", name, got.Verdict, got.Code, got.Low, got.High, test.want)
		}
	}
}

// What the result itself cannot tell is no failure of the harness; different work is no pass.
func TestWithheld(t *testing.T) {
	s := quiet()
	s.shift = map[string]float64{key(Sleep1, "latency_mean"): 500e-6, key(Idle5, "cpu_per_operation"): 100e-6}
	s.kinds = map[string]finding.Verdict{
		key(Sleep1, "latency_mean"):      {Kind: finding.CannotTell, Text: "cannot tell: the load generator's own lag differs"},
		key(Burn73, "cpu_per_operation"): {Kind: finding.Overloaded, Text: "burn-73 did not hold the rate"},
	}
	e := s.evidence()
	e[Costs].Document.Warnings = []finding.Warning{{Code: "idle-differs"}}
	r := Judge(Full, e)
	for name, code := range map[string]Code{"1 ms of sleep: latency": Withheld, "5 % of a CPU, idle": Withheld, "73 µs of CPU": Overloaded, "3 µs of CPU": Found} {
		if c := judged(t, r, name); c.Code != code {
			t.Errorf("%s: %s, %s, %s", name, c.Verdict, c.Code, c.Text)
		}
	}
	for _, code := range []string{"busy-neighbour", "log-full"} {
		s := quiet()
		s.shift = map[string]float64{key(Burn73, "cpu_per_operation"): -10e-6}
		e := s.evidence()
		e[Costs].Document.Warnings = []finding.Warning{{Code: code}}
		want := map[bool]Code{true: Withheld, false: Beyond}[code == "busy-neighbour"]
		if c := judged(t, Judge(Quick, e), "73 µs of CPU"); c.Code != want {
			t.Errorf("with the warning %s: %s, want %s", code, c.Code, want)
		}
	}
}

func TestTooFewBlocks(t *testing.T) {
	s := quiet()
	s.blocks = 8
	c := judged(t, Judge(Quick, s.evidence()), "73 µs of CPU")
	if c.Verdict != Inconclusive || c.Code != TooFewBlocks || c.Bounded {
		t.Errorf("%+v", c)
	}
}

// What the program logged is what is known, block by block; without a log nothing is.
func TestKnownIsWhatWasLogged(t *testing.T) {
	e := quiet().evidence()
	c := judged(t, Judge(Full, e), "1 ms of sleep: latency")
	if c.Known < 1.1e-3 || c.Known > 1.3e-3 || c.High-c.Low > 20e-6 {
		t.Errorf("the sleep is not taken from its log, block by block: %+v", c)
	}
	if c := judged(t, Judge(Full, e), "5 % of a CPU, idle"); math.Abs(c.Known-25e-6) > 1e-9 {
		t.Errorf("%v s are known, want 5 %% of a window of 500 ms for each of 1,000 operations", c.Known)
	}
	e = quiet().evidence()
	for block, said := range e[Costs].Said[Burn73] {
		said.Burnt = said.Requests * 50_000
		e[Costs].Said[Burn73][block] = said
	}
	if c := judged(t, Judge(Full, e), "73 µs of CPU"); c.Verdict != Failed || c.Code != Wrong {
		t.Errorf("50 µs burnt for 73: %s, %s", c.Verdict, c.Text)
	}
	for variant, name := range map[string]string{Sleep1: c.Name, Burn3: "3 µs of CPU", Idle5: "5 % of a CPU, idle"} {
		e := quiet().evidence()
		delete(e[Costs].Said[variant], 3)
		if c := judged(t, Judge(Full, e), name); c.Verdict != Failed || c.Code != NotLogged {
			t.Errorf("%s without a log: %s, %s", name, c.Verdict, c.Text)
		}
	}
}

// The order that users get is judged, and windows, which are what is left without room.
func TestOrders(t *testing.T) {
	seen := map[config.Order]int{}
	for _, c := range Judge(Full, quiet().evidence()).Checks {
		seen[c.Order]++
	}
	if len(seen) != 2 || seen[config.Windows] == 0 || seen[config.Paired] == 0 {
		t.Errorf("checks by order: %v", seen)
	}
}

// A figure that the report withholds, for what a program did while others had the load, is inconclusive; one that is missing without
// that reason fails.
func TestFigureThatIsWithheld(t *testing.T) {
	for code, want := range map[finding.Code]Code{finding.WhyRestless: Withheld, finding.WhyNoCPU: NotMeasured} {
		e := quiet().evidence()
		for i := range e[Costs].Document.Findings {
			if f := &e[Costs].Document.Findings[i]; f.Variant == Idle5 && f.Metric == "cpu_per_operation" {
				f.Samples = nil
				f.Verdict = finding.Verdict{Kind: finding.CannotTell, Reasons: []finding.Reason{{Code: code}}}
			}
		}
		if c := judged(t, Judge(Quick, e), "5 % of a CPU, idle"); c.Code != want || (c.Verdict == Failed) != (want == NotMeasured) {
			t.Errorf("%s: %s, %s, want %s: %s", code, c.Verdict, c.Code, want, c.Text)
		}
	}
}

// Every exact check fails where what it looks at is off by one, or missing.
func TestExactChecks(t *testing.T) {
	for name, test := range map[string]struct {
		check string
		code  Code
		spoil func(map[string]Evidence)
	}{
		"a span less in the ledger": {"spans lost in the sink", Wrong, ledgerOf(LossySink, ledger.Unaccounted, 59)},
		"a span more in the ledger": {"spans lost in the sink", Wrong, ledgerOf(LossySink, ledger.Unaccounted, 61)},
		"a span of one variant counted for the other": {"spans lost in the sink", Wrong, func(e map[string]Evidence) {
			e[LossySink].Document.Ledgers[1].Entries = []finding.Entry{{Name: ledger.Unaccounted.String(), Spans: 59}}
			e[LossySink].Document.Ledgers[3].Entries = []finding.Entry{{Name: ledger.Unaccounted.String(), Spans: 61}}
		}},
		"nothing thrown away": {"spans lost in the sink", Wrong, func(e map[string]Evidence) {
			for i := range e[LossySink].Records {
				e[LossySink].Records[i].Life.Thrown = 0
			}
		}},
		"another share": {"spans lost in the sink", Wrong, func(e map[string]Evidence) {
			for i := range e[LossySink].Records {
				e[LossySink].Records[i].Life.Spans *= 2
			}
		}},
		"no warning of loss":         {"warning of lost spans", Wrong, silent(LossySink)},
		"a drop not reported":        {"spans dropped, late sink", Wrong, ledgerOf(LateSink, ledger.Dropped, 789)},
		"drops that nobody counts":   {"spans dropped, late sink", Wrong, lateRuns(func(r *record.Record) { r.Tracer = record.Reported{} })},
		"a span that came after all": {"spans dropped, late sink", Wrong, lateRuns(func(r *record.Record) { r.Life.Spans++ })},
		"a span that came twice":     {"spans dropped, late sink", Wrong, lateRuns(func(r *record.Record) { r.Life.Duplicate = 1 })},
		"an operation that failed":   {"spans dropped, late sink", Wrong, lateRuns(func(r *record.Record) { r.Phases[0].Load.Completed-- })},
		"a count beyond, of nothing": {"spans dropped, late sink", Wrong, func(e map[string]Evidence) {
			all := &e[LateSink].Document.Ledgers[1]
			all.Entries = append(all.Entries, finding.Entry{Name: ledger.ReportedBeyond.String(), Spans: 1})
		}},
		"nothing dropped": {"spans dropped, late sink", Wrong, lateRuns(func(r *record.Record) {
			r.Life.Spans, r.Tracer = 1000, record.Reported{}
		})},
		"no warning of drops":          {"warning of drops", Wrong, silent(LateSink)},
		"no warning of late generator": {"warning of lateness", Wrong, silent(LateGenerator)},
		"latency from the late start": {"latency, late generator", Wrong, func(e map[string]Evidence) {
			e[LateGenerator].Document.Findings[0].Samples[0].Value = 0.3e-3
		}},
		"no latency":    {"latency, late generator", Wrong, func(e map[string]Evidence) { e[LateGenerator].Document.Findings = nil }},
		"no experiment": {"spans lost in the sink", NotMeasured, func(e map[string]Evidence) { delete(e, LossySink) }},
		"no costs":      {"73 µs of CPU", NotMeasured, func(e map[string]Evidence) { delete(e, Costs) }},
	} {
		e := quiet().evidence()
		test.spoil(e)
		r := Judge(Quick, e)
		if c := judged(t, r, test.check); c.Verdict != Failed || c.Code != test.code || r.Verdict != Failed {
			t.Errorf("%s: %s is %s (%s, %s), the whole %s", name, c.Name, c.Verdict, c.Code, c.Text, r.Verdict)
		}
	}
}

// lateRuns spoils the traced runs of LateSink.
func lateRuns(spoil func(*record.Record)) func(map[string]Evidence) {
	return func(e map[string]Evidence) {
		for i := range e[LateSink].Records {
			if r := &e[LateSink].Records[i]; r.Variant == traced[0] {
				spoil(r)
			}
		}
	}
}

// The negative control: a drop counter that is three times too high, or too low, fails, though the ledger is made from it by
// the ordinary code and adds up.
func TestWrongDropCounterFails(t *testing.T) {
	spans := map[string]ledger.PerOperation{"json": {Low: 1, High: 1, How: ledger.Declared}, record.ProbeOperation: {How: ledger.Inferred}}
	for factor, want := range map[float64]Verdict{1. / 3: Failed, 1: Passed, 3: Failed} {
		e := quiet().evidence()
		late := e[LateSink]
		var runs []ledger.Run
		for _, r := range runsOf(late.Records, traced[0]) {
			n := uint64(factor * 400)
			r.Tracer = record.Reported{Dropped: &n}
			r.Start.Sink = record.Counts{Spans: 1, Checking: true}
			r.Phases[0].Sink = record.Counts{Spans: r.Life.Spans - 1, Checking: true}
			runs = append(runs, ledger.FromRecord(r))
		}
		late.Document.Ledgers = ledger.Account(traced[0], ledger.AppToSink, []string{"json"}, ledger.Tracing{Sampling: 1, Spans: spans}, runs)
		e[LateSink] = late
		if c := judged(t, Judge(Quick, e), "spans dropped, late sink"); c.Verdict != want || c.Known != 800 {
			t.Errorf("a drop counter %.2g times what was dropped: %+v", factor, c)
		}
	}
}

func ledgerOf(experiment string, f ledger.Fate, spans int64) func(map[string]Evidence) {
	return func(e map[string]Evidence) {
		for _, l := range e[experiment].Document.Ledgers {
			for i := range l.Entries {
				if l.Entries[i].Name == f.String() {
					l.Entries[i].Spans = spans
				}
			}
		}
	}
}

func silent(experiment string) func(map[string]Evidence) {
	return func(e map[string]Evidence) { e[experiment].Document.Warnings = nil }
}
