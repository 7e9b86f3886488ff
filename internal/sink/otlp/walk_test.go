package otlp

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
	collectorlogs "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

func TestTracesAgainstReference(t *testing.T) {
	request := sample()
	body := encoded(t, request)
	compare(t, body, walkTraces, func(b *tally.Batch) { referenceTraces(b, request) })
	compare(t, sampleJSON(request), walkTracesJSON, func(b *tally.Batch) { referenceTraces(b, request) })

	c, err := counted(func(b *tally.Batch) error { return walkTraces(b, body) })
	if err != nil {
		t.Fatal(err)
	}
	if c.Spans != 5 || c.Roots != 2 || c.Rejected != 2 || c.Duplicate != 1 || c.Orphans != 1 || c.Traces != 3 ||
		c.Services["shop"] != 4 || c.Services["(none)"] != 1 || c.RootNames["GET /"] != 1 || c.Kinds["unspecified"] != 2 || c.Kinds["client"] != 1 {
		t.Errorf("counted %+v", c)
	}
}

func sampleMetrics() *collectormetrics.ExportMetricsServiceRequest {
	return &collectormetrics.ExportMetricsServiceRequest{ResourceMetrics: []*metrics.ResourceMetrics{{ScopeMetrics: []*metrics.ScopeMetrics{{Metrics: []*metrics.Metric{
		{Name: "g", Data: &metrics.Metric_Gauge{Gauge: &metrics.Gauge{DataPoints: []*metrics.NumberDataPoint{{}, {TimeUnixNano: 1}}}}},
		{Name: "s", Data: &metrics.Metric_Sum{Sum: &metrics.Sum{DataPoints: []*metrics.NumberDataPoint{{}}}}},
		{Name: "h", Data: &metrics.Metric_Histogram{Histogram: &metrics.Histogram{DataPoints: []*metrics.HistogramDataPoint{{Count: 3}}}}},
		{Name: "e", Data: &metrics.Metric_ExponentialHistogram{ExponentialHistogram: &metrics.ExponentialHistogram{DataPoints: []*metrics.ExponentialHistogramDataPoint{{}}}}},
		{Name: "y", Data: &metrics.Metric_Summary{Summary: &metrics.Summary{DataPoints: []*metrics.SummaryDataPoint{{}}}}},
		{Name: "nothing"},
	}}}}}}
}

func sampleLogs() *collectorlogs.ExportLogsServiceRequest {
	return &collectorlogs.ExportLogsServiceRequest{ResourceLogs: []*logs.ResourceLogs{{ScopeLogs: []*logs.ScopeLogs{
		{LogRecords: []*logs.LogRecord{{SeverityText: "INFO"}, {}}}, {}, {LogRecords: []*logs.LogRecord{{}}},
	}}}}
}

func TestOtherSignalsAgainstReference(t *testing.T) {
	m, l := sampleMetrics(), sampleLogs()
	compare(t, encoded(t, m), walkMetrics, func(b *tally.Batch) { referenceMetrics(b, m) })
	compare(t, encoded(t, l), walkLogs, func(b *tally.Batch) { referenceLogs(b, l) })
	for _, test := range []struct {
		walk    func(*tally.Batch, []byte) error
		json    string
		metrics uint64
		logs    uint64
	}{
		{walkMetricsJSON, `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"a","gauge":{"dataPoints":[{"asInt":"1"},{}]}},{"summary":{"dataPoints":[{}]}},{"sum":null},{}]}]}]}`, 3, 0},
		{walkLogsJSON, `{"resourceLogs":[{"resource":{},"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"}},{}]},{"logRecords":null}]}]}`, 0, 2},
	} {
		c, err := counted(func(b *tally.Batch) error { return test.walk(b, []byte(test.json)) })
		if err != nil || c.Metrics != test.metrics || c.Logs != test.logs {
			t.Errorf("%s: data points %d, log records %d, error %v", test.json, c.Metrics, c.Logs, err)
		}
	}
}

// Protobuf allows messages in pieces, fields in any order, unknown fields, overlong
// tags and groups; all of it must count as if it were decoded.
func TestUnusualProtobuf(t *testing.T) {
	body := encoded(t, sample())
	group := protowire.AppendTag(nil, 900, protowire.StartGroupType)
	group = protowire.AppendBytes(protowire.AppendTag(group, 3, protowire.BytesType), []byte("x"))
	group = protowire.AppendTag(group, 900, protowire.EndGroupType)
	odd := slices.Concat(group, []byte{0x0a | 0x80, 0x80, 0}, protowire.AppendBytes(nil, nil), // overlong tag 1
		protowire.AppendFixed32(protowire.AppendTag(nil, 7, protowire.Fixed32Type), 1),
		protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), 1), // right number, wrong type
		body, body)
	var request collectortrace.ExportTraceServiceRequest
	if err := proto.Unmarshal(odd, &request); err != nil {
		t.Fatal(err)
	}
	compare(t, odd, walkTraces, func(b *tally.Batch) { referenceTraces(b, &request) })
}

// Fields that exclude each other may still both be on the wire: the last one holds,
// and pieces of one and the same are merged.
func TestExcludingFields(t *testing.T) {
	piece := func(number protowire.Number, value []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
	}
	points := func(n int) []byte { return bytes.Repeat(piece(1, nil), n) }
	for _, metric := range [][]byte{
		slices.Concat(piece(5, points(3)), piece(7, points(2))),
		slices.Concat(piece(7, points(3)), piece(7, points(2))),
		slices.Concat(piece(9, points(1)), piece(11, points(4)), piece(9, points(2))),
	} {
		body := piece(1, piece(2, piece(2, metric)))
		var request collectormetrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(body, &request); err != nil {
			t.Fatal(err)
		}
		compare(t, body, walkMetrics, func(b *tally.Batch) { referenceMetrics(b, &request) })
	}

	name, number := piece(1, []byte("shop")), protowire.AppendVarint(protowire.AppendTag(nil, 3, protowire.VarintType), 5)
	span := encoded(t, sample().GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()[0])
	for _, value := range [][]byte{
		slices.Concat(name, number), slices.Concat(number, name), slices.Concat(name, piece(7, nil)), name, number,
	} {
		attribute := slices.Concat(piece(2, value), piece(1, []byte(serviceNameKey)), piece(2, nil))
		body := piece(1, slices.Concat(piece(2, piece(2, span)), piece(1, piece(1, attribute))))
		var request collectortrace.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &request); err != nil {
			t.Fatal(err)
		}
		compare(t, body, walkTraces, func(b *tally.Batch) { referenceTraces(b, &request) })
	}
}

// The attributes of a span are passed over in a row, where they are short.
func TestAttributesInARow(t *testing.T) {
	for _, lengths := range [][]int{{1}, {0, 0, 3}, {100, 110, 115}, {113, 114, 115, 116, 117}, {5, 200, 5}, {20_000, 1}} {
		s := sample().GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()[0]
		for _, n := range lengths {
			s.Attributes = append(s.Attributes, text("key", strings.Repeat("v", n)))
		}
		message := encoded(t, s)
		request := &collectortrace.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{Spans: []*trace.Span{s, s}}}}}}
		compare(t, encoded(t, request), walkTraces, func(b *tally.Batch) { referenceTraces(b, request) })
		// Cut off, the span must be refused wherever the reference refuses it.
		for cut := range message {
			err := walkSpan(tally.New(tally.Config{}).Batch(), message[:cut:cut])
			if wrong := proto.Unmarshal(message[:cut], new(trace.Span)); (err == nil) != (wrong == nil) {
				t.Fatalf("attributes of %v bytes, cut off after %d bytes of %d: error %v; the reference says %v", lengths, cut, len(message), err, wrong)
			}
		}
	}
}

func TestBrokenProtobuf(t *testing.T) {
	body := encoded(t, sample())
	for cut := 1; cut < len(body); cut++ {
		var request collectortrace.ExportTraceServiceRequest
		if proto.Unmarshal(body[:cut], &request) == nil {
			continue
		}
		_, err := counted(func(b *tally.Batch) error { return walkTraces(b, body[:cut]) })
		if !errors.Is(err, wire.ErrProtobuf) {
			t.Fatalf("body cut off after %d bytes of %d: error %v", cut, len(body), err)
		}
	}
	for _, broken := range [][]byte{
		{0x00},                         // field number 0
		{0x02, 0x00},                   // field number 0 with bytes
		{0x0e},                         // wire type 6
		{0x0c},                         // the end of a group that has not begun
		{0x0a},                         // no length
		{0x0a, 0x05, 'x'},              // longer than the message
		bytes.Repeat([]byte{0xff}, 12), // no end of a varint
		{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, // a length of 2⁶⁴−1
		[]byte("<html>not found</html>"),
	} {
		for i := range signals {
			if err := signals[i].protobuf(tally.New(tally.Config{Checking: true, MaxSpans: 1}).Batch(), broken); !errors.Is(err, wire.ErrProtobuf) {
				t.Errorf("%s: body %x: error %v", signals[i].name, broken, err)
			}
		}
	}
}

func FuzzProtobuf(f *testing.F) {
	f.Add(encoded(f, sample()))
	f.Add(encoded(f, sampleMetrics()))
	f.Add(encoded(f, sampleLogs()))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		var traces collectortrace.ExportTraceServiceRequest
		if proto.Unmarshal(body, &traces) == nil {
			compare(t, body, walkTraces, func(b *tally.Batch) { referenceTraces(b, &traces) })
			// The same request must count the same in JSON.
			compare(t, sampleJSON(&traces), walkTracesJSON, func(b *tally.Batch) { referenceTraces(b, &traces) })
		}
		var metrics collectormetrics.ExportMetricsServiceRequest
		if proto.Unmarshal(body, &metrics) == nil {
			compare(t, body, walkMetrics, func(b *tally.Batch) { referenceMetrics(b, &metrics) })
		}
		var logs collectorlogs.ExportLogsServiceRequest
		if proto.Unmarshal(body, &logs) == nil {
			compare(t, body, walkLogs, func(b *tally.Batch) { referenceLogs(b, &logs) })
		}
		// What the reference refuses may be refused or not, but must not crash.
		for i := range signals {
			_, _ = counted(func(b *tally.Batch) error { return signals[i].protobuf(b, body) })
		}
	})
}

// specExample has the shape of the example that the OTLP specification gives.
const specExample = `{
  "resourceSpans": [{
    "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "my.service"}}]},
    "scopeSpans": [{
      "scope": {
        "name": "my.library", "version": "1.0.0",
        "attributes": [{"key": "my.scope.attribute", "value": {"stringValue": "some scope attribute"}}]
      },
      "spans": [{
        "traceId": "5B8EFFF798038103D269B633813FC60C",
        "spanId": "EEE19B7EC3C1B174",
        "parentSpanId": "EEE19B7EC3C1B173",
        "name": "I'm a server span",
        "startTimeUnixNano": "1544712660000000000",
        "endTimeUnixNano": "1544712661000000000",
        "kind": 2,
        "attributes": [{"key": "my.span.attr", "value": {"stringValue": "some value"}}]
      }]
    }]
  }]
}`

func TestSpecExample(t *testing.T) {
	c, err := counted(func(b *tally.Batch) error { return walkTracesJSON(b, []byte(specExample)) })
	if err != nil {
		t.Fatal(err)
	}
	if c.Spans != 1 || c.Roots != 0 || c.Orphans != 1 || c.Traces != 1 || c.Kinds["server"] != 1 || c.Services["my.service"] != 1 {
		t.Errorf("counted %+v", c)
	}
}

// oneSpan is a request with one span that has the given members besides valid ids.
func oneSpan(members string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"000102030405060708090a0b0c0d0e0f","spanId":"0001020304050607"` + members + `}]}]}]}`
}

func TestJSONForms(t *testing.T) {
	kind := func(name string) func(c map[string]uint64) bool {
		return func(c map[string]uint64) bool { return c[name] == 1 }
	}
	tests := []struct {
		name, json string
		kinds      func(map[string]uint64) bool
		rejected   uint64
	}{
		{"kind as number", oneSpan(`,"kind":3`), kind("client"), 0},
		{"kind as name", oneSpan(`,"kind":"SPAN_KIND_PRODUCER"`), kind("producer"), 0},
		{"kind as number in a string", oneSpan(`,"kind":"5"`), kind("consumer"), 0},
		{"kind as fraction", oneSpan(`,"kind":1.0`), kind("internal"), 0},
		{"kind beyond all numbers", oneSpan(`,"kind":1e300`), kind("unspecified"), 0},
		{"kind unknown", oneSpan(`,"kind":"SPAN_KIND_ODD"`), kind("unspecified"), 0},
		{"nulls", oneSpan(`,"kind":null,"name":null,"parentSpanId":null,"attributes":null`), kind("unspecified"), 0},
		{"escaped member name", oneSpan(`,"\u006bind":2`), kind("server"), 0},
		{"member twice", oneSpan(`,"kind":1,"kind":2`), kind("server"), 0},
		{"snake case is unknown", oneSpan(`,"span_id":"","kind":2`), kind("server"), 0},
		{"parent of no hex digits", oneSpan(`,"parentSpanId":"zzzzzzzzzzzzzzzz"`), nil, 1},
		{"parent of odd length", oneSpan(`,"parentSpanId":"123"`), nil, 1},
		{"id far too long", oneSpan(`,"spanId":"` + strings.Repeat("ab", 1000) + `"`), nil, 1},
		{"base64 trace id", oneSpan(`,"traceId":"AAECAwQFBgcICQoLDA0ODw=="`), nil, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := counted(func(b *tally.Batch) error { return walkTracesJSON(b, []byte(test.json)) })
			if err != nil {
				t.Fatal(err)
			}
			if c.Rejected != test.rejected || c.Spans != 1-test.rejected || test.kinds != nil && !test.kinds(c.Kinds) {
				t.Errorf("counted %+v", c)
			}
		})
	}
}

func TestBrokenJSON(t *testing.T) {
	for _, broken := range []string{
		``, `null`, `[]`, `7`, `{`, `{"resourceSpans":[}`, `{} {}`, `{}x`, `<html>`,
		`{"resourceSpans":{}}`, `{"resourceSpans":[7]}`, `{"resourceSpans":[{"resource":[]}]}`,
		oneSpan(`,"kind":true`), oneSpan(`,"name":7`), oneSpan(`,"traceId":[]`), oneSpan(",\"name\":\"\xff\""),
		specExample[:len(specExample)-3], strings.Repeat(`{"a":`, 20_000), `{"x":` + strings.Repeat("[", 20_000),
	} {
		_, err := counted(func(b *tally.Batch) error { return walkTracesJSON(b, []byte(broken)) })
		if !errors.Is(err, wire.ErrJSON) {
			t.Errorf("%.60q: error %v", broken, err)
		}
	}
}

// The sender of a wrong body is told in words, and where.
func TestBrokenJSONIsToldInWords(t *testing.T) {
	for broken, want := range map[string]string{
		`garbage`:                    "not JSON: unexpected character 'g' at byte 0",
		`{"resourceSpans": garbage}`: "not JSON: unexpected character 'g' at byte 18",
		`{"a":1, garbage}`:           "not JSON at byte 8: invalid character 'g'",
		`{"resourceSpans":[`:         "not JSON: it ends too early",
		`[]`:                         "an array where an object belongs, at its beginning",
		`{"resourceSpans":{}}`:       `an object where an array belongs, in "/resourceSpans"`,
	} {
		_, err := counted(func(b *tally.Batch) error { return walkTracesJSON(b, []byte(broken)) })
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "jsontext") {
			t.Errorf("%s: %v, want %q", broken, err, want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(specExample))
	f.Add(sampleJSON(sample()))
	f.Add([]byte(`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"gauge":{"dataPoints":[{}]}}]}]}]}`))
	f.Add([]byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		valid := jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true))
		for i := range signals {
			_, err := counted(func(b *tally.Batch) error { return signals[i].json(b, body) })
			if err == nil && !valid {
				t.Errorf("%s: invalid JSON accepted: %q", signals[i].name, body)
			}
			if err != nil && !errors.Is(err, wire.ErrJSON) {
				t.Errorf("%s: error of another kind: %v", signals[i].name, err)
			}
		}
	})
}
