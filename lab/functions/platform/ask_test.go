package platform

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestAsked(t *testing.T) {
	for _, test := range []struct {
		headers string
		want    ask
		wrong   string
	}{
		{"", ask{environments: 1}, ""},
		{"Tracetax-Environments: 10", ask{environments: 10}, ""},
		{"Tracetax-Start: cold", ask{environments: 1, cold: true}, ""},
		{"Tracetax-Start: warm, Tracetax-Freeze: on", ask{environments: 1, freeze: true}, ""},
		{"Tracetax-Freeze: off", ask{environments: 1}, ""},
		{"Tracetax-Environments: 0", ask{}, environmentsHeader},
		{"Tracetax-Environments: 101", ask{}, environmentsHeader},
		{"Tracetax-Environments: many", ask{}, environmentsHeader},
		{"Tracetax-Start: lukewarm", ask{}, startHeader},
		{"Tracetax-Freeze: yes", ask{}, freezeHeader},
		{"Tracetax-Start: cold, Tracetax-Freeze: on", ask{}, freezeHeader},
	} {
		h := http.Header{}
		for _, line := range strings.Split(test.headers, ", ") {
			if name, value, ok := strings.Cut(line, ": "); ok {
				h.Set(name, value)
			}
		}
		got, err := asked(h)
		if test.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("%q: error %v, want one about %s", test.headers, err, test.wrong)
			}
			continue
		}
		if err != nil || got != test.want {
			t.Errorf("%q is %+v (%v), want %+v", test.headers, got, err, test.want)
		}
	}
}

// A trace is handed on in X-Ray's words, whoever began it.
func TestTraceOf(t *testing.T) {
	const xray = "Root=1-0af76519-16cd43dd8448eb211c80319c;Parent=b7ad6b7169203331;Sampled="
	for _, test := range []struct{ name, value, want string }{
		{"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", xray + "1"},
		{"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-02", xray + "0"},
		{"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0b", xray + "1"},
		{"traceparent", "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", ""},
		{"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", ""},
		{"traceparent", "", ""},
		{"x-amzn-trace-id", xray + "1", xray + "1"},
	} {
		h := http.Header{}
		h.Set(test.name, test.value)
		if got := traceOf(h); got != test.want {
			t.Errorf("%s: %s is handed on as %q, want %q", test.name, test.value, got, test.want)
		}
	}
}

func TestParseFunction(t *testing.T) {
	for text, want := range map[string]Function{
		"hello=app.handler":                       {"hello", "app.handler", 128, 3 * time.Second},
		"a_b-C=x/y.handler,memory=512,timeout=2m": {"a_b-C", "x/y.handler", 512, 2 * time.Minute},
		"hello=app.handler,timeout=100ms":         {"hello", "app.handler", 128, 100 * time.Millisecond},
		"hello":                                   {}, "=app.handler": {}, "hello=": {}, "../etc=app.handler": {}, "a b=app.handler": {},
		"hello=app.handler,memory=0": {}, "hello=app.handler,memory=20000": {}, "hello=app.handler,memory=1e9": {},
		"hello=app.handler,timeout=0": {}, "hello=app.handler,timeout=16m": {}, "hello=app.handler,cpus=1": {},
		strings.Repeat("a", 65) + "=app.handler": {},
	} {
		got, err := ParseFunction(text)
		if want == (Function{}) {
			if err == nil {
				t.Errorf("%q is taken for %+v", text, got)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%q is %+v (%v), want %+v", text, got, err, want)
		}
	}
}

func TestUnwrap(t *testing.T) {
	for body, want := range map[string][2]string{
		`{"tracetax-server-timing": "benchmark;dur=1.25", "answer": {"n": 1}}`:   {`{"n": 1}`, "benchmark;dur=1.25"},
		`{"tracetax-server-timing":"benchmark;dur=1, db;dur=0.5","answer":null}`: {`null`, "benchmark;dur=1, db;dur=0.5"},
		`{"n": 1}`: {`{"n": 1}`, ""},
		`null`:     {`null`, ""},
		``:         {``, ""},
		// What is not whole, or would break a header, stays as the function's answer.
		`{"tracetax-server-timing": "benchmark;dur=1"}`:                {`{"tracetax-server-timing": "benchmark;dur=1"}`, ""},
		`{"tracetax-server-timing": "a;dur=1\r\nX: y", "answer": 1}`:   {`{"tracetax-server-timing": "a;dur=1\r\nX: y", "answer": 1}`, ""},
		`{"tracetax-server-timing": "benchmark;dur=NaN", "answer": 1}`: {`{"tracetax-server-timing": "benchmark;dur=NaN", "answer": 1}`, ""},
		`{"tracetax-server-timing": "benchmark;dur=1", "answer": 1`:    {`{"tracetax-server-timing": "benchmark;dur=1", "answer": 1`, ""},
	} {
		answer, timing := unwrap([]byte(body))
		if string(answer) != want[0] || timing != want[1] {
			t.Errorf("%s is %q with %q, want %q", body, answer, timing, want)
		}
	}
}

func FuzzUnwrap(f *testing.F) {
	f.Add([]byte(`{"tracetax-server-timing": "benchmark;dur=1.25", "answer": {"n": 1}}`))
	f.Add([]byte(` { "tracetax-server-timing" : "a;dur=1, b;dur=2", "answer": [1,2] } `))
	f.Fuzz(func(t *testing.T, body []byte) {
		answer, timing := unwrap(body)
		switch {
		case timing == "" && !bytes.Equal(answer, body):
			t.Errorf("%q has become %q", body, answer)
		case timing != "" && (!json.Valid(answer) || strings.ContainsAny(timing, "\r\n\"")):
			t.Errorf("of %q there is the answer %q with %q", body, answer, timing)
		}
	})
}
