// Spans: what is meant to be delivered, and what a calibration tells.

package analysis_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

func TestSilentVariant(t *testing.T) {
	s := twoVariants()
	s.plan = func(p *config.Plan) { p.Silent = true }
	s.change = func(r *record.Record) { r.Phases[0].Sink = record.Counts{Checking: true} }
	doc := analyse(t, s.input())
	for _, metric := range []string{"delivered_share", "cpu_per_span", "export_bytes_per_operation"} {
		if f, ok := look(doc, "json", "otel", "none", metric, ""); ok {
			t.Errorf("%s of a variant that is meant to deliver nothing: %+v", metric, f)
		}
	}
	if last := doc.Ledgers[1]; last.Outcome[0].Code != finding.PageNotExported || last.LostMost != 0 || len(doc.Lossy) > 0 {
		t.Errorf("%+v; lost %+v", last, doc.Lossy)
	}
}

// Calibrations tell what is not declared, also of another variant of the tracer;
// they enter no estimate.
func TestCalibration(t *testing.T) {
	s := twoVariants()
	s.variants = append(s.variants, actor{name: "half", tracer: "otel-go", adds: 10e-6, spans: 3})
	s.plan = func(p *config.Plan) { p.Spans = nil }
	in := s.input()
	calibration := in.Records[1]
	calibration.Kind, calibration.Block = record.Calibration, 0
	in.Records = append(in.Records, calibration)
	doc := analyse(t, in)
	if f := get(t, doc, "json", "otel", "cpu_per_operation"); f.Blocks != 10 {
		t.Errorf("%d blocks", f.Blocks)
	}
	for _, l := range doc.Ledgers {
		if l.Variant != "none" && (l.Entries[0].How != "inferred" || l.Outcome[0].Code != finding.PageNothingLost || !l.Exact) {
			t.Errorf("%+v", l)
		}
	}
}

// A tracer whose requests reach the sink tells how many it makes; through a hop they are the hop's.
func TestExportRequests(t *testing.T) {
	s := twoVariants()
	s.change = func(r *record.Record) { r.Phases[0].Sink.Requests = r.Phases[0].Load.Started / 4 }
	if f := get(t, analyse(t, s.input()), "json", "otel", "export_requests_per_operation"); f.Value != 0.25 || f.Verdict.Kind != "" {
		t.Errorf("%+v, want 0.25 requests an operation, without a verdict", f)
	}
	s.change = func(r *record.Record) {
		r.Phases[0].Sink.Requests = r.Phases[0].Load.Started / 4
		if r.Variant == "otel" {
			r.Hops = []record.Hop{{Name: "collector"}}
		}
	}
	if f, ok := look(analyse(t, s.input()), "json", "otel", "none", "export_requests_per_operation", ""); ok {
		t.Errorf("requests of a hop are shown as the tracer's: %+v", f)
	}
}

// What traces tell of the number of spans, where the workload does not declare it.

// learntScene is an experiment in which a calibration of 20 operations saw 3 spans each, beside a
// timer's; seen is what the sink counted of 10,000 operations of otel.
func learntScene(seen func(*record.Counts)) analysis.Input {
	s := twoVariants()
	s.plan = func(p *config.Plan) { p.Spans = map[string]program.Number{} }
	s.change = onlyRuns("otel", func(r *record.Record) { seen(&r.Phases[0].Sink) })
	calibration := counts(record.Shapes{"GET /": {3: 20}, "tick": {1: 7}})
	s.extra = []record.Record{{
		Schema: record.Schema, Kind: record.Calibration, Variant: "otel", Life: calibration,
		Phases: []record.Phase{{Operation: "json", Quiet: true, Load: record.Load{Started: 20, Completed: 20}, Sink: calibration}},
	}}
	return s.input()
}

// counts is what a checking sink counts of such traces.
func counts(shapes record.Shapes) record.Counts {
	c := record.Counts{Checking: true, Shapes: shapes}
	for root := range shapes {
		traces, spans := shapes.Traces(root)
		c.Traces, c.Roots, c.Spans = c.Traces+uint64(traces), c.Roots+uint64(traces), c.Spans+uint64(spans)
	}
	return c
}

func TestCountedAgainstWhatWasLearnt(t *testing.T) {
	for name, c := range map[string]struct {
		seen              func(*record.Counts)
		exact             bool
		lost, most        float64 // shares of the spans
		other             int64   // spans of other work, of 10 runs
		unchecked, warned bool
	}{
		"all came": {
			seen:  func(c *record.Counts) { *c = counts(record.Shapes{"GET /": {3: 10000}}) },
			exact: true,
		},
		"some operations make fewer, which 20 did not show": {
			seen: func(c *record.Counts) { *c = counts(record.Shapes{"GET /": {3: 9600, 1: 400}}) },
			most: 800. / 30000,
		},
		"some make more": {
			seen: func(c *record.Counts) { *c = counts(record.Shapes{"GET /": {3: 9600, 5: 400}}) },
			most: 0.0014, // as rare as they came in all runs, a few more may have lost theirs
		},
		"losses that a timer's spans make up for": {
			seen: func(c *record.Counts) {
				*c = counts(record.Shapes{"GET /": {3: 5000, 2: 5000}, "tick": {1: 5000}})
				c.Absent, c.Orphans = 5000, 5000
			},
			exact: true, lost: 5000. / 30000, most: 5000. / 30000, other: 50000, warned: true,
		},
		"ids that nobody looked at": {
			seen:      func(c *record.Counts) { *c = record.Counts{Spans: 30000, Roots: 10000} },
			unchecked: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc := analyse(t, learntScene(c.seen))
			var l finding.Ledger
			for _, one := range doc.Ledgers {
				if one.Operation == "json" && one.Variant == "otel" {
					l = one
				}
			}
			near := func(a, b float64) bool { return a-b < 5e-5 && b-a < 5e-5 }
			if l.Exact != c.exact || !near(l.LostShare, c.lost) || !near(l.LostMost, c.most) || ledger.Spans(l, ledger.Background) != c.other || (l.Unchecked > 0) != c.unchecked {
				t.Errorf("%+v\nwant exact %t, lost %g to %g, %d of other work, unchecked %t", l, c.exact, c.lost, c.most, c.other, c.unchecked)
			}
			if warned(doc, "spans-unaccounted") != c.warned {
				t.Errorf("warned of losses: %t, want %t", !c.warned, c.warned)
			}
		})
	}
}

// A limit on what is lost is kept for sure only where somebody looked at the ids: otherwise duplicates may make up for
// what was lost.
func TestLostBudgetOfUncheckedSpans(t *testing.T) {
	for name, c := range map[string]struct {
		seen func(*record.Counts)
		want finding.Kind
	}{
		"checked":   {func(c *record.Counts) { *c = counts(record.Shapes{"GET /": {3: 10000}}) }, finding.Within},
		"unchecked": {func(c *record.Counts) { *c = record.Counts{Spans: 30000, Roots: 10000} }, finding.CannotTell},
	} {
		in := learntScene(c.seen)
		in.Experiment.Budget = []config.Limit{{Metric: metric.LostShare, Value: 0.01}}
		for _, f := range analyse(t, in).Findings {
			if f.Metric == metric.DeliveredShare && f.Variant == "otel" && f.Verdict.Kind != c.want {
				t.Errorf("%s: %s, %s", name, f.Verdict.Kind, f.Verdict.Text)
			}
		}
	}
}

// 30 µs are added by each operation, and one trace in ten is kept: 300 µs for one that is kept.
func TestPerKeptTrace(t *testing.T) {
	s := twoVariants()
	s.change = onlyRuns("otel", func(r *record.Record) {
		p := &r.Phases[0]
		all := p.Sink.Spans
		kept := p.Load.Started / 10
		p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = 3*kept, kept, kept
		warm, none := r.Phases[0].WarmupSink.Spans, uint64(0)
		hop := record.Hop{Name: "tail", Received: new(uint64), Sampled: new(uint64), Dropped: &none, Failed: &none, Sent: new(uint64), Kept: &kept}
		*hop.Received, *hop.Sampled, *hop.Sent = all+warm, all-3*kept, 3*kept+warm
		p.Hops, r.Hops = []record.Hop{hop}, []record.Hop{hop}
	})
	doc := analyse(t, s.input())
	if f := get(t, doc, "json", "otel", metric.KeptShare); math.Abs(float64(f.Value)-.1) > 1e-3 || f.Baseline != 0 {
		t.Errorf("a tenth is kept: %+v", f)
	}
	if f := get(t, doc, "json", "otel", metric.CPUPerKeptTrace); *f.Absolute.Low > 300e-6 || *f.Absolute.High < 300e-6 || f.Relative != nil {
		t.Errorf("30 µs over a tenth: %+v", f.Absolute)
	} else if f.Note != "added CPU over the traces that came" || !tells(f.Notes, finding.NotePerTrace) {
		t.Errorf("what it is over: %q, %+v", f.Note, f.Notes)
	}
	doc = analyse(t, twoVariants().input())
	for _, name := range []string{metric.KeptShare, metric.CPUPerKeptTrace} {
		if f, has := look(doc, "json", "otel", "none", name, ""); has {
			t.Errorf("%s though all are kept: %+v", name, f)
		}
	}
	s.change = onlyRuns("otel", func(r *record.Record) {
		p := &r.Phases[0]
		p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = p.Sink.Spans/10, p.Sink.Roots/10, p.Sink.Traces/10
	})
	doc = analyse(t, s.input())
	for _, name := range []string{metric.KeptShare, metric.CPUPerKeptTrace} {
		if f, has := look(doc, "json", "otel", "none", name, ""); has {
			t.Errorf("%s of a tracer that throws traces away: %+v", name, f)
		}
	}
}

// A tenth of the traces is kept behind a hop, and of what it passes on a tenth is lost: that is the window's loss too, and
// what was left out on purpose was not to come. Of what the phase lost the warm-up has its part.
func TestLossBehindATailSampler(t *testing.T) {
	for name, warm := range map[string]uint64{"no warm-up": 0, "as many in the warm-up": 1} {
		s := twoVariants()
		s.change = onlyRuns("otel", func(r *record.Record) {
			p, none := &r.Phases[0], uint64(0)
			made, kept := p.Sink.Spans, p.Sink.Spans/10
			p.Sink.Spans = kept - kept/10
			if warm > 0 {
				p.Warmup, p.WarmupSink = p.Load, p.Sink
			}
			times := 1 + warm
			hop := record.Hop{Name: "tail", Received: new(uint64), Sampled: new(uint64), Dropped: &none, Failed: &none, Sent: new(uint64)}
			*hop.Received, *hop.Sampled, *hop.Sent = times*made, times*(made-kept), times*kept
			p.Hops, r.Hops = []record.Hop{hop}, []record.Hop{hop}
		})
		doc := analyse(t, s.input())
		if len(doc.Lossy) != 1 || math.Abs(doc.Lossy[0].LostShare-.1) > 1e-9 || doc.Lossy[0].Part != "in the window" || doc.Lossy[0].Spans != 3000 {
			t.Errorf("%s: a tenth of what was kept is lost, and excluded from the ranking is %+v", name, doc.Lossy)
		}
	}
}

// No share is kept where nothing decides on traces, or an operation begins several: that some have none may have another cause.
func TestNoShareIsKept(t *testing.T) {
	keeps := func(s scene) bool {
		_, has := look(analyse(t, s.input()), "json", "otel", "none", metric.KeptShare, "")
		return has
	}
	few := func(per uint64) func(*record.Record) { // two in five are kept
		return onlyRuns("otel", func(r *record.Record) {
			p := &r.Phases[0]
			traces := p.Load.Started * 2 / 5 * per
			p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = 3*traces/per, traces, traces
		})
	}
	s := twoVariants()
	s.change = onlyRuns("otel", func(r *record.Record) {
		p := &r.Phases[0]
		p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = p.Sink.Spans-3, p.Sink.Roots-1, p.Sink.Traces-1
	})
	if keeps(s) {
		t.Error("though one request has failed, and nothing decides")
	}
	s = twoVariants()
	s.change, s.plan = few(1), func(p *config.Plan) { p.Sampling = 0.4 }
	if !keeps(s) {
		t.Error("two in five are sampled, and nothing is told")
	}
	s.change = few(2)
	counts := record.Counts{Spans: 60, Roots: 40, Traces: 40, Checking: true}
	s.extra = []record.Record{{Schema: record.Schema, Kind: record.Calibration, Variant: "otel", Life: counts, Phases: []record.Phase{{
		Operation: "json", Quiet: true, Load: record.Load{Intended: 20, Started: 20, Completed: 20}, Sink: counts,
	}}}}
	if keeps(s) {
		t.Error("of operations that begin two traces each")
	}
}

// Operations that were to be traced and of which no span came: which they are, why, and what
// is told of them.

// dark makes no span come of otel, and has its runs changed further.
func dark(change func(*record.Record)) scene {
	s := twoVariants()
	provocation("nothing-traced")(&s)
	before := s.change
	s.change = func(r *record.Record) {
		before(r)
		if r.Variant == "otel" {
			change(r)
		}
	}
	s.design = func(e *config.Experiment) { e.Variants[1].Tracer.Language = "python" }
	told := s.plan
	s.plan = func(p *config.Plan) {
		told(p)
		if p.Variant == "otel" {
			p.Processes = []program.Process{{Name: "app", Traced: true, Env: map[string]string{"ENDPOINT": "{sink.otlp.grpc}"}}}
		}
	}
	return s
}

func TestCausesOfNoSpans(t *testing.T) {
	type causes = []finding.NoSpanBy
	process := func(p record.ProcessSigns) func(*record.Record) {
		p.Process = "app"
		return func(r *record.Record) { r.Signs = &record.Signs{Processes: []record.ProcessSigns{p}} }
	}
	counts := func(c record.Counts) func(*record.Record) {
		return func(r *record.Record) {
			r.Life, r.Signs = c, &record.Signs{Connections: 1, Processes: []record.ProcessSigns{{Process: "app", Programs: []string{"python3.11"}, Loaded: 1}}}
		}
	}
	for name, c := range map[string]struct {
		change func(*record.Record)
		want   causes // over ten runs
	}{
		"nobody looked":                      {func(*record.Record) {}, nil},
		"a program of another language":      {process(record.ProcessSigns{Programs: []string{"shop"}}), causes{{Cause: finding.OtherLanguage, Count: 10, Of: 10, Names: []string{"shop"}}}},
		"one of two programs was not told":   {process(record.ProcessSigns{Programs: []string{"sh", "python3"}, Lacking: 1}), causes{{Cause: finding.NotInherited, Count: 10, Of: 20}}},
		"it is loaded and has nothing to do": {process(record.ProcessSigns{Programs: []string{"python3"}, Loaded: 1}), causes{{Cause: finding.NotInstrumented, Count: 10, Of: 10}}},
		"nothing is seen of it":              {process(record.ProcessSigns{Programs: []string{"python3"}}), causes{{Cause: finding.NotConnected, Count: 10}}},
		"it could not be loaded": {process(record.ProcessSigns{Programs: []string{"python3"}, Log: []record.LogSign{{Cause: record.TracerFailed, Lines: 2, Last: "No module"}}}),
			causes{{Cause: finding.TracerFailed, Count: 20, Process: "app", Log: "No module"}}},
		"it could not send": {process(record.ProcessSigns{Programs: []string{"python3"}, Loaded: 1, Log: []record.LogSign{{Cause: record.ExportFailed, Lines: 3, Last: "\x1b[31mUNAVAILABLE"}}}),
			causes{{Cause: finding.ExportFailed, Count: 30, Process: "app", Log: "UNAVAILABLE"}}},
		"its own word of failed exports": {func(r *record.Record) { n := uint64(7); r.Tracer.Failed = &n }, causes{{Cause: finding.ExportFailed, Count: 70}}},
		"its own word of drops":          {func(r *record.Record) { n := uint64(7); r.Tracer.Dropped = &n }, causes{{Cause: finding.Dropped, Count: 70}}},
		"refused":                        {counts(record.Counts{Malformed: 3, Rejected: 2}), causes{{Cause: finding.Refused, Count: 50}}},
		"refused, with what it was told": {counts(record.Counts{Malformed: 3, Refusals: map[string]uint64{"415 Unsupported Media Type: br": 2, "404 Not Found: x": 1}}),
			causes{{Cause: finding.Refused, Count: 30, Log: "415 Unsupported Media Type: br"}}},
		"a hop could not pass them on": {func(r *record.Record) {
			r.Signs = &record.Signs{Hops: []record.ProcessSigns{{Process: "collector", Log: []record.LogSign{{Cause: record.ExportFailed, Lines: 2, Last: "code = Unimplemented"}}}}}
		}, causes{{Cause: finding.ExportFailed, Count: 20, Process: "collector", Log: "code = Unimplemented"}}},
		"metrics only":     {counts(record.Counts{Requests: 4, Metrics: 9}), causes{{Cause: finding.OtherSignals, Count: 90}}},
		"another protocol": {counts(record.Counts{}), causes{{Cause: finding.NotUnderstood, Count: 10}}},
		"a backend, to which it may have connected": {func(r *record.Record) {
			process(record.ProcessSigns{Programs: []string{"python3"}})(r)
			r.Signs.Connections, r.Backend = 1, &record.Backend{Name: "store"}
		}, nil},
		"polls for settings": {counts(record.Counts{Requests: 4}), causes{{Cause: finding.Empty, Count: 40}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := dark(c.change)
			doc := analyse(t, s.input())
			u := doc.UntracedAt("otel", "")
			if u == nil || u.Operations == 0 || doc.UntracedAt("otel", "json") == nil {
				t.Fatalf("%+v", doc.Untraced)
			}
			got := slices.Clone(u.Causes)
			for i := range got {
				if got[i].Text == "" {
					t.Errorf("%s has no words", got[i].Cause)
				}
				got[i].Text = ""
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNobodyIsToldOfTheSink(t *testing.T) {
	s := dark(func(*record.Record) {})
	s.plan = func(p *config.Plan) { p.Spans, p.Processes = nil, []program.Process{{Name: "app", Traced: true}} }
	u := analyse(t, s.input()).UntracedAt("otel", "")
	if u == nil || len(u.Causes) != 1 || u.Causes[0].Cause != finding.NotTold {
		t.Errorf("%+v", u)
	}
}

// What came in the calibration alone came of nothing that is compared. It is expected, so that
// the ledger misses it.
func TestSpansOfTheCalibrationOnly(t *testing.T) {
	s := dark(func(*record.Record) {})
	counts := record.Counts{Spans: 60, Roots: 20, Traces: 20, Checking: true}
	s.extra = []record.Record{{Schema: record.Schema, Kind: record.Calibration, Variant: "otel", Life: counts, Phases: []record.Phase{{
		Operation: "json", Quiet: true, Load: record.Load{Intended: 20, Started: 20, Completed: 20}, Sink: counts,
	}}}}
	u := analyse(t, s.input()).UntracedAt("otel", "")
	if u == nil || len(u.Causes) != 1 || u.Causes[0].Cause != finding.OnlyBefore || u.Causes[0].Count != 60 {
		t.Errorf("%+v", u)
	}
}

// Other operations made spans: the tracer is there.
func TestCauseBesideTracedOperations(t *testing.T) {
	s := twoVariants()
	provocation("no-spans")(&s)
	doc := analyse(t, s.input())
	u := doc.UntracedAt("otel", "dark")
	if u == nil || doc.IsUntraced("otel", "") || doc.IsUntraced("otel", "json") {
		t.Fatalf("%+v", doc.Untraced)
	}
	if len(u.Causes) != 1 || u.Causes[0].Cause != finding.NotInstrumented || u.Causes[0].Count == 0 || !slices.Equal(u.Causes[0].Names, []string{"dark"}) {
		t.Errorf("%+v", u.Causes)
	}
}

// Spans of an operation that came with those of another one, ten seconds later, are there: the tracer does instrument it.
func TestLateSpansAreNotMissing(t *testing.T) {
	for _, late := range []bool{false, true} {
		s := twoVariants()
		provocation("no-spans")(&s)
		change := s.change
		s.change = func(r *record.Record) {
			if change(r); late && r.Variant == "otel" {
				for i := range r.Phases {
					if p := &r.Phases[i]; p.Operation == "json" {
						p.Sink.Spans, p.Sink.Traces, p.Sink.Roots = 2*p.Sink.Spans, 2*p.Sink.Traces, 2*p.Sink.Roots
					}
				}
			}
		}
		doc := analyse(t, s.input())
		if told := doc.UntracedAt("otel", "dark") != nil; told == late || warned(doc, "no-spans") == late {
			t.Errorf("late: %t: %+v", late, doc.Untraced)
		}
	}
}

// A variant that is on other processes than the one that an operation asks leaves it untraced on purpose: its verdicts stand.
func TestLeftUntracedOnPurpose(t *testing.T) {
	processes := []program.Process{{Name: "shop", Role: "app", Traced: true}, {Name: "stock", Role: "app", Traced: true}}
	for name, c := range map[string]struct {
		on    []string
		owner string
		want  bool // told of as untraced
	}{
		"on the other":          {[]string{"shop"}, "stock", false},
		"on both":               {[]string{"shop", "stock"}, "stock", true},
		"on all":                {nil, "stock", true},
		"on the one it asks":    {[]string{"stock"}, "stock", true},
		"it names none, on all": {nil, "", true},
	} {
		s := twoVariants()
		provocation("no-spans")(&s)
		before := s.design
		s.design = func(e *config.Experiment) {
			if before != nil {
				before(e)
			}
			e.Workload = &program.Workload{Name: "hello/go", Processes: processes}
			e.Variants[1].On = c.on
			for i := range e.Operations {
				if e.Operations[i].Name == "dark" {
					e.Operations[i].Process = c.owner
				}
			}
		}
		doc := analyse(t, s.input())
		if got := doc.IsUntraced("otel", "dark"); got != c.want {
			t.Errorf("%s: untraced %t, want %t: %+v", name, got, c.want, doc.Untraced)
		}
		if v := get(t, doc, "dark", "otel", "cpu_per_operation").Verdict; (v.Kind == finding.CannotTell) != c.want {
			t.Errorf("%s: %s", name, v.Text)
		}
	}
}

// Whoever is not meant to send spans is not untraced, nor is one of which sampling may have
// kept none.
func TestWhoIsNotUntraced(t *testing.T) {
	for name, change := range map[string]func(*scene){
		"silent by intent":     func(s *scene) { s.plan = func(p *config.Plan) { p.Silent = p.Variant == "otel" } },
		"nothing is sampled":   func(s *scene) { s.plan = func(p *config.Plan) { p.Sampling = 0 } },
		"chance":               func(s *scene) { s.plan = func(p *config.Plan) { p.Spans, p.Sampling = nil, 6e-5 } }, // of 100,000 operations: six are expected
		"no tracer":            func(s *scene) { s.variants[1].tracer = "none" },
		"no span is declared":  func(s *scene) { s.plan = func(p *config.Plan) { p.Spans["json"] = program.Number{} } },
		"thrown away by order": func(s *scene) { s.also(onlyRuns("otel", func(r *record.Record) { r.Life.Thrown = 5 })) },
		"every run of it failed": func(s *scene) {
			s.also(onlyRuns("otel", func(r *record.Record) { r.Failure = &record.Failure{Stage: "ready"} }))
		},
		"spans came when it ended": func(s *scene) { s.also(onlyRuns("otel", func(r *record.Record) { r.Life.Spans = 30000 })) },
	} {
		s := twoVariants()
		s.also(onlyRuns("otel", func(r *record.Record) {
			r.Phases[0].Sink, r.Life = record.Counts{Checking: true}, record.Counts{Checking: true}
		}))
		change(&s)
		if doc := analyse(t, s.input()); len(doc.Untraced) > 0 {
			t.Errorf("%s: %+v", name, doc.Untraced)
		}
	}
	s := dark(func(*record.Record) {})
	s.plan = func(p *config.Plan) { p.Spans, p.Sampling = nil, 8e-5 } // eight are expected
	if doc := analyse(t, s.input()); !doc.IsUntraced("otel", "") {
		t.Error("none of eight that were to be expected came, and it passes for chance")
	}
}

// A tracer, or a hop, that left all of them out on purpose traces.
func TestAllLeftOutIsNotUntraced(t *testing.T) {
	for name, change := range map[string]func(r *record.Record, spans *uint64){
		"tracer": func(r *record.Record, spans *uint64) { r.Tracer.Sampled = spans },
		"hop": func(r *record.Record, spans *uint64) {
			none := uint64(0)
			hop := record.Hop{Name: "tail", Received: spans, Sampled: spans, Sent: &none}
			r.Hops, r.Phases[0].Hops = []record.Hop{hop}, []record.Hop{hop}
		},
	} {
		s := dark(func(r *record.Record) {
			spans := 3 * (r.Phases[0].Warmup.Started + r.Phases[0].Load.Started)
			change(r, &spans)
		})
		if u := analyse(t, s.input()).UntracedAt("otel", ""); u != nil {
			t.Errorf("%s: %+v", name, u)
		}
	}
}

// Expected spans that never came are lost, and nothing was traced that arrived.
func TestAllLostIsUntraced(t *testing.T) {
	s := twoVariants()
	s.change = onlyRuns("otel", func(r *record.Record) {
		r.Phases[0].Sink, r.Life = record.Counts{Checking: true}, record.Counts{Checking: true}
	})
	if doc := analyse(t, s.input()); !doc.IsUntraced("otel", "") || !doc.IsUntraced("otel", "json") {
		t.Errorf("%+v", doc.Untraced)
	}
}

// No verdict says what it costs, and no ledger that nothing was lost.
func TestNothingIsToldOfTheUntraced(t *testing.T) {
	s := dark(func(*record.Record) {})
	s.variants = append(s.variants, actor{name: "other", tracer: "elastic-go", adds: 20e-6, spans: 3, against: "otel"})
	s.plan = func(p *config.Plan) {
		if p.Variant != "other" {
			p.Spans = nil
		}
	}
	doc := analyse(t, s.input())
	for i := range doc.Findings {
		f := &doc.Findings[i]
		claims := f.Verdict.Kind == finding.Costs || f.Verdict.Kind == finding.Saves || f.Verdict.Kind == finding.NoDifference
		if touches := f.Variant == "otel" || f.Against == "otel"; touches != doc.NotTracing(f) || touches && claims {
			t.Errorf("%s of %s against %s: %+v", f.Metric, f.Variant, f.Against, f.Verdict)
		}
	}
	if f := get(t, doc, "json", "other", metric.CPUPerOperation); f.Verdict.Kind != finding.Costs {
		t.Errorf("the traced one: %+v", f.Verdict)
	}
	for _, l := range doc.Ledgers {
		if l.Variant == "otel" && (l.Operation == "json" || l.Operation == ledger.All) && (len(l.Outcome) != 1 || l.Outcome[0].Code != finding.PageNoSpan || l.Exact) {
			t.Errorf("%+v", l)
		}
	}
	besides := func(f finding.Finding) bool { return !f.Headline || doc.NotTracing(&f) }
	if heads := slices.DeleteFunc(slices.Clone(doc.Findings), besides); len(heads) != 1 || heads[0].Variant != "other" {
		t.Errorf("%+v", heads)
	}
}

// While it lasts no figure is told of what sent nothing so far, its calibration included.
func TestNoHeadlineOfTheUntraced(t *testing.T) {
	s := dark(func(*record.Record) {})
	in := s.input()
	if got := analysis.Headline(in.Experiment, in.Records); got == "" {
		t.Error("of a variant that was not calibrated nothing is known: it may be silent by intent")
	}
	s.extra = []record.Record{{Schema: record.Schema, Kind: record.Calibration, Variant: "otel"}}
	in = s.input()
	if got := analysis.Headline(in.Experiment, in.Records); got != "" {
		t.Error(got)
	}
}

// A sink that was told to receive nothing is no sign that a variant is not traced.
func TestNoSpansByOrder(t *testing.T) {
	s := dark(func(*record.Record) {})
	before := s.design
	s.design = func(e *config.Experiment) {
		before(e)
		e.Variants[1].Faults = &config.Faults{SinkGone: "silent"}
	}
	if doc := analyse(t, s.input()); len(doc.Untraced) != 0 {
		t.Errorf("%+v", doc.Untraced)
	}
}

// What loads no tracer is named, though it runs programs of the tracer's language.
func TestBunLoadsNoTracer(t *testing.T) {
	for language, want := range map[string]finding.NoSpanCause{"node": finding.NotLoaded, "python": finding.OtherLanguage} {
		s := dark(func(r *record.Record) {
			r.Signs = &record.Signs{Processes: []record.ProcessSigns{{Process: "app", Programs: []string{"bun"}}}}
		})
		s.design = func(e *config.Experiment) { e.Variants[1].Tracer.Language = language }
		u := analyse(t, s.input()).UntracedAt("otel", "")
		if u == nil || len(u.Causes) != 1 || u.Causes[0].Cause != want || !slices.Contains(u.Causes[0].Names, "bun") {
			t.Errorf("%s: %+v", language, u)
		}
	}
}
