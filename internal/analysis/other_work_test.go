package analysis_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

// answering gives every run answers of which such a share has status 500, by chance.
func answering(s *scene, share func(r *record.Record, chance *rand.Rand) float64) {
	chance := rand.New(rand.NewPCG(s.seed, 11))
	s.change = func(r *record.Record) {
		of, n := share(r, chance), uint64(0)
		for range r.Phases[0].Load.Completed {
			if chance.Float64() < of {
				n++
			}
		}
		r.Phases[0].Load.Answers = map[int]uint64{200: r.Phases[0].Load.Completed - n, 500: n}
	}
}

// bodied gives every run bodies of such a mean size.
func bodied(s *scene, size func(r *record.Record, chance *rand.Rand) float64) {
	chance := rand.New(rand.NewPCG(s.seed, 12))
	s.change = func(r *record.Record) {
		r.Phases[0].Load.BodyBytes = uint64(size(r, chance) * float64(r.Phases[0].Load.Completed))
	}
}

func either(otel, none float64) func(*record.Record, *rand.Rand) float64 {
	return func(r *record.Record, _ *rand.Rand) float64 {
		if r.Variant == "otel" {
			return otel
		}
		return none
	}
}

// A variant that answers otherwise does other work: there is no verdict on what it costs.
func TestNoVerdictOnOtherWork(t *testing.T) {
	tests := map[string]struct {
		by   func(*scene)
		code finding.Code
	}{
		"quick errors":          {func(s *scene) { answering(s, either(0.6, 0)) }, finding.WhyAnswers},
		"a little more":         {func(s *scene) { answering(s, either(0.11, 0.1)) }, finding.WhyAnswers},
		"the same by chance":    {func(s *scene) { answering(s, either(0.1, 0.1)) }, ""},
		"too little to matter":  {func(s *scene) { answering(s, either(0.0008, 0)) }, ""},
		"larger bodies":         {func(s *scene) { bodied(s, either(1020, 1000)) }, finding.WhyBodies},
		"hardly larger bodies":  {func(s *scene) { bodied(s, either(1005, 1000)) }, ""},
		"no bodies on one side": {func(s *scene) { bodied(s, either(0, 1000)) }, finding.WhyBodies},
		"bodies that vary alike": {func(s *scene) {
			bodied(s, func(_ *record.Record, r *rand.Rand) float64 { return 1000 + 300*r.Float64() })
		}, ""},
	}
	for name, test := range tests {
		s := twoVariants()
		s.noise, s.budget = 0.003, []config.Limit{{Metric: metric.MemoryPeak, Value: 0.5}}
		test.by(&s)
		doc := analyse(t, s.input())
		if warned(doc, "answers-differ") != (test.code != "") {
			t.Errorf("%s: warnings %+v", name, doc.Warnings)
		}
		seen := 0
		for _, f := range doc.Findings {
			if f.Variant != "otel" || f.Metric != metric.CPUPerOperation && f.Metric != metric.MemoryPeak || f.Role != "" {
				continue
			}
			seen++
			if (f.Verdict.Kind == finding.CannotTell) != (test.code != "") || test.code != "" && f.Verdict.Reason().Code != test.code {
				t.Errorf("%s: %s: verdict %+v", name, f.Metric, f.Verdict)
			}
		}
		if seen != 2 {
			t.Errorf("%s: %d findings", name, seen)
		}
	}
}

// Figures without a verdict have it beside them.
func TestOtherWorkBesideFigures(t *testing.T) {
	s := twoVariants()
	s.blocks, s.quick = 2, true
	answering(&s, either(0.6, 0))
	doc := analyse(t, s.input())
	if !warned(doc, "answers-differ") {
		t.Errorf("warnings %+v", doc.Warnings)
	}
	for _, f := range doc.Findings {
		if f.Metric == metric.CPUPerOperation && f.Variant == "otel" && f.Role == "" && (len(f.Notes) == 0 || f.Notes[0].Code != finding.WhyAnswers) {
			t.Errorf("notes %+v", f.Notes)
		}
	}
}

// Where every run has a share of its own, as of a program that fails in bursts, two variants of the same kind are seldom
// told apart, and never by the counts alone.
func TestBurstsAreNoOtherWork(t *testing.T) {
	const experiments = 150
	for name, most := range map[string]int{"none": experiments * 5 / 100, "bursts": experiments * 10 / 100} {
		alarms := 0
		for seed := range uint64(experiments) {
			s := twoVariants()
			s.seed, s.rate = seed+1, 100
			answering(&s, func(_ *record.Record, r *rand.Rand) float64 {
				if name == "none" {
					return 0.2
				}
				return 0.4 * r.Float64()
			})
			if warned(analyse(t, s.input()), "answers-differ") {
				alarms++
			}
		}
		t.Logf("%s: %d alarms of %d", name, alarms, experiments)
		if alarms > most {
			t.Errorf("%s: %d alarms of %d, want %d at most", name, alarms, experiments, most)
		}
	}
}

// Against a baseline that traces nobody knows what tracing costs: no verdict says so, nor that a budget is kept. What is
// over its budget even so stays over it.
func TestBaselineTraces(t *testing.T) {
	for name, c := range map[string]struct {
		who    string
		budget float64
		want   finding.Kind
	}{
		"the baseline, no budget":     {"none", 0, finding.CannotTell},
		"the baseline, a wide budget": {"none", 10, finding.CannotTell},
		"the baseline, a narrow one":  {"none", 0.0001, finding.Over},
		"the variant":                 {"otel", 0, finding.CannotTell},
		"the variant, a narrow one":   {"otel", 0.0001, finding.CannotTell},
		"nobody":                      {"", 0, finding.Costs},
		"nobody, a wide budget":       {"", 10, finding.Within},
	} {
		s := twoVariants()
		s.change = onlyRuns(c.who, func(r *record.Record) {
			r.Elsewhere = []record.Elsewhere{{Process: "app", To: []string{"127.0.0.1:4318"}, Log: &record.LogSign{Cause: record.ExportFailed, Lines: 1, Last: "Failed to export"}}}
		})
		if c.budget > 0 {
			s.design = func(e *config.Experiment) {
				e.Budget = []config.Limit{{Metric: metric.CPUPerOperation, Value: c.budget}}
			}
		}
		doc := analyse(t, s.input())
		f := get(t, doc, "json", "otel", metric.CPUPerOperation)
		if f.Verdict.Kind != c.want {
			t.Errorf("%s: %s, want %s", name, f.Verdict.Kind, c.want)
		}
		if reason := f.Verdict.Reason(); c.want == finding.CannotTell && (reason.Code != finding.WhyElsewhere || reason.Variant != c.who) {
			t.Errorf("%s: %+v", name, reason)
		}
		if c.who == "" {
			continue
		}
		if len(doc.Elsewhere) != 1 || doc.Elsewhere[0].Variant != c.who || doc.Elsewhere[0].Runs != doc.Elsewhere[0].Of || doc.Elsewhere[0].Log == "" {
			t.Errorf("%s: %+v", name, doc.Elsewhere)
		}
	}
}

// What may be the use of another program than the one that answered has no verdict, and what does not depend on it has.
func TestAnotherProgramMayAnswer(t *testing.T) {
	for _, who := range []string{"none", "otel", ""} {
		s := twoVariants()
		s.latencies = true
		s.budget = []config.Limit{{Metric: metric.CPUPerOperation, Value: 10}}
		s.change = onlyRuns(who, func(r *record.Record) { r.Start.Unseen = []string{"app"} })
		doc := analyse(t, s.input())
		for name, use := range map[string]bool{metric.CPUPerOperation: true, "context_switches": true, metric.LatencyP50: false} {
			f := get(t, doc, "json", "otel", name)
			unseen := f.Verdict.Kind == finding.CannotTell && f.Verdict.Reason().Code == finding.WhyUnseen && f.Verdict.Reason().Variant == who
			if unseen != (use && who != "") {
				t.Errorf("%s, unseen of %q: %+v", name, who, f.Verdict)
			}
		}
		if warned(doc, "program-unseen") != (who != "") {
			t.Errorf("unseen of %q: %+v", who, doc.Warnings)
		}
	}
}

// settled is a variant of a tracer with settings of every kind.
func settled(name string, chosen map[string]string) config.Variant {
	t := &program.Tracer{Name: "otel-go", Settings: []program.Setting{
		{Name: "instrument", Kind: "choice", Default: "database", Choices: map[string]program.Choice{"database": {}, "http": {}}},
		{Name: "methods", Kind: "text"},
		{Name: "sdk", Kind: "choice", Default: "on", Choices: map[string]program.Choice{"on": {}, "off": {Silent: true}}},
		{Name: "protocol", Kind: "choice", Default: "grpc", Choices: map[string]program.Choice{"grpc": {Env: map[string]string{"TO": "http://{sink.otlp.grpc}"}}, "http": {}}},
		{Name: "sampling", Kind: "share", Default: "100%", Meaning: "sampling"},
		{Name: "queue", Kind: "count", Default: "2048"},
		{Name: "delay", Kind: "duration", Default: "5s", Meaning: "delay"},
	}}
	v := config.Variant{Name: name, Tracer: t, Settings: map[string]string{}}
	for _, s := range t.Settings {
		v.Settings[s.Name] = s.Default
	}
	for key, value := range chosen {
		v.Settings[key] = value
	}
	return v
}

func TestSameSpans(t *testing.T) {
	off := settled("off", map[string]string{"sdk": "off"})
	other := off
	other.Env = map[string]string{"OTEL_INSTRUMENTATION_COMMON_DEFAULT_ENABLED": "false"}
	python := off
	python.Tracer = &program.Tracer{Name: "otel-python"}
	tests := map[string]struct {
		of   config.Variant
		want bool
	}{
		"itself":            {off, true},
		"it sends":          {settled("on", nil), true},
		"otherwise":         {settled("on", map[string]string{"protocol": "http", "delay": "1s", "queue": "8", "sampling": "10%"}), true},
		"fewer instruments": {settled("http", map[string]string{"instrument": "http"}), false},
		"further methods":   {settled("methods", map[string]string{"methods": "a.B[c]"}), false},
		"other variables":   {other, false},
		"another tracer":    {python, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := config.SameSpans(off, test.of); got != test.want {
				t.Errorf("%t", got)
			}
		})
	}
}

// A variant that exports nothing has its number of spans from one that makes the same,
// and from no other.
func TestSilentVariantLearnsOfItsLike(t *testing.T) {
	for _, test := range []struct {
		like string // what the variant that sends instruments
		want int64  // spans that are not exported
	}{{"database", 3 * 10 * 10_000}, {"http", 0}} {
		t.Run(test.like, func(t *testing.T) {
			s := twoVariants()
			s.variants = append(s.variants, actor{name: "off", tracer: "otel-go", adds: 10e-6})
			s.plan = func(p *config.Plan) { p.Spans, p.Silent = nil, p.Variant == "off" }
			s.design = func(e *config.Experiment) {
				e.Variants[1] = settled("otel", map[string]string{"instrument": test.like})
				e.Variants[2] = settled("off", map[string]string{"sdk": "off"})
			}
			in := s.input()
			calibration := in.Records[1]
			calibration.Kind, calibration.Block = record.Calibration, 0
			in.Records = append(in.Records, calibration)
			for _, l := range analyse(t, in).Ledgers {
				if l.Variant == "off" && (l.Outcome[0].Code != finding.PageNotExported || ledger.Spans(l, ledger.NotExported) != test.want) {
					t.Errorf("%+v", l)
				}
			}
		})
	}
}
