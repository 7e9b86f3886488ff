package formats_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tracetax/tracetax/lab/graphs/traces/formats"
)

// Texts of each format with the same span: a server's, of 2 ms.
const (
	jaegerText = `{"data":[{"traceID":"1a","spans":[{"traceID":"1a","spanID":"2b","operationName":"GET /x","startTime":1790000000000000,
"duration":2000,"references":[{"refType":"FOLLOWS_FROM","traceID":"ff","spanID":"9"},
{"refType":"CHILD_OF","span":{"spanID":"7"},"traceID":"1a","spanID":"3c"}],
"tags":[{"key":"span.kind","value":"server"},{"value":true,"key":"error"},{"key":"http.status_code","value":200}],
"logs":[{"fields":[]}],"processID":"p1"}],"processes":{"p1":{"serviceName":"shop","tags":[]}}}],"total":0}`
	otlpText = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0000000000000000000000000000001A","spanId":"000000000000002b",
"parentSpanId":"AAAAAAAAADw=","name":"GET /x","kind":2,"startTimeUnixNano":"1790000000000000000",
"endTimeUnixNano":1790000000002000000,"attributes":[{"key":"http.status_code","value":{"intValue":"200"}},
{"key":"list","value":{"arrayValue":{"values":[]}}}],"status":{"code":"STATUS_CODE_ERROR"}}]}],
"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]}}]}`
	zipkinText = `[{"traceId":"1a","id":"2b","parentId":"3c","kind":"SERVER","name":"GET /x","timestamp":1790000000000000,
"duration":2000,"localEndpoint":{"serviceName":"shop","ipv4":"127.0.0.1"},"tags":{"error":"","http.status_code":"200"}}]`
)

// read returns the spans of a text.
func read(t testing.TB, text string) ([]formats.Span, formats.Found) {
	t.Helper()
	var all []formats.Span
	found, err := formats.Read(strings.NewReader(text), func(s *formats.Span) error { all = append(all, *s); return nil })
	if err != nil {
		t.Fatalf("reading %.80s: %v", text, err)
	}
	return all, found
}

func TestFormats(t *testing.T) {
	want := formats.Span{
		Trace: [2]uint64{0, 0x1a}, ID: 0x2b, Parent: 0x3c, Kind: formats.Server, Service: "shop", Name: "GET /x",
		Start: 1_790_000_000_000_000_000, End: 1_790_000_000_002_000_000, Failed: true,
	}
	shown := cmp.Options{cmpopts.IgnoreUnexported(formats.Span{}), cmpopts.IgnoreFields(formats.Span{}, "Fields")}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, zipkinText); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(jaegerText, `{"data":[`), `],"total":0}`)
	snake := strings.NewReplacer("resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "traceId", "trace_id")
	for name, c := range map[string]struct {
		text  string
		spans int
	}{
		"jaeger": {jaegerText, 1}, "jaeger, a bare trace": {bare, 1}, "jaeger, lines": {bare + "\n" + bare, 2},
		"jaeger, backwards": {strings.Replace(bare, "{", `{"processes":{"p1":{"serviceName":"shop"}},`, 1), 1},
		"otlp":              {otlpText, 1}, "otlp, lines": {otlpText + "\n\n" + otlpText, 2}, "otlp of protobuf": {snake.Replace(otlpText), 1},
		"otlp of Tempo": {strings.Replace(otlpText, "resourceSpans", "batches", 1), 1},
		"zipkin":        {zipkinText, 1}, "zipkin, lines": {strings.Repeat(strings.Trim(zipkinText, "[]")+"\n", 2), 2},
		"zipkin, traces": {"[" + zipkinText + "," + zipkinText + "]", 2},
		"gzip":           {packed.String(), 1}, "a byte-order mark": {"\ufeff" + zipkinText, 1},
	} {
		t.Run(name, func(t *testing.T) {
			all, found := read(t, c.text)
			diff := cmp.Diff(slices.Repeat([]formats.Span{want}, c.spans), all, shown)
			if diff != "" || found.Spans != c.spans || found.CutOff {
				t.Errorf("%+v (-want +got)\n%s", found, diff)
			}
		})
	}
}

// Of two attributes for one thing the young convention's wins, in whichever order they come.
func TestConventions(t *testing.T) {
	for _, tags := range []string{`"db.system":"old","db.system.name":"new"`, `"db.system.name":"new","db.system":"old"`} {
		all, _ := read(t, `{"traceId":"1","id":"2","tags":{`+tags+`}}`)
		if got := all[0].Fields[formats.DBSystem]; got != "new" {
			t.Errorf("%s: the system is %q, want new", tags, got)
		}
	}
}

// Of Jaeger's references the parent is the one that says so, and never a span of another trace.
func TestReferences(t *testing.T) {
	const child, follows = `{"refType":"CHILD_OF","traceID":"1","spanID":"3"}`, `{"refType":"FOLLOWS_FROM","traceID":"1","spanID":"4"}`
	for references, want := range map[string]uint64{
		follows + "," + child: 3, child + "," + follows: 3, follows: 4, "": 0,
		`{"refType":"CHILD_OF","traceID":"9","spanID":"3"}`: 0,
		`{"spanID":"3","traceID":"1"}`:                      3, `{"refType":"CHILD_OF","spanID":"3"}`: 3,
	} {
		all, _ := read(t, `{"spanID":"2","references":[`+references+`],"traceID":"1","process":{"serviceName":"shop"}}`)
		if got := all[0].Parent; got != want || all[0].Service != "shop" {
			t.Errorf("[%s]: the parent is %d of %q, want %d", references, got, all[0].Service, want)
		}
	}
}

func TestIDs(t *testing.T) {
	for id, spans := range map[string]int{
		"1": 1, "000000000000000000000000000000ff": 1, "GgAAAAAAAAAaAAAAAAAAAA==": 1, "GgAAAAAAAAAaAAAAAAAAAA": 1, "GgAAAAAAABo=": 1,
		"": 0, "0": 0, "0000000000000000": 0, "no id": 0, "1000000000000000000000000000000ff": 0,
	} {
		all, found := read(t, `{"traceId":"`+id+`","id":"2"}`)
		if len(all) != spans || found.Without != 1-spans {
			t.Errorf("id %q: %d spans, %d without an id; want %d", id, len(all), found.Without, spans)
		}
	}
}

// A file that ends early is read up to there; one that has nothing, or is something else, is an error.
func TestBadFiles(t *testing.T) {
	if all, found := read(t, zipkinText[:len(zipkinText)-1]+`,{"traceId":"1a","id":"3`); len(all) != 1 || !found.CutOff {
		t.Errorf("%d spans, %+v; want 1, cut off", len(all), found)
	}
	for text, want := range map[string]string{
		"": "it has no spans", "[]": "it has no spans", `{"data":[]}`: "it has no spans",
		"spans": "not JSON at byte 0", `{"a":1]`: "not JSON at byte 6", `{"data":[`: "in the middle",
		"\x1f\x8bnot gzip": "unpacking gzip", "\x1f\x8b\x08\x00 not deflated": "flate: corrupt input",
	} {
		_, err := formats.Read(strings.NewReader(text), func(*formats.Span) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "jsontext") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	stop := errors.New("enough")
	if _, err := formats.Read(strings.NewReader(zipkinText), func(*formats.Span) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("an error of the taker does not end the reading: %v", err)
	}
}

// A trace of any number of spans does not fill the memory while it waits for the names of its services.
func TestSpansThatWaitAreBounded(t *testing.T) {
	const n = formats.MostSpans + 10
	spans := strings.TrimSuffix(strings.Repeat(`{"traceID":"1","spanID":"2"},`, n), ",")
	for _, text := range []string{
		`{"traceID":"1","spans":[` + spans + `],"processes":{}}`,
		`{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.ReplaceAll(spans, "ID", "Id") + `]}],"resource":{}}]}`,
	} {
		all, found := read(t, text)
		if found.Spans != n || found.Beyond != n-len(all) || found.Beyond < 9 {
			t.Errorf("%d spans of %d pass, %+v", len(all), n, found)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{jaegerText, otlpText, zipkinText, `[[{"tags":null,"references":{}}]]`, `{"spans":{},"processes":[]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		passed := 0
		found, err := formats.Read(bytes.NewReader(text), func(s *formats.Span) error {
			if s.ID == 0 || s.Trace == [2]uint64{} {
				t.Error("a span without an id is passed on")
			}
			passed++
			return nil
		})
		if err == nil && passed+found.Without+found.Beyond != found.Spans {
			t.Errorf("%d passed, %+v: spans are missing", passed, found)
		}
	})
}
