package otlp

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

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
