package skywalking

import (
	"testing"

	"github.com/tracetax/tracetax/internal/sink/sinktest"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

// call is a segment as the agent 9.3.0 sends it of a recursive method: the innermost
// span first, number 0 and parent 0 left out.
func call(id string, depth int) []byte {
	fields := []any{1, "trace-" + id, 2, id}
	for i := depth - 1; i >= 0; i-- {
		span := []any{6, "p.MonitoredClass.monitoredMethod", 8, local}
		if i > 0 {
			span = append(span, 1, i)
		}
		if i != 1 {
			span = append(span, 2, i-1)
		}
		fields = append(fields, 3, sinktest.Message(span...))
	}
	return sinktest.Message(append(fields, 4, "calls", 5, "instance")...)
}

func TestSegments(t *testing.T) {
	c := sinktest.Counted(t, countSegment, call("s1.1.1", 10), call("s1.1.2", 3))
	if c.Spans != 13 || c.Roots != 2 || c.Traces != 2 || c.Orphans != 0 || c.Duplicate != 0 || c.Rejected != 0 {
		t.Errorf("counted %+v", c)
	}
	if c.Services["calls"] != 13 || c.Kinds["internal"] != 13 || c.RootNames["p.MonitoredClass.monitoredMethod"] != 2 {
		t.Errorf("counted %+v", c)
	}
	if c := sinktest.Counted(t, countCollection, sinktest.Message(1, call("a", 2), 1, call("b", 2), 1, call("a", 2))); c.Spans != 6 || c.Duplicate != 2 {
		t.Errorf("of a collection: %+v", c)
	}
}

// A segment of another thread or process is a child of the span that it names.
func TestReferences(t *testing.T) {
	parent := call("s1", 2)
	reference := sinktest.Message(1, 1, 2, "trace-s1", 3, "s1", 4, 1)
	entrySpan := sinktest.Message(2, -1, 5, reference, 6, "GET /", 8, entry)
	child := sinktest.Message(1, "trace-s1", 2, "s2", 3, entrySpan)
	if c := sinktest.Counted(t, countSegment, child); c.Roots != 0 || c.Orphans != 1 || c.Kinds["server"] != 1 {
		t.Errorf("alone: %+v", c)
	}
	if c := sinktest.Counted(t, countSegment, child, parent); c.Roots != 1 || c.Orphans != 0 || c.Spans != 3 || c.Traces != 1 {
		t.Errorf("with its parent: %+v", c)
	}
}

func TestKinds(t *testing.T) {
	for kind, want := range map[[2]int]string{
		{entry, 3}: "server", {entry, messages}: "consumer", {exit, 1}: "client", {exit, messages}: "producer", {local, 0}: "internal", {9, 0}: "unspecified",
	} {
		m := sinktest.Message(2, "s", 3, sinktest.Message(2, -1, 8, kind[0], 9, kind[1]))
		if c := sinktest.Counted(t, countSegment, m); c.Kinds[want] != 1 {
			t.Errorf("type %d in layer %d: %v, want %s", kind[0], kind[1], c.Kinds, want)
		}
	}
}

func TestRefusedSpans(t *testing.T) {
	for name, m := range map[string][]byte{
		"no segment id":    sinktest.Message(3, sinktest.Message(1, 1)),
		"negative number":  sinktest.Message(2, "s", 3, sinktest.Message(1, -1)),
		"negative parents": sinktest.Message(2, "s", 3, sinktest.Message(2, -2)),
	} {
		if c := sinktest.Counted(t, countSegment, m); c.Rejected != 1 || c.Spans != 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestOthers(t *testing.T) {
	for name, test := range map[string]struct {
		count         func(*tally.Batch, []byte) error
		message       []byte
		metrics, logs uint64
	}{
		"metrics": {countMetrics, sinktest.Message(1, "a", 1, "b", 2, "calls"), 2, 0},
		"meter":   {countMeter, sinktest.Message(1, "a"), 1, 0},
		"log":     {countLog, sinktest.Message(1, "a"), 0, 1},
	} {
		if c := sinktest.Counted(t, test.count, test.message); c.Metrics != test.metrics || c.Logs != test.logs || c.Spans != 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// Everything that an agent calls is answered, with the package's name and without.
func TestMethods(t *testing.T) {
	m := methods()
	for _, name := range []string{
		"/skywalking.v3.TraceSegmentReportService/collect", "/TraceSegmentReportService/collect",
		"/skywalking.v3.ManagementService/keepAlive", "/skywalking.v3.ProfileTask/getProfileTaskCommands",
	} {
		if _, ok := m[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
}

func FuzzSegment(f *testing.F) {
	f.Add(call("s", 3))
	f.Add(sinktest.Message(2, "s", 3, sinktest.Message(2, -1, 5, sinktest.Message(3, "p", 4, 1))))
	total := tally.New(tally.Config{Checking: true, MaxSpans: 100})
	f.Fuzz(func(t *testing.T, m []byte) {
		for _, count := range []func(*tally.Batch, []byte) error{countSegment, countCollection, countMetrics, countMeter, countLog} {
			batch := total.Batch()
			_ = count(batch, m)
			if batch.Spans > uint64(len(m)) {
				t.Errorf("%d spans in %d bytes", batch.Spans, len(m))
			}
			total.Discard(batch)
		}
	})
}
