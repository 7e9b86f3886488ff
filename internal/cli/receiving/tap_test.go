package receiving

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink"
)

// A tap counts what the next program took in apart from what it refused.
func TestTapCountsWhatTheNextTookIn(t *testing.T) {
	refuse := false
	next := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if refuse {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer next.Close()
	server, err := sink.Start(sink.Config{
		Listen:  protocol.Addresses{protocol.OTLPHTTP: "127.0.0.1:0"},
		Forward: map[string]string{string(protocol.OTLPHTTP): next.URL},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	send := func() {
		t.Helper()
		const span = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"a"}]}]}]}`
		answer, err := http.Post("http://"+server.Addresses()[protocol.OTLPHTTP]+"/v1/traces", "application/json", strings.NewReader(span))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	send()
	send()
	refuse = true
	send()
	page := httptest.NewRecorder()
	tapPage(server).ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, want := range []string{"\ntap_forwarded_spans 2\n", "\ntap_refused_spans 1\n"} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("%s, want %s", page.Body, want)
		}
	}
}
