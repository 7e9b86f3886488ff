package tools

import (
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink"
)

// An experiment may ask for a sink that is as late as a sink can be, and no later.
func TestLatestSink(t *testing.T) {
	listen := protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0"}
	if err := (sink.Config{Listen: listen, Late: sink.MaxLate}).Check(); err != nil {
		t.Error(err)
	}
	for late, fine := range map[string]bool{sink.MaxLate.String(): true, (2 * sink.MaxLate).String(): false} {
		text := "workload: {name: x, processes: [{name: app, run: [x]}], operations: {get: {request: 'GET http://127.0.0.1:1/'}}}\nvariants: {none: , one: {env: {A: b}}}\nfaults: {sink-late: " + late + "}\n"
		if _, err := config.ParseExperiment("x.yaml", ".", []byte(text), program.NewCatalog(fstest.MapFS{})); (err == nil) != fine {
			t.Errorf("sink-late: %s: %v", late, err)
		}
	}
}

func TestSinkWarnsBeyondLoopback(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1:1": true, "[::1]:1": true, "0.0.0.0:1": false, "[::]:1": false, "192.0.2.1:1": false} {
		if loopback(address) != want {
			t.Errorf("loopback(%q) = %v", address, !want)
		}
	}
}

func TestShareFlag(t *testing.T) {
	for text, want := range map[string]float64{"3%": 0.03, "0.03": 0.03, "33.3%": 0.333, "0": 0, "100%": 1, "1": 1, "1e-3": 0.001} {
		var f shareFlag
		if err := f.Set(text); err != nil || float64(f) != want {
			t.Errorf("%q: %v, error %v; want %v", text, float64(f), err, want)
		}
	}
	for _, text := range []string{"", "%", "3", "-1%", "NaN", "Inf", "three", "3 %%"} {
		var f shareFlag
		if err := f.Set(text); err == nil {
			t.Errorf("%q is taken for %v", text, float64(f))
		}
	}
}
