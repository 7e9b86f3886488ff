package config_test

import (
	"strings"
	"testing"
	"testing/fstest"

	catalogue "github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
)

// An Envoy whose threshold is above its buffer loses spans, which is said beforehand; at the buffer it loses none.
func TestBeyond(t *testing.T) {
	for settings, want := range map[string]string{
		"{flush: 100, buffer: 64}": `variant "traced": flush (100) is above buffer (64)`,
		"{flush: 64, buffer: 64}":  "",
		"{buffer: 4}":              `flush (5) is above buffer (4)`,
		"{flush: 2000}":            `flush (2000) is above buffer (1024)`,
		"{}":                       "",
	} {
		text := "workload: proxy/envoy\nvariants:\n  none:\n  traced: {tracer: otel-envoy, settings: " + settings + "}\n"
		all, err := config.ParseExperiment("x.yaml", "", []byte(text), program.NewCatalog(catalogue.Files))
		if err != nil {
			t.Fatal(err)
		}
		told := strings.Join(all[0].Beyond(), "\n")
		if want == "" && told != "" || !strings.Contains(told, want) {
			t.Errorf("%s: %q, want %q", settings, told, want)
		}
	}
}

// The SDKs of two languages refuse a batch above the queue, so that nothing is traced.
func TestBeyondTheQueue(t *testing.T) {
	for _, workload := range []string{"hello/flask", "tiers/aspnet"} {
		for settings, want := range map[string]string{"{queue: 100}": `variant "traced": batch (512) is above queue (100), with which its tracer loses spans, or sends none`, "{queue: 100, batch: 100}": "", "{}": ""} {
			text := "workload: " + workload + "\nvariants:\n  none:\n  traced: {tracer: otel, settings: " + settings + "}\n"
			all, err := config.ParseExperiment("x.yaml", "", []byte(text), program.NewCatalog(catalogue.Files))
			if err != nil {
				t.Fatal(err)
			}
			if told := strings.Join(all[0].Beyond(), "\n"); want == "" && told != "" || !strings.Contains(told, want) {
				t.Errorf("%s, %s: %q, want %q", workload, settings, told, want)
			}
		}
	}
}

// What a setting is to be within is a number of the same tracer.
func TestBadWithin(t *testing.T) {
	for settings, good := range map[string]bool{
		"{a: {kind: count, default: 1, within: b}, b: {kind: count, default: 2}}":     true,
		"{a: {kind: count, default: 1, within: c}, b: {kind: count, default: 2}}":     false,
		"{a: {kind: count, default: 1, within: a}}":                                   false,
		"{a: {kind: count, default: 1, within: b}, b: {kind: duration, default: 2s}}": false,
		"{a: {kind: duration, default: 1s, within: b}, b: {kind: count, default: 2}}": false,
	} {
		files := fstest.MapFS{"tracers/x/tracer.yaml": {Data: []byte("language: go\ndescription: x\nsettings: " + settings + "\n")}}
		_, err := program.NewCatalog(files).Tracer("x")
		if good && err != nil || !good && (err == nil || !strings.Contains(err.Error(), "both must have kind: count")) {
			t.Errorf("%s: %v, want it right: %v", settings, err, good)
		}
	}
}
