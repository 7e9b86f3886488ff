// This file floods the sink with a prepared stream.

package sink

import (
	"testing"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink/sinktest"
)

// flood prepares a stream over so many connections to the first protocol that is
// served.
func flood(t testing.TB, a protocol.Addresses, connections int) *sinktest.Flood {
	t.Helper()
	stream, err := sinktest.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	f := &sinktest.Flood{Stream: stream}
	for range connections {
		sender := sinktest.Sender(sinktest.NewHTTP(a[protocol.OTLPHTTP]))
		if a[protocol.OTLPGRPC] != "" {
			if sender, err = sinktest.NewGRPC(a[protocol.OTLPGRPC]); err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(func() { _ = sender.Close() })
		f.Senders = append(f.Senders, sender)
	}
	return f
}

func send(t testing.TB, f *sinktest.Flood, requests int) {
	t.Helper()
	if err := f.Send(t.Context(), requests); err != nil {
		t.Fatal(err)
	}
}
