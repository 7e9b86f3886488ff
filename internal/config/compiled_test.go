package config_test

import (
	"strings"
	"testing"

	catalogue "github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
)

// A tracer that is compiled in is refused where a built-in workload has no build with it.
func TestCompiledTracers(t *testing.T) {
	for _, c := range []struct{ workload, tracer, want string }{
		{"proxy/rust", "loop-rust", ""},
		{"calls/rust", "otel-rust", ""},
		{"calls/rust", "loop-rust", "the tracer loop-rust is compiled into a program, and no build of calls/rust has it; it has builds with otel-rust"},
		{"proxy/rust", "otel-rust", "the tracer otel-rust is compiled into a program, and no build of proxy/rust has it; it has builds with loop-rust"},
		{"requests/gohttp", "elastic-go", ""},
		{"calls/go", "otel-go", ""},
		{"hello/go", "synthetic-go", ""},
		{"tiers/gohttp", "elastic-go", "the tracer elastic-go is compiled into a program, and no build of tiers/gohttp has it; it has builds with otel-go"},
		{"tiers/gohttp", "synthetic-go", "no build of tiers/gohttp has it"},
	} {
		text := "workload: " + c.workload + "\nvariants:\n  none:\n  traced: {tracer: " + c.tracer + "}\n"
		_, err := config.ParseExperiment("x.yaml", "", []byte(text), program.NewCatalog(catalogue.Files))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s on %s: %v", c.tracer, c.workload, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s on %s: %v, want %s", c.tracer, c.workload, err, c.want)
		}
	}
}
