// This file counts metrics and logs in protobuf: data points and log records,
// no more, since they are there to be told apart from spans.

package otlp

import (
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

// walkLogs counts the log records of an ExportLogsServiceRequest:
// resource_logs (1), scope_logs (2), log_records (2).
func walkLogs(b *tally.Batch, body []byte) error {
	return descend(body, []uint64{1, 2, 2}, func([]byte) error {
		b.Logs++
		return nil
	})
}

// walkMetrics counts the data points of an ExportMetricsServiceRequest:
// resource_metrics (1), scope_metrics (2), metrics (2).
func walkMetrics(b *tally.Batch, body []byte) error {
	return descend(body, []uint64{1, 2, 2}, func(metric []byte) error {
		n, err := dataPoints(metric)
		b.Metrics += n
		return err
	})
}

// descend calls visit for every message at the end of a path of field numbers.
func descend(message []byte, path []uint64, visit func([]byte) error) error {
	if len(path) == 0 {
		return visit(message)
	}
	f := wire.Fields{Rest: message}
	for f.Next() {
		if f.Tag != wire.BytesTag(path[0]) {
			continue
		}
		if err := descend(f.Bytes, path[1:], visit); err != nil {
			return err
		}
	}
	return f.Err
}

// dataPoints returns the number of data points (1) of a Metric's gauge (5), sum
// (7), histogram (9), exponential histogram (10) or summary (11). They exclude
// each other: the last one on the wire holds.
func dataPoints(metric []byte) (n uint64, err error) {
	var kind uint64
	f := wire.Fields{Rest: metric}
	for f.Next() {
		switch f.Tag {
		case wire.BytesTag(5), wire.BytesTag(7), wire.BytesTag(9), wire.BytesTag(10), wire.BytesTag(11):
		default:
			continue
		}
		if f.Tag != kind {
			kind, n = f.Tag, 0
		}
		err := descend(f.Bytes, []uint64{1}, func([]byte) error {
			n++
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return n, f.Err
}
