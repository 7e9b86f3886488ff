package session

import (
	"testing"

	"github.com/tracetax/tracetax/internal/config"
)

// The versions of a tracer's packages are noted, and of what a workload is built with.
func TestPackagesOf(t *testing.T) {
	for _, c := range []struct{ workload, whose, of string }{
		{"hello/flask", "otel-python", "opentelemetry-distro"},
		{"hello/go", "hello/go", "go.opentelemetry.io/otel/sdk"},
	} {
		all, err := config.ParseExperiment("x.yaml", "", []byte("workload: "+c.workload+"\nvariants: {none: , otel: }\n"), builtIn)
		if err != nil {
			t.Fatal(err)
		}
		got, err := packagesOf(all[0])
		if err != nil || got[c.whose][c.of] == "" {
			t.Errorf("%s: %v, %v", c.workload, got, err)
		}
		if _, has := got["none"]; has {
			t.Errorf("%s: a tracer without packages has %v", c.workload, got["none"])
		}
	}
}
