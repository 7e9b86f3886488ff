package elastic

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/tracetax/tracetax/internal/sink/tally"
)

// FuzzEvent: a line that is accepted is JSON, an object with one member.
func FuzzEvent(f *testing.F) {
	for _, line := range []string{first, tx, span, `{"error":{}}`, `{"metricset":null}`, `{"transaction":{"dropped_spans_stats":[{"duration":{"count":3}}]}}`, `{"span":{"otel":{"span_kind":"CLIENT"}},"x":1}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var w walker
		b := tally.New(tally.Config{Checking: true, MaxSpans: 10}).Batch()
		if _, err := w.event(b, line); err != nil {
			return
		}
		var object map[string]any
		if err := json.Unmarshal(line, &object); err != nil || len(object) != 1 {
			t.Fatalf("accepted %q: %v", line, err)
		}
		if b.Spans+b.Metrics+b.Logs > 1 || b.Merged > maxCount {
			t.Errorf("%q: %+v", line, b)
		}
	})
}

// FuzzStream: however a body is cut into reads, the same is counted.
func FuzzStream(f *testing.F) {
	f.Add([]byte(lines(first, tx, span)), uint8(7))
	f.Add([]byte(lines(first, span+"x")+tx), uint8(1))
	f.Fuzz(func(t *testing.T, body []byte, cut uint8) {
		whole := countedIn(body, len(body)+1)
		if got := countedIn(body, int(cut)+1); got != whole {
			t.Errorf("in pieces of %d: %v, in one: %v", int(cut)+1, got, whole)
		}
	})
}

func countedIn(body []byte, piece int) (counts [4]uint64) {
	total := tally.New(tally.Config{})
	s := &stream{room: make([]byte, readSize)}
	s.reset(total)
	for rest := body; len(rest) > 0 && s.refused == nil; {
		n := copy(s.room[s.held:], rest[:min(piece, len(rest))])
		rest = rest[n:]
		s.take(n, int64(n))
	}
	if s.refused == nil {
		s.last(0)
	}
	c := total.Counts()
	return [4]uint64{c.Spans, c.Rejected, c.Merged, c.Requests}
}

// BenchmarkStream counts a body of events such as an agent sends them.
func BenchmarkStream(b *testing.B) {
	event := []byte(`{"span":{"id":"0102030405060708","transaction_id":"0102030405060709","parent_id":"0102030405060709","trace_id":"0102030405060708090a0b0c0d0e0f10","name":"SELECT FROM world","type":"db","subtype":"postgresql","action":"query","timestamp":1700000000000000,"duration":1.234,"sync":true,"context":{"db":{"instance":"hello","statement":"SELECT id, randomnumber FROM world WHERE id = $1","type":"sql"},"destination":{"address":"127.0.0.1","port":5432,"service":{"name":"","resource":"postgresql/hello","type":""}},"service":{"target":{"type":"postgresql","name":"hello"}}},"outcome":"success","sample_rate":1}}` + "\n")
	body := append([]byte(first+"\n"), bytes.Repeat(event, 100)...)
	total := tally.New(tally.Config{})
	s := &stream{room: make([]byte, readSize)}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		s.reset(total)
		for rest := body; len(rest) > 0; {
			n := copy(s.room[s.held:], rest)
			rest = rest[n:]
			s.take(n, int64(n))
		}
		if s.last(0); s.spans != 100 {
			b.Fatal("spans", s.spans)
		}
	}
}
