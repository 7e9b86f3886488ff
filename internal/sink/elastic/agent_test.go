package elastic

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"go.elastic.co/apm/v2"
	"go.elastic.co/apm/v2/transport"
)

func serve(t *testing.T, late time.Duration) (*tally.Total, string) {
	t.Helper()
	total := tally.New(tally.Config{Checking: true, MaxSpans: 10_000})
	in := wire.NewIntake(total, wire.Limits{Body: 8 << 20, Requests: 1, Header: time.Minute, Request: time.Minute}, late)
	server := httptest.NewServer(in.Handler(New(in)))
	t.Cleanup(server.Close)
	return total, server.URL
}

// agent is Elastic's Go agent, which streams compressed requests. It is the program's
// only one: the agent reads the environment.
func agent(t *testing.T, address string) *apm.Tracer {
	t.Helper()
	for name, value := range map[string]string{
		"METRICS_INTERVAL": "0s", "CLOUD_PROVIDER": "none", "CENTRAL_CONFIG": "false", "TRANSACTION_MAX_SPANS": "5",
		"SPAN_COMPRESSION_ENABLED": "true", "SPAN_COMPRESSION_EXACT_MATCH_MAX_DURATION": "60m", "API_REQUEST_TIME": "60m", "BREAKDOWN_METRICS": "false", "EXIT_SPAN_MIN_DURATION": "0ms",
	} {
		t.Setenv("ELASTIC_APM_"+name, value)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	to, err := transport.NewHTTPTransport(transport.HTTPTransportOptions{ServerURLs: []*url.URL{u}})
	if err != nil {
		t.Fatal(err)
	}
	made, err := apm.NewTracerOptions(apm.TracerOptions{ServiceName: "shop", Transport: to})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.Close)
	return made
}

// transactions makes n transactions of 10 spans: 1 + 4 queries that the agent makes one
// span of, and 5 of which it sends as many as it has room for.
func transactions(a *apm.Tracer, n int) {
	for i := range n {
		tx := a.StartTransaction("GET /", "request")
		local := tx.StartSpan("local", "app", nil)
		for range 4 {
			query := tx.StartExitSpan("SELECT", "db.postgresql", local)
			query.Context.SetServiceTarget(apm.ServiceTargetSpanContext{Type: "postgresql", Name: "pg"})
			query.Duration = time.Microsecond
			query.End()
		}
		local.End()
		for j := range 5 {
			tx.StartSpan(fmt.Sprint("work ", i, j), "app", nil).End()
		}
		tx.End()
	}
}

// The agent's own numbers: what it sent, merged, and kept back. Its request is open for
// an hour, and what it flushed is counted all the same.
func TestAgentCountsAgree(t *testing.T) {
	const n = 40
	total, address := serve(t, 0)
	a := agent(t, address)
	transactions(a, n)
	a.Flush(nil)
	stats := a.Stats()
	if stats.TransactionsSent != n || stats.SpansSent == 0 || stats.TransactionsDropped+stats.SpansDropped != 0 {
		t.Fatalf("the agent says %+v", stats)
	}
	waitFor(t, func() bool { return total.Counts().Spans >= n+stats.SpansSent })
	c := total.Counts()
	if c.Spans != n+stats.SpansSent || c.Roots != n || c.RootNames["GET /"] != n || c.Kinds["server"] != n || c.Services["shop"] != c.Spans {
		t.Errorf("counted %+v; the agent says %+v", c, stats)
	}
	if c.Spans+c.Merged+c.Suppressed != 11*n || c.Merged == 0 || c.Suppressed == 0 {
		t.Errorf("spans %d, merged %d, suppressed %d; %d were made", c.Spans, c.Merged, c.Suppressed, 11*n)
	}
	if c.Orphans+c.Duplicate != 0 || c.Traces != n || c.Rejected+c.Malformed != 0 {
		t.Errorf("orphans %d, duplicates %d, traces %d, rejected %d, malformed %d", c.Orphans, c.Duplicate, c.Traces, c.Rejected, c.Malformed)
	}
	if c.Protocols[intake] != 1 || c.Bytes == 0 || total.InFlight() != 0 {
		t.Errorf("protocols %v, bytes %d, in flight %d", c.Protocols, c.Bytes, total.InFlight())
	}
}

func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	for !condition() {
		select {
		case <-t.Context().Done():
			t.Fatal("it did not come to pass")
		case <-time.After(time.Millisecond): // between two looks at the condition
		}
	}
}

func TestPolls(t *testing.T) {
	total, address := serve(t, 0)
	tests := []struct {
		method, path, etag string
		status             int
		malformed          uint64
	}{
		{"GET", "/", "", 200, 0},
		{"HEAD", "/", "", 200, 0},
		{"GET", "/config/v1/agents?service.name=a", "", 200, 0},
		{"POST", "/config/v1/agents", `"-"`, 304, 0},
		{"GET", "/favicon.ico", "", 404, 0},
		{"POST", "/assets/v1/sourcemaps", "", 404, 1},
		{"POST", "/intake/v2/rum/events", "", 404, 2},
		{"GET", "/intake/v2/events", "", 405, 3},
	}
	for i, test := range tests {
		r, err := http.NewRequestWithContext(t.Context(), test.method, address+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if test.etag != "" {
			r.Header.Set("If-None-Match", test.etag)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		c := total.Counts()
		if response.StatusCode != test.status || c.Malformed != test.malformed || c.Protocols[other]+c.Malformed != uint64(i+1) {
			t.Errorf("%s %s: status %d, malformed %d, protocols %v", test.method, test.path, response.StatusCode, c.Malformed, c.Protocols)
		}
	}
}

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
		if s.last(0); s.accepted != 100 {
			b.Fatal("events", s.accepted)
		}
	}
}

// captured is what the Java agent sent of one request of ten queries, and of one of five
// queries and five updates; contexts and stack traces are cut out.
func captured(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/java.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// The Java agent counts what it merged among the dropped spans, and the others do not.
func TestMergedAndDropped(t *testing.T) {
	java := captured(t)
	metadata, queries, updates := java[0], java[1:3], java[3:]
	dropped := func(events []string, from, to string) []string {
		changed := strings.Replace(events[len(events)-1], from, to, 1)
		if changed == events[len(events)-1] {
			t.Fatalf("no %s in %s", from, changed)
		}
		return append(events[:len(events)-1:len(events)-1], changed)
	}
	requests := func(all ...[]string) (bodies []string) {
		for _, events := range all {
			bodies = append(bodies, lines(append([]string{metadata}, events...)...))
		}
		return bodies
	}
	goAgent := strings.Replace(metadata, `"name":"java"`, `"name":"go"`, 1)
	tests := map[string]struct {
		bodies                    []string
		spans, merged, suppressed uint64
	}{
		"as it was sent":                 {requests(java[1:]), 5, 17, 0},
		"the transaction in another":     {requests(queries[:1], queries[1:]), 2, 9, 0},
		"two at a time":                  {requests([]string{queries[0], updates[0], updates[1], updates[2], queries[1]}), 5, 17, 0},
		"and by a limit":                 {requests(dropped(queries, `"dropped":9`, `"dropped":12`)), 2, 9, 3},
		"and by a limit, with the count": {requests(dropped(queries, `"dropped":9,"started":1},"dropped_spans_stats":[]`, `"dropped":19,"started":1},"dropped_spans_stats":[{"duration":{"count":10}}]`)), 2, 9, 10},
		"fewer than were merged":         {requests(dropped(queries, `"dropped":9`, `"dropped":4`)), 2, 9, 0},
		"its spans were lost":            {requests(queries[1:]), 1, 0, 9},
		"another agent":                  {[]string{lines(append([]string{goAgent}, java[1:]...)...)}, 5, 17, 17},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			total, address := serve(t, 0)
			for _, body := range test.bodies {
				if status, answer := send(t, address+eventsPath, "", strings.NewReader(body)); status != 202 {
					t.Fatalf("status %d, %s", status, answer)
				}
			}
			c := total.Counts()
			if c.Spans != test.spans || c.Merged != test.merged || c.Suppressed != test.suppressed || c.Services["app"] != c.Spans {
				t.Errorf("spans %d, merged %d, suppressed %d, services %v; want %d, %d, %d", c.Spans, c.Merged, c.Suppressed, c.Services, test.spans, test.merged, test.suppressed)
			}
		})
	}
}

// A transaction that never comes is forgotten in the end, one that is open is not.
func TestMergesAreBounded(t *testing.T) {
	id := func(n int) []byte {
		return []byte(hex.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(n))))
	}
	var m merges
	const many = 5 * mostMerges
	for i := range many {
		m.add(id(i), 2)
	}
	if held := len(m.young) + len(m.old); held > 2*mostMerges {
		t.Errorf("%d are remembered", held)
	}
	m.add(id(many-1), 3)
	if n := m.take(id(many - 1)); n != 5 {
		t.Errorf("%d of the last one, want 5", n)
	}
	if n := m.take(id(many - mostMerges)); n != 2 {
		t.Errorf("%d of one that is open, want 2", n)
	}
	if n := m.take(id(many-mostMerges)) + m.take(id(0)) + m.take([]byte("no id")); n != 0 {
		t.Errorf("%d of those that are over or none", n)
	}
}
