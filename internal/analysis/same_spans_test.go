package analysis_test

import (
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

// settled is a variant of a tracer with settings of every kind.
func settled(name string, chosen map[string]string) config.Variant {
	t := &config.Tracer{Name: "otel-go", Settings: []config.Setting{
		{Name: "instrument", Kind: "choice", Default: "database", Choices: map[string]config.Choice{"database": {}, "http": {}}},
		{Name: "methods", Kind: "text"},
		{Name: "sdk", Kind: "choice", Default: "on", Choices: map[string]config.Choice{"on": {}, "off": {Silent: true}}},
		{Name: "protocol", Kind: "choice", Default: "grpc", Choices: map[string]config.Choice{"grpc": {Env: map[string]string{"TO": "http://{sink.otlp.grpc}"}}, "http": {}}},
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
	python.Tracer = &config.Tracer{Name: "otel-python"}
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
