package glowroot

import (
	"testing"

	"github.com/tracetax/tracetax/internal/sink/sinktest"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

// trace is the stream of a trace with so many entries, as the agent 0.14.0-beta.2 sends it.
func trace(entries, partial int) [][]byte {
	out := [][]byte{sinktest.Message(1, sinktest.Message(1, "app", 2, "3dd0a1f6", 4, 1))}
	for i := range entries {
		out = append(out, sinktest.Message(4, sinktest.Message(2, 1000*i, 3, 500, 5, "call")))
	}
	return append(out,
		sinktest.Message(7, sinktest.Message(1, partial, 2, 1, 4, 1795316000000, 6, 12000, 7, "Calls", 8, "call", 19, entries)),
		sinktest.Message(8, sinktest.Message(2, entries)))
}

// A transaction and its entries are spans; one that goes on is none yet.
func TestTrace(t *testing.T) {
	c := sinktest.Counted(t, countTrace, append(trace(9, 0), trace(9, 0)...)...)
	if c.Spans != 20 || c.Roots != 2 || c.Kinds["server"] != 2 || c.Kinds["internal"] != 18 || c.RootNames["call"] != 2 || c.Duplicate != 0 || c.Orphans != 0 {
		t.Errorf("counted %+v", c)
	}
	if c := sinktest.Counted(t, countTrace, trace(0, 1)...); c.Spans != 0 {
		t.Errorf("of a transaction that goes on: %+v", c)
	}
}

func TestOthers(t *testing.T) {
	if c := sinktest.Counted(t, countAggregates, sinktest.Message(1, sinktest.Message(1, "app")), sinktest.Message(3, sinktest.Message(1, "Calls")), sinktest.Message(4, sinktest.Message(2, "call"))); c.Metrics != 2 || c.Spans != 0 {
		t.Errorf("aggregates: %+v", c)
	}
	if c := sinktest.Counted(t, countGauges, sinktest.Message(1, "app", 2, sinktest.Message(1, "heap"), 2, sinktest.Message(1, "threads"))); c.Metrics != 2 {
		t.Errorf("gauges: %+v", c)
	}
	if c := sinktest.Counted(t, countLog, sinktest.Message(1, "app", 2, sinktest.Message(4, "a word"))); c.Logs != 1 {
		t.Errorf("logs: %+v", c)
	}
}

func TestBroken(t *testing.T) {
	whole := sinktest.Message(4, sinktest.Message(4, "call"))
	for name, m := range map[string][]byte{"cut off": whole[:len(whole)-1], "entry": sinktest.Message(4, []byte{0x22, 9}), "header": sinktest.Message(7, []byte{0x42, 9})} {
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
