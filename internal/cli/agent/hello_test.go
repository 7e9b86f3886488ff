package agent

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink"
)

// What a workload starts and this build lacks is named, whatever its flags.
func TestUnknownAgent(t *testing.T) {
	root := &cobra.Command{Use: "tracetax", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(New(console.Streams{}))
	root.SetArgs([]string{"agent", "nothing", "--listen=127.0.0.1:0"})
	if err := root.Execute(); err == nil || !strings.Contains(err.Error(), "no command 'agent nothing'") {
		t.Errorf("error %v", err)
	}
}

func TestHelloServes(t *testing.T) {
	for _, traced := range []bool{false, true} {
		serves(t, traced)
	}
}

// serves asks the service, and wants a span for each request that is none of health where it is traced.
func serves(t *testing.T, traced bool) {
	receiver, err := sink.Start(sink.Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0"}})
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+receiver.Addresses()[protocol.OTLPGRPC])
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serveHello(ctx, l, traced) }()
	client := http.Client{Timeout: 10 * time.Second}
	for path, want := range map[string]int{"/healthz": 204, "/json": 200, "/nothing": 404} {
		response, err := client.Get("http://" + l.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil || response.StatusCode != want {
			t.Errorf("%s answers %d, want %d (%v)", path, response.StatusCode, want, err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
	want := map[bool]uint64{true: 2}[traced]
	if got := receiver.Snapshot().Counts.Spans; got != want {
		t.Errorf("traced %t: %d spans, want %d", traced, got, want)
	}
}
