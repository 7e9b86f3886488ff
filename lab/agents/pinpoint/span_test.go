package pinpoint

import (
	"testing"

	"github.com/tracetax/tracetax/internal/sink/sinktest"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

const none = ^sinktest.Fixed64(0)

// event is a PSpanEvent as the agent 3.0.1 sends it: a next event of -1 where no other
// process was called, and number 0 left out.
func event(number int, next sinktest.Fixed64) []byte {
	m := sinktest.Message(2, number+1, 5, 10000, 10, 8, nextField, sinktest.Message(1, sinktest.Message(1, next)))
	if number > 0 {
		m = append(sinktest.Message(1, number), m...)
	}
	return m
}

// called is a PSpanMessage of a call of that depth.
func called(id sinktest.Fixed64, parent sinktest.Fixed64, depth int) []byte {
	fields := []any{1, 1, 2, sinktest.Message(1, "a1", 2, 1795316000000, 3, 7), 3, id, 4, parent, 5, 1795316000001, 7, 5, 8, 1000, 9, sinktest.Message(1, "/p/MonitoredClass/monitoredMethod", 2, "/")}
	for i := range depth {
		fields = append(fields, 13, event(i, none))
	}
	return sinktest.Message(1, sinktest.Message(fields...))
}

// chunk is a PSpanMessage of events that come apart; branch 0 is the span's own.
func chunk(id sinktest.Fixed64, branch, depth int) []byte {
	fields := []any{2, sinktest.Message(1, "a1", 2, 1795316000000, 3, 7), 3, id}
	for i := range depth {
		fields = append(fields, 5, event(i, none))
	}
	if branch > 0 {
		fields = append(fields, 8, sinktest.Message(1, branch, 2, 1))
	}
	return sinktest.Message(2, sinktest.Message(fields...))
}

// A call of depth 10 is 11 spans: what the process did for it, and ten methods.
func TestSpans(t *testing.T) {
	c := sinktest.Counted(t, countMessage, called(1, none, 10), called(2, none, 10))
	if c.Spans != 22 || c.Roots != 2 || c.Traces != 1 || c.Orphans != 0 || c.Duplicate != 0 || c.Rejected != 0 {
		t.Errorf("counted %+v", c)
	}
	if c.Kinds["server"] != 2 || c.Kinds["internal"] != 20 || c.RootNames["/p/MonitoredClass/monitoredMethod"] != 2 {
		t.Errorf("counted %+v", c)
	}
}

// Chunks are events alone; those of each branch have numbers of their own.
func TestChunks(t *testing.T) {
	c := sinktest.Counted(t, countMessage, chunk(5, 1, 3), chunk(5, 2, 3))
	if c.Spans != 6 || c.Roots != 0 || c.Orphans != 6 || c.Duplicate != 0 {
		t.Errorf("before their span: %+v", c)
	}
	c = sinktest.Counted(t, countMessage, chunk(5, 1, 3), chunk(5, 2, 3), called(5, none, 2), chunk(5, 1, 3))
	if c.Spans != 12 || c.Roots != 1 || c.Orphans != 0 || c.Duplicate != 3 {
		t.Errorf("with their span, and one twice: %+v", c)
	}
}

func TestKindsAndParents(t *testing.T) {
	m := sinktest.Message(1, sinktest.Message(3, sinktest.Fixed64(9), 4, sinktest.Fixed64(8), 13, event(0, 77), 13, sinktest.Message(1, 1)))
	if c := sinktest.Counted(t, countMessage, m); c.Kinds["client"] != 1 || c.Kinds["internal"] != 1 || c.Kinds["server"] != 1 || c.Roots != 0 || c.Orphans != 1 {
		t.Errorf("counted %+v", c)
	}
	if c := sinktest.Counted(t, countMessage, sinktest.Message(1, sinktest.Message(13, event(0, none)))); c.Rejected != 2 || c.Spans != 0 {
		t.Errorf("without an id: %+v", c)
	}
}

func FuzzMessage(f *testing.F) {
	f.Add(called(1, none, 2))
	f.Add(chunk(1, 2, 2))
	total := tally.New(tally.Config{Checking: true, MaxSpans: 100})
	f.Fuzz(func(t *testing.T, m []byte) {
		for _, count := range []func(*tally.Batch, []byte) error{countMessage, countStat} {
			batch := total.Batch()
			_ = count(batch, m)
			if batch.Spans > uint64(len(m)) {
				t.Errorf("%d spans in %d bytes", batch.Spans, len(m))
			}
			total.Discard(batch)
		}
	})
}
