package hop

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
)

// zipkinAnswer and jaegerAnswer are three spans in two traces, as the servers answer.
const (
	zipkinAnswer = `[[{"traceId":"1","id":"2","tags":{"a":["[",{}]}},{"traceId":"1","id":"3"}],[{"traceId":"4","id":"5"}]]`
	jaegerAnswer = `{"other":[{"spans":[{},{}]}],"result":{"resourceSpans":[
		{"resource":{"spans":[{}]},"scopeSpans":[{"scope":{},"spans":[{"spanId":"2"},{"spanId":"3"}]}]},{"scopeSpans":[{"spans":[{"spanId":"5"}]},{"spans":null}]}]}}`
)

func TestAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		text   string
		each   string
		want   uint64
		fails  string
	}{
		"zipkin":           {200, zipkinAnswer, "*.*", 3, ""},
		"zipkin, nothing":  {200, `[]`, "*.*", 0, ""},
		"jaeger":           {200, jaegerAnswer, "result.resourceSpans.*.scopeSpans.*.spans.*", 3, ""},
		"jaeger, no such":  {200, `{"result":null}`, "result.resourceSpans.*.scopeSpans.*.spans.*", 0, ""},
		"refused":          {500, `{"result":null}`, "*", 0, "500"},
		"has none":         {404, `{"error":{}}`, "*", 0, ""},
		"cut off":          {200, zipkinAnswer[:60], "*.*", 0, "unexpected EOF"},
		"cut off at start": {200, "", "*.*", 0, "unexpected EOF"},
		"no JSON":          {200, "<html>", "*.*", 0, "invalid character"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.text)
		}))
		got, err := Answered(t.Context(), server.URL, program.Answers{Each: strings.Split(c.each, "."), None: 404})
		server.Close()
		if c.fails == "" && (err != nil || got != c.want) {
			t.Errorf("%s: %d spans, %v; want %d", name, got, err, c.want)
		}
		if c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.fails)
		}
	}
}

// FuzzAnswered: whatever a backend answers, it is counted or refused, and no more spans are counted than there are bytes.
func FuzzAnswered(f *testing.F) {
	f.Add(zipkinAnswer, "*.*")
	f.Add(jaegerAnswer, "result.resourceSpans.*.scopeSpans.*.spans.*")
	f.Fuzz(func(t *testing.T, text, each string) {
		n, err := countJSON(json.NewDecoder(strings.NewReader(text)), strings.Split(each, "."))
		if err == nil && n > uint64(len(text)) {
			t.Errorf("%d spans in %d bytes", n, len(text))
		}
	})
}

func TestStored(t *testing.T) {
	n := func(v uint64) *uint64 { return &v }
	for _, c := range []struct {
		said  record.Hop
		want  uint64
		known bool
	}{
		{record.Hop{}, 0, false},
		{record.Hop{Dropped: n(3)}, 0, false},
		{record.Hop{Received: n(7)}, 7, true},
		{record.Hop{Received: n(7), Dropped: n(3)}, 4, true},
		{record.Hop{Received: n(7), Dropped: n(9)}, 0, true},
	} {
		if got, known := Stored(c.said); got != c.want || known != c.known {
			t.Errorf("of %+v %d, %t are stored, want %d, %t", c.said, got, known, c.want, c.known)
		}
	}
}
