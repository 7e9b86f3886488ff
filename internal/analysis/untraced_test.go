// Operations that were to be traced and of which no span came: which they are, why, and what
// is told of them.

package analysis_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

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
			p.Processes = []config.Process{{Name: "app", Traced: true, Env: map[string]string{"ENDPOINT": "{sink.otlp.grpc}"}}}
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
		"metrics only":                   {counts(record.Counts{Requests: 4, Metrics: 9}), causes{{Cause: finding.OtherSignals, Count: 90}}},
		"another protocol":               {counts(record.Counts{}), causes{{Cause: finding.NotUnderstood, Count: 10}}},
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
	s.plan = func(p *config.Plan) { p.Spans, p.Processes = nil, []config.Process{{Name: "app", Traced: true}} }
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

// A variant that is on other processes than the one that an operation asks leaves it untraced on purpose: its verdicts stand.
func TestLeftUntracedOnPurpose(t *testing.T) {
	processes := []config.Process{{Name: "shop", Role: "app", Traced: true}, {Name: "stock", Role: "app", Traced: true}}
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
			e.Workload = &config.Workload{Name: "hello/go", Processes: processes}
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
		"no span is declared":  func(s *scene) { s.plan = func(p *config.Plan) { p.Spans["json"] = config.Number{} } },
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
	untold := func(f finding.Finding) bool { return !f.Headline || doc.NotTracing(&f) }
	if heads := slices.DeleteFunc(slices.Clone(doc.Findings), untold); len(heads) != 1 || heads[0].Variant != "other" {
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
