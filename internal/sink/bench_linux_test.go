// This file measures a sink process by its own CPU clock.

package sink

import (
	"testing"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink/sinktest"
)

const (
	benchSenders = 4  // connections, each with one request under way
	benchWarmup  = 32 // requests
)

// BenchmarkCounting counts spans of 10 attributes and 460 bytes. b.N is a number of
// requests.
func BenchmarkCounting(b *testing.B) {
	b.Run("grpc", func(b *testing.B) { benchmark(b, Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0"}}) })
	b.Run("http", func(b *testing.B) { benchmark(b, Config{Listen: protocol.Addresses{protocol.OTLPHTTP: "127.0.0.1:0"}}) })
}

// BenchmarkChecking is the same with the ids looked at.
func BenchmarkChecking(b *testing.B) {
	benchmark(b, Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0"}, Checking: true})
}

func benchmark(b *testing.B, cfg Config) {
	cmd, r := remote(b, cfg)
	f := flood(b, r.Addresses(), benchSenders)
	send(b, f, benchWarmup)
	before := processCPU(b, cmd.Process.Pid)
	b.ResetTimer()
	send(b, f, b.N)
	b.StopTimer()
	spent := processCPU(b, cmd.Process.Pid) - before
	b.ReportMetric(float64(b.N*sinktest.RequestSpans)/spent, "spans/CPU-s")
	b.ReportMetric(float64(f.Stream.Size())/sinktest.RequestSpans, "bytes/span")
	s, err := r.Snapshot(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if s.Counts.Spans != f.Spans() || s.Counts.Duplicate > 0 {
		b.Fatalf("counted %d spans of %d, duplicates %d", s.Counts.Spans, f.Spans(), s.Counts.Duplicate)
	}
}

// processCPU is the CPU time of a process so far, in seconds.
func processCPU(b *testing.B, pid int) float64 {
	b.Helper()
	spent, err := sinktest.CPU(pid)
	if err != nil {
		b.Fatal(err)
	}
	return spent.Seconds()
}
