package alone

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink"
)

// An experiment may ask for a sink that is as late as a sink can be, and no later.
func TestLatestSink(t *testing.T) {
	listen := protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0"}
	if err := (sink.Config{Listen: listen, Late: sink.MaxLate}).Check(); err != nil {
		t.Error(err)
	}
	for late, fine := range map[string]bool{sink.MaxLate.String(): true, (2 * sink.MaxLate).String(): false} {
		text := "workload: {name: x, processes: [{name: app, run: [x]}], operations: {get: {request: 'GET http://127.0.0.1:1/'}}}\nvariants: {none: , one: {env: {A: b}}}\nfaults: {sink-late: " + late + "}\n"
		if _, err := config.ParseExperiment("x.yaml", ".", []byte(text), program.NewCatalog(fstest.MapFS{})); (err == nil) != fine {
			t.Errorf("sink-late: %s: %v", late, err)
		}
	}
}

func TestSinkWarnsBeyondLoopback(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1:1": true, "[::1]:1": true, "0.0.0.0:1": false, "[::]:1": false, "192.0.2.1:1": false} {
		if loopback(address) != want {
			t.Errorf("loopback(%q) = %v", address, !want)
		}
	}
}

func TestShareFlag(t *testing.T) {
	for text, want := range map[string]float64{"3%": 0.03, "0.03": 0.03, "33.3%": 0.333, "0": 0, "100%": 1, "1": 1, "1e-3": 0.001} {
		var f shareFlag
		if err := f.Set(text); err != nil || float64(f) != want {
			t.Errorf("%q: %v, error %v; want %v", text, float64(f), err, want)
		}
	}
	for _, text := range []string{"", "%", "3", "-1%", "NaN", "Inf", "three", "3 %%"} {
		var f shareFlag
		if err := f.Set(text); err == nil {
			t.Errorf("%q is taken for %v", text, float64(f))
		}
	}
}

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
