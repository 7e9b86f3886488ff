package elastic

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
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
