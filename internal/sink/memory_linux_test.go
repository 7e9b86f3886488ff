// This file floods a sink process and looks at its memory.

package sink

import (
	"testing"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink/sinktest"
)

const (
	memoryLimit = 64 << 20 // bytes that a counting sink may hold
	memorySlack = 6 << 20  // bytes by which its memory may wander: two a span would be seen
	memorySpans = 3_000_000
)

// Counting holds nothing of the spans: after a tenth of them the memory grows no more.
// scripts/bench-sink shows the same over 50 million.
func TestMemoryIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("sends three million spans over each protocol")
	}
	for name, cfg := range map[string]Config{
		"grpc": {Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0"}}, "http": {Listen: protocol.Addresses{protocol.OTLPHTTP: "127.0.0.1:0"}},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, r := remote(t, cfg)
			f := flood(t, r.Addresses(), 4)
			const requests = memorySpans / sinktest.RequestSpans
			send(t, f, requests/10)
			warm := memory(t, cmd.Process.Pid)
			send(t, f, requests*9/10)
			full := memory(t, cmd.Process.Pid)
			if full.Peak > warm.Peak+memorySlack || full.Peak > memoryLimit {
				t.Errorf("peak of %d KiB after a tenth of the spans, %d KiB after all", warm.Peak>>10, full.Peak>>10)
			}
			s, err := r.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if s.Counts.Spans != f.Spans() || s.Counts.Rejected+s.Counts.Malformed > 0 {
				t.Errorf("counted %d spans of %d; rejected %d, malformed %d", s.Counts.Spans, f.Spans(), s.Counts.Rejected, s.Counts.Malformed)
			}
		})
	}
}

func memory(t *testing.T, pid int) sinktest.Memory {
	t.Helper()
	m, err := sinktest.ReadMemory(pid)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
