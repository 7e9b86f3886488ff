package otlp

import (
	"testing"

	"github.com/tracetax/tracetax/internal/sink/sinktest"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

// BenchmarkWalk counts the spans of one request, without any receiving.
func BenchmarkWalk(b *testing.B) {
	stream, err := sinktest.NewStream()
	if err != nil {
		b.Fatal(err)
	}
	body := stream.Request(0, nil)
	total := tally.New(tally.Config{})
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		batch := total.Batch()
		if err := walkTraces(batch, body); err != nil {
			b.Fatal(err)
		}
		total.Merge(batch, overGRPC, int64(len(body)))
	}
}
