package run_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// A sink that still receives when patience with the end is over has not counted all; the
// record says so.
func TestNeverQuietAtTheStop(t *testing.T) {
	defer run.SetLastPatience(500 * time.Millisecond)()
	conductor, q := request(t, record.Measured, "/work")
	dir := t.TempDir()
	address, stopping := filepath.Join(dir, "address"), filepath.Join(dir, "stopping")
	q.Plan.Processes = append(q.Plan.Processes, program.Process{
		Name: "last", Role: "app", Ready: "log:ready", Patience: 20 * time.Second, // stopped before the others
		Run: []string{"sh", "-c", "trap 'touch " + stopping + "; exit 0' TERM; echo {sink.otlp.grpc} > " + address + "; echo ready; while :; do sleep 0.05; done"},
	})
	ctx, cancel := context.WithCancel(t.Context())
	var senders sync.WaitGroup
	for range 4 {
		senders.Go(func() { sendFrom(ctx, t, stopping, address) })
	}
	r := made(t, conductor, q)
	cancel()
	senders.Wait()
	if !r.Stop.Unquiet || !r.Phases[0].Quiet {
		t.Errorf("of a sink that receives on and on after the processes ended: unquiet is %t; in the phase before it was quiet: %t", r.Stop.Unquiet, r.Phases[0].Quiet)
	}
}

// sendFrom sends spans without a pause from when a file is there, to the sink whose address
// another file holds, until ctx ends.
func sendFrom(ctx context.Context, t *testing.T, begin, address string) {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		if _, err := os.Stat(begin); err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
	text, err := os.ReadFile(address)
	if err != nil {
		t.Error(err)
		return
	}
	exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithInsecure(), otlptracegrpc.WithEndpoint(strings.TrimSpace(string(text))),
		otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{}))
	if err != nil {
		t.Error(err)
		return
	}
	ids := trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}}
	late := tracetest.SpanStubs{{Name: "late", SpanContext: trace.NewSpanContext(ids)}}.Snapshots()
	for err == nil { // until the sink is gone
		err = exporter.ExportSpans(ctx, late)
	}
}

// Spans that somebody sends to the sink where all should go to a backend are told apart: they are in no other count.
func TestSpansBesideTheBackend(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	via(&q, map[string]string{"HOLDS": "0"}, 0, "store")
	q.Plan.Via, q.Plan.To = nil, "store"
	store := q.Plan.Process("store")
	store.Run[4] = "127.0.0.1:1" // where nobody takes in what it passes on
	store.Service.Answers = program.Answers{Spans: "http://127.0.0.1:{port.page}/", Each: []string{"*"}}
	address := filepath.Join(t.TempDir(), "address")
	q.Plan.Processes = append(q.Plan.Processes, program.Process{
		Name: "stray", Role: "app", Ready: "log:ready", Patience: 20 * time.Second,
		Run: []string{"sh", "-c", "trap 'exit 0' TERM; echo {sink.otlp.http} > " + address + "; echo ready; while :; do sleep 0.05; done"},
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sent := make(chan error, 1)
	go func() { sent <- sendOne(ctx, address) }()
	r := made(t, conductor, q)
	cancel()
	if err := <-sent; err != nil {
		t.Error(err)
	}
	if b := r.Backend; b == nil || b.Astray != 1 || b.Stored != r.Life.Spans || b.Stored == 0 {
		t.Errorf("%+v, of %d spans; want one in the sink", b, r.Life.Spans)
	}
}

// sendOne sends a span over HTTP to the address that a file has, when it is there.
func sendOne(ctx context.Context, address string) error {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	var text []byte
	for len(text) == 0 {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
		text, _ = os.ReadFile(address) // it is not there yet
	}
	span := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01010101010101010101010101010101","spanId":"0101010101010101","name":"stray"}]}]}]}`
	answer, err := http.Post("http://"+strings.TrimSpace(string(text))+"/v1/traces", "application/json", strings.NewReader(span))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the sink says %s", answer.Status)
	}
	return nil
}
