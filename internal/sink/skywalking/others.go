// This file counts what agents send beside segments.

package skywalking

import (
	"github.com/tracetax/tracetax/internal/sink/rpc"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

// countMetrics counts a collection of metrics: field 1 is one reading each, of all that
// the agent reads at a time.
func countMetrics(batch *tally.Batch, message []byte) error {
	f := rpc.Walk(message)
	for f.Next() {
		if f.Is(1) {
			batch.Metrics++
		}
	}
	return f.Err
}

func countMeter(batch *tally.Batch, message []byte) error {
	batch.Metrics++
	return rpc.Check(message)
}

func countLog(batch *tally.Batch, message []byte) error {
	batch.Logs++
	return rpc.Check(message)
}
