package receiving

import (
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax/internal/config"
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
		if _, err := config.ParseExperiment("x.yaml", ".", []byte(text), config.NewCatalog(fstest.MapFS{})); (err == nil) != fine {
			t.Errorf("sink-late: %s: %v", late, err)
		}
	}
}
