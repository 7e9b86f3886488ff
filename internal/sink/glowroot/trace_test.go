package glowroot

import (
	"testing"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"google.golang.org/protobuf/encoding/protowire"
)

// message writes fields: an int as a varint, a string or bytes as such.
func message(fields ...any) []byte {
	var b []byte
	for i := 0; i < len(fields); i += 2 {
		number := protowire.Number(fields[i].(int))
		switch v := fields[i+1].(type) {
		case int:
			b = protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), uint64(v))
		case string:
			b = protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), v)
		case []byte:
			b = protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), v)
		}
	}
	return b
}

// trace is the stream of a trace with so many entries, as the agent 0.14.0-beta.2 sends it.
func trace(entries, partial int) [][]byte {
	out := [][]byte{message(1, message(1, "app", 2, "3dd0a1f6", 4, 1))}
	for i := range entries {
		out = append(out, message(4, message(2, 1000*i, 3, 500, 5, "call")))
	}
	return append(out,
		message(7, message(1, partial, 2, 1, 4, 1795316000000, 6, 12000, 7, "Calls", 8, "call", 19, entries)),
		message(8, message(2, entries)))
}

func counted(t *testing.T, count func(*tally.Batch, []byte) error, messages ...[]byte) record.Counts {
	t.Helper()
	total := tally.New(tally.Config{Checking: true, MaxSpans: 1000})
	for _, m := range messages {
		batch := total.Batch()
		if err := count(batch, m); err != nil {
			t.Fatal(err)
		}
		total.Merge(batch, protocol, int64(len(m)))
	}
	return total.Counts()
}

// A transaction and its entries are spans; one that goes on is none yet.
func TestTrace(t *testing.T) {
	c := counted(t, countTrace, append(trace(9, 0), trace(9, 0)...)...)
	if c.Spans != 20 || c.Roots != 2 || c.Kinds["server"] != 2 || c.Kinds["internal"] != 18 || c.RootNames["call"] != 2 || c.Duplicate != 0 || c.Orphans != 0 {
		t.Errorf("counted %+v", c)
	}
	if c := counted(t, countTrace, trace(0, 1)...); c.Spans != 0 {
		t.Errorf("of a transaction that goes on: %+v", c)
	}
}

func TestOthers(t *testing.T) {
	if c := counted(t, countAggregates, message(1, message(1, "app")), message(3, message(1, "Calls")), message(4, message(2, "call"))); c.Metrics != 2 || c.Spans != 0 {
		t.Errorf("aggregates: %+v", c)
	}
	if c := counted(t, countGauges, message(1, "app", 2, message(1, "heap"), 2, message(1, "threads"))); c.Metrics != 2 {
		t.Errorf("gauges: %+v", c)
	}
	if c := counted(t, countLog, message(1, "app", 2, message(4, "a word"))); c.Logs != 1 {
		t.Errorf("logs: %+v", c)
	}
}

func TestBroken(t *testing.T) {
	whole := message(4, message(4, "call"))
	for name, m := range map[string][]byte{"cut off": whole[:len(whole)-1], "entry": message(4, []byte{0x22, 9}), "header": message(7, []byte{0x42, 9})} {
		total := tally.New(tally.Config{})
		if err := countTrace(total.Batch(), m); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzMessage(f *testing.F) {
	for _, m := range trace(2, 0) {
		f.Add(m)
	}
	total := tally.New(tally.Config{Checking: true, MaxSpans: 100})
	f.Fuzz(func(t *testing.T, m []byte) {
		for _, count := range []func(*tally.Batch, []byte) error{countTrace, countAggregates, countGauges, countLog} {
			batch := total.Batch()
			_ = count(batch, m)
			if batch.Spans > uint64(len(m)) {
				t.Errorf("%d spans in %d bytes", batch.Spans, len(m))
			}
			total.Discard(batch)
		}
	})
}
