package datadog

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tinylib/msgp/msgp"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

// made is a span as a test makes it.
type made struct {
	service, resource, kind string
	trace, id, parent       uint64
}

var twoTraces = [][]made{
	{{"shop", "GET /", "server", 1, 1, 0}, {"shop-db", "SELECT", "client", 1, 2, 1}, {"shop", "work", "", 1, 1<<63 + 3, 2}},
	{{"shop", "GET /", "server", 1<<64 - 1, 1, 0}},
}

// maps writes traces in the versions 0.3 and 0.4.
func maps(traces [][]made) (b []byte) {
	b = msgp.AppendArrayHeader(b, uint32(len(traces)))
	for _, trace := range traces {
		b = msgp.AppendArrayHeader(b, uint32(len(trace)))
		for _, s := range trace {
			b = msgp.AppendMapHeader(b, 12)
			for _, text := range []string{"service", s.service, "name", "operation", "resource", s.resource, "type", "web"} {
				b = msgp.AppendString(b, text)
			}
			b = msgp.AppendUint64(msgp.AppendString(b, "trace_id"), s.trace)
			b = msgp.AppendUint64(msgp.AppendString(b, "span_id"), s.id)
			b = msgp.AppendUint64(msgp.AppendString(b, "parent_id"), s.parent)
			b = msgp.AppendInt64(msgp.AppendString(b, "start"), 1_700_000_000_000_000_000)
			b = msgp.AppendInt64(msgp.AppendString(b, "duration"), 1000)
			b = msgp.AppendInt(msgp.AppendString(b, "error"), 0)
			b = msgp.AppendMapHeader(msgp.AppendString(b, "meta"), 2)
			for _, text := range []string{"language", "go", kindKey, s.kind} {
				b = msgp.AppendString(b, text)
			}
			b = msgp.AppendMapHeader(msgp.AppendString(b, "metrics"), 1)
			b = msgp.AppendFloat64(msgp.AppendString(b, "_sampling_priority_v1"), 1)
		}
	}
	return b
}

// arrays writes traces in the version 0.5.
func arrays(traces [][]made) (b []byte) {
	texts := []string{"", kindKey}
	at := func(text string) uint32 {
		i := slices.Index(texts, text)
		if i < 0 {
			i = len(texts)
			texts = append(texts, text)
		}
		return uint32(i)
	}
	b = msgp.AppendArrayHeader(b, uint32(len(traces)))
	for _, trace := range traces {
		b = msgp.AppendArrayHeader(b, uint32(len(trace)))
		for _, s := range trace {
			b = msgp.AppendArrayHeader(b, spanFields)
			for _, text := range []string{s.service, "operation", s.resource} {
				b = msgp.AppendUint32(b, at(text))
			}
			for _, n := range []uint64{s.trace, s.id, s.parent, 1_700_000_000_000_000_000, 1000, 0} {
				b = msgp.AppendUint64(b, n)
			}
			b = msgp.AppendMapHeader(b, 2)
			for _, text := range []string{"language", "go", kindKey, s.kind} {
				b = msgp.AppendUint32(b, at(text))
			}
			b = msgp.AppendMapHeader(b, 1)
			b = msgp.AppendFloat64(msgp.AppendUint32(b, at("_sampling_priority_v1")), 1)
			b = msgp.AppendUint32(b, at("web"))
		}
	}
	table := msgp.AppendArrayHeader(msgp.AppendArrayHeader(nil, 2), uint32(len(texts)))
	for _, text := range texts {
		table = msgp.AppendString(table, text)
	}
	return append(table, b...)
}

func serve(t *testing.T) (*tally.Total, string) {
	t.Helper()
	total := tally.New(tally.Config{Checking: true, MaxSpans: 10_000})
	in := wire.NewIntake(total, wire.Limits{Body: 1 << 20, Requests: 4, Header: time.Minute, Request: time.Minute}, 0)
	server := httptest.NewServer(in.Handler(New(in)))
	t.Cleanup(server.Close)
	return total, server.URL
}

func send(t *testing.T, method, address, contentType string, body []byte) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

const packed = "application/msgpack"

func TestVersionsCountAlike(t *testing.T) {
	bodies := map[string][]byte{"v0.3": maps(twoTraces), "v0.4": maps(twoTraces), "v0.5": arrays(twoTraces)}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			total, url := serve(t)
			status, answer := send(t, http.MethodPut, url+"/"+name+"/traces", packed, body)
			if status != http.StatusOK {
				t.Fatalf("status %d: %s", status, answer)
			}
			var rates struct {
				Rates map[string]float64 `json:"rate_by_service"`
			}
			if name != "v0.3" {
				if err := json.Unmarshal([]byte(answer), &rates); err != nil || rates.Rates["service:,env:"] != 1 {
					t.Errorf("answer %s: %v", answer, err)
				}
			}
			want := record.Counts{
				Requests: 1, Bytes: uint64(len(body)), Spans: 4, Roots: 2, Traces: 2, Checking: true,
				Services:  map[string]uint64{"shop": 3, "shop-db": 1},
				RootNames: map[string]uint64{"GET /": 2},
				Shapes:    record.Shapes{"GET /": {1: 1, 3: 1}},
				Kinds:     map[string]uint64{"server": 2, "client": 1, "internal": 1},
				Protocols: map[string]uint64{"datadog/" + name: 1},
			}
			if diff := cmp.Diff(want, total.Counts(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			if _, err := http.Post(url+"/"+name+"/traces", packed, bytes.NewReader(body)); err != nil {
				t.Fatal(err)
			}
			if c := total.Counts(); c.Duplicate != 4 || c.Spans != 8 {
				t.Errorf("sent twice: duplicates %d, spans %d", c.Duplicate, c.Spans)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	total, url := serve(t)
	tests := []struct {
		name, method, path, contentType string
		body                            []byte
		status                          int
	}{
		{"no traces", "PUT", "/v0.4/traces", packed, []byte{0x90}, 200},
		{"no traces, with a table", "PUT", "/v0.5/traces", packed, []byte{0x92, 0x90, 0x90}, 200},
		{"is 0.5 understood?", "PUT", "/v0.5/traces", packed, []byte{0x90}, 200},
		{"info", "GET", "/info", "", nil, 200},
		{"statistics", "PUT", "/v0.6/stats", packed, []byte{0x80}, 200},
		{"telemetry", "POST", "/telemetry/proxy/api/v2/apmtelemetry", "application/json", []byte("{}"), 200},
		{"remote configuration", "POST", "/v0.7/config", "application/json", []byte("{}"), 200},
		{"a probe", "GET", "/", "", nil, 404},
		{"empty", "PUT", "/v0.4/traces", packed, nil, 400},
		{"cut off", "PUT", "/v0.4/traces", packed, maps(twoTraces)[:100], 400},
		{"table cut off", "PUT", "/v0.5/traces", packed, arrays(twoTraces)[:100], 400},
		{"more behind it", "PUT", "/v0.4/traces", packed, append(maps(twoTraces), 0), 400},
		{"another version's", "PUT", "/v0.5/traces", packed, maps(twoTraces), 400},
		{"many of nothing", "PUT", "/v0.4/traces", packed, []byte{0xdd, 0xff, 0xff, 0xff, 0xff}, 400},
		{"JSON", "PUT", "/v0.3/traces", "application/json", []byte("[]"), 415},
		{"method", "GET", "/v0.4/traces", packed, nil, 405},
		{"path", "POST", "/v1.0/traces", packed, nil, 404},
		{"large", "PUT", "/v0.4/traces", packed, make([]byte, 2<<20), 413},
	}
	var malformed uint64
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			status, answer := send(t, test.method, url+test.path, test.contentType, test.body)
			if status != test.status {
				t.Errorf("status %d: %s; want %d", status, answer, test.status)
			}
			if i >= 8 {
				malformed++
			}
			if c := total.Counts(); c.Malformed != malformed || c.Requests+c.Malformed != uint64(i+1) || c.Spans != 0 {
				t.Errorf("requests %d, malformed %d, spans %d", c.Requests, c.Malformed, c.Spans)
			}
		})
	}
	_, answer := send(t, http.MethodGet, url+"/info", "", nil)
	var said struct{ Endpoints []string }
	if err := json.Unmarshal([]byte(answer), &said); err != nil || !slices.Contains(said.Endpoints, "/v0.5/traces") {
		t.Errorf("info %s: %v", answer, err)
	}
}

func TestInvalidSpans(t *testing.T) {
	traces := [][]made{{{trace: 0, id: 1}, {trace: 1, id: 0}, {trace: 1, id: 1}}}
	for name, body := range map[string][]byte{"/v0.4/traces": maps(traces), "/v0.5/traces": arrays(traces)} {
		total, url := serve(t)
		status, _ := send(t, http.MethodPost, url+name, packed, body)
		if c := total.Counts(); status != http.StatusOK || c.Spans != 1 || c.Rejected != 2 {
			t.Errorf("%s: status %d, spans %d, rejected %d", name, status, c.Spans, c.Rejected)
		}
	}
}

// Null stands for what is missing, ids may be signed, and text may come as bytes.
func TestOddities(t *testing.T) {
	b := msgp.AppendArrayHeader(msgp.AppendArrayHeader(nil, 1), 1)
	b = msgp.AppendMapHeader(b, 6)
	b = msgp.AppendInt64(msgp.AppendString(b, "trace_id"), -5)
	b = msgp.AppendInt64(msgp.AppendString(b, "span_id"), 5)
	b = msgp.AppendNil(msgp.AppendString(b, "parent_id"))
	b = msgp.AppendNil(msgp.AppendString(b, "meta"))
	b = msgp.AppendBytes(msgp.AppendString(b, "resource"), []byte("GET /"))
	b = msgp.AppendNil(msgp.AppendString(b, "service"))
	total := tally.New(tally.Config{})
	batch := total.Batch()
	if err := walkTraces(batch, b); err != nil {
		t.Fatal(err)
	}
	total.Merge(batch, "p", 0)
	if c := total.Counts(); c.Spans != 1 || c.Roots != 1 || c.RootNames["GET /"] != 1 || c.Services["(none)"] != 1 {
		t.Errorf("counted %+v", c)
	}
}

func fuzz(f *testing.F, walk func(*tally.Batch, []byte) error, seeds ...[]byte) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		b := tally.New(tally.Config{Checking: true, MaxSpans: 10}).Batch()
		err := walk(b, body)
		if err != nil && !errors.Is(err, errBody) {
			t.Errorf("error of another kind: %v", err)
		}
		if b.Spans+b.Rejected > uint64(len(body)) {
			t.Errorf("%d spans in %d bytes", b.Spans+b.Rejected, len(body))
		}
		if rest, skipErr := msgp.Skip(body); err == nil && (skipErr != nil || len(rest) > 0) {
			t.Errorf("accepted %x: %v, %d bytes left", body, skipErr, len(rest))
		}
	})
}

func FuzzTraces(f *testing.F) { fuzz(f, walkTraces, maps(twoTraces), []byte{0x90}) }
func FuzzTable(f *testing.F)  { fuzz(f, walkTable, arrays(twoTraces), []byte{0x92, 0x90, 0x90}) }

func BenchmarkTraces(b *testing.B) {
	for name, body := range map[string][]byte{"v0.4": maps(twoTraces), "v0.5": arrays(twoTraces)} {
		b.Run(name, func(b *testing.B) {
			total := tally.New(tally.Config{})
			b.ReportAllocs()
			for b.Loop() {
				batch := total.Batch()
				if err := versions["/"+name+"/traces"].walk(batch, body); err != nil {
					b.Fatal(err)
				}
				total.Merge(batch, name, 0)
			}
		})
	}
}
