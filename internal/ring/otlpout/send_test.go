// These tests are of the options, and of what goes over the wire.

package otlpout

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/ring"
)

// Requests are compressed where that was asked for, and not else.
func TestCompression(t *testing.T) {
	b := &backEnd{}
	over(t, b, func(t *testing.T, o Options) {
		for _, o.Gzip = range []bool{true, false} {
			b.spans = nil
			e := newExporter(t, t.Context(), o)
			must(t, e.Take(&ring.Program{Service: "shop"}, someSpans(1000)))
			must(t, e.Flush())
			must(t, e.Close())
			want := map[bool]string{true: "gzip"}[o.Gzip]
			if c := e.Counts(); c.Delivered != 1000 || b.got("shop") != 1000 || b.coding != want {
				t.Errorf("gzip %v: %+v, arrived %v, encoded as %q", o.Gzip, c, b.spans, b.coding)
			}
		}
	})
}

// An answer that is cut off is an error without the password of the address.
func TestErrorsHideThePassword(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "9") }))
	t.Cleanup(server.Close)
	o, err := Where(strings.Replace(server.URL, "//", "//me:secret@", 1), "", func(string) string { return "" })
	must(t, err)
	send, err := newSender(o)
	must(t, err)
	_, err = send.send(t.Context(), nil)
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "reading the answer") {
		t.Errorf("%v", err)
	}
	must(t, send.close())
}

// Addresses and the environment are read as OpenTelemetry's exporters read them.
func TestWhere(t *testing.T) {
	for _, c := range []struct {
		http, grpc, env string
		want, wrong     string
	}{
		{http: "http://127.0.0.1:4318", want: "http http://127.0.0.1:4318/v1/traces 10s"},
		{http: "127.0.0.1:4318", want: "http http://127.0.0.1:4318/v1/traces 10s"},
		{http: "https://c.example/x/v1/traces", want: "http https://c.example/x/v1/traces 10s"},
		{grpc: "127.0.0.1:4317", env: "PROTOCOL=http/json", want: "grpc http://127.0.0.1:4317 10s"},
		{env: "ENDPOINT=http://c:1/base TIMEOUT=250 HEADERS=a=b%20c,D=e", want: "http http://c:1/base/v1/traces 250ms a=b c d=e"},
		{env: "ENDPOINT=http://c:1 TRACES_ENDPOINT=http://d:2/as-is", want: "http http://d:2/as-is 10s"},
		{env: "ENDPOINT=https://c:1 PROTOCOL=grpc", want: "grpc https://c:1 10s"},
		{env: "ENDPOINT=http://c:1 COMPRESSION=gzip", want: "http http://c:1/v1/traces 10s gzip"},
		{env: "ENDPOINT=http://c:1 COMPRESSION=gzip TRACES_COMPRESSION=none", want: "http http://c:1/v1/traces 10s"},
		{grpc: "c:1", env: "TRACES_COMPRESSION=gzip", want: "grpc http://c:1 10s gzip"},
		{env: "ENDPOINT=http://c:1 COMPRESSION=zstd", wrong: "knows gzip and none"},
		{wrong: ErrNowhere.Error()},
		{http: "a:1", grpc: "b:1", wrong: "not both"},
		{http: "ftp://a", wrong: "no address of an OTLP receiver"},
		{env: "ENDPOINT=http://c:1 PROTOCOL=http/json", wrong: "speaks http/protobuf and grpc"},
		{env: "ENDPOINT=http://c:1 TIMEOUT=soon", wrong: "milliseconds"},
		{env: "ENDPOINT=http://c:1 HEADERS=secret", wrong: "not key=value"},
		{env: "ENDPOINT=http://c:1 HEADERS=a=secret%0A", wrong: "control character"},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			key, value, _ := strings.Cut(pair, "=")
			env["OTEL_EXPORTER_OTLP_"+key] = value
		}
		o, err := Where(c.http, c.grpc, func(name string) string { return env[name] })
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		got := map[bool]string{true: "grpc ", false: "http "}[o.GRPC]
		if err == nil {
			got += o.Endpoint.String() + " " + o.Timeout.String()
		}
		if o.Gzip {
			got += " gzip"
		}
		for _, key := range []string{"a", "d"} {
			if v := o.Headers[key]; v != "" {
				got += " " + key + "=" + v
			}
		}
		if err != nil || got != c.want {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}
