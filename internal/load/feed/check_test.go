package feed

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/quote"
)

func TestTaskCheck(t *testing.T) {
	good := func() load.Task {
		return load.Task{Operations: []load.Request{{Name: "x", Address: "localhost:80"}}, Duration: time.Second}
	}
	for _, c := range []struct {
		change func(*load.Task)
		want   string
	}{
		{func(*load.Task) {}, ""},
		{func(t *load.Task) { t.Duration = 0 }, "neither a duration nor a count"},
		{func(t *load.Task) { t.Duration = -1 }, "duration"},
		{func(t *load.Task) { t.Rate = -1 }, "rate"},
		{func(t *load.Task) { t.Timeout = time.Hour }, "timeout"},
		{func(t *load.Task) { t.Threads = -1 }, "threads"},
		{func(t *load.Task) { t.Connections = -1 }, "connections"},
		{func(t *load.Task) { t.Operations = nil }, "no operations"},
		{func(t *load.Task) { t.Operations[0].Address = "localhost" }, "want host:port"},
		{func(t *load.Task) { t.Operations[0].Address = ":80" }, "want host:port"},
		{func(t *load.Task) { t.Operations[0].Address = "x:http" }, "port"},
		{func(t *load.Task) { t.Operations[0].Weight = -1 }, "weight"},
		{func(t *load.Task) { t.Operations[0].Method = "GE T" }, "method"},
		{func(t *load.Task) { t.Operations[0].Method = "CONNECT" }, "CONNECT"},
		{func(t *load.Task) { t.Operations[0].Path = "x" }, "begin with /"},
		{func(t *load.Task) { t.Operations[0].Path = "/a b" }, "percent-encoded"},
		{func(t *load.Task) { t.Operations[0].Host = "a\r\nX: y" }, "control characters"},
		{func(t *load.Task) { t.Operations[0].Headers = []load.Header{{Name: "X", Value: "a\nb"}} }, "control characters"},
		{func(t *load.Task) { t.Operations[0].Headers = []load.Header{{Name: "X Y", Value: "a"}} }, "header name"},
		{func(t *load.Task) {
			t.Operations[0].Headers = []load.Header{{Name: "transfer-encoding", Value: "chunked"}}
		}, "generator's own"},
	} {
		task := good()
		c.change(&task)
		err := Check(task)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", task, err, c.want)
		}
	}
}

func TestRenderedRequest(t *testing.T) {
	for _, c := range []struct {
		request load.Request
		want    string
	}{
		{load.Request{Address: "h:1"}, "GET / HTTP/1.1\r\nHost: h:1\r\nUser-Agent: tracetax\r\n\r\n"},
		{load.Request{Address: "h:1", Method: "POST", Path: "/a?b"}, "POST /a?b HTTP/1.1\r\nHost: h:1\r\nUser-Agent: tracetax\r\nContent-Length: 0\r\n\r\n"},
		{
			load.Request{Address: "h:1", Host: "shop", Body: []byte("xy"), Headers: []load.Header{{Name: "user-agent", Value: "me"}, {Name: "B", Value: "2"}, {Name: "A", Value: "1"}}},
			"GET / HTTP/1.1\r\nHost: shop\r\nuser-agent: me\r\nB: 2\r\nA: 1\r\nContent-Length: 2\r\n\r\nxy",
		},
		{load.Request{Address: "h:1", Headers: []load.Header{{Name: "host", Value: "other"}}}, "GET / HTTP/1.1\r\nUser-Agent: tracetax\r\nhost: other\r\n\r\n"},
	} {
		if got := string(Render(c.request)); got != c.want {
			t.Errorf("%+v is sent as %q, want %q", c.request, got, c.want)
		}
	}
}

// shopping is a login, an order with the token of that, and a look at the order.
func shopping(addr string) load.Request {
	signed := []load.Header{{Name: "Authorization", Value: "Bearer {take.token}"}}
	return load.Request{
		Name: "buy", Address: addr, Path: "/login", Takes: []load.Take{{Name: "token", From: "$.token"}, {Name: "user", From: "$.id"}},
		Then: []load.Request{
			{Address: addr, Method: "POST", Path: "/orders", Headers: signed, Body: []byte("{take.user}"), Takes: []load.Take{{Name: "id", From: "id=<(.*)>"}}},
			{Address: addr, Path: "/orders/{take.id}", Headers: signed},
		},
	}
}

func TestStepsThatAreWrong(t *testing.T) {
	for want, change := range map[string]func(*load.Request){
		`step 2: nothing before it takes {take.nobody}`:                   func(r *load.Request) { r.Then[0].Path = "/{take.nobody}" },
		`step 1: nothing before it takes {take.token}`:                    func(r *load.Request) { r.Path = "/{take.token}" },
		`step 1: take token from "$": it is all of the answer`:            func(r *load.Request) { r.Takes[0].From = "$" },
		`step 1: take token from "$.a..b": "..b" is no step`:              func(r *load.Request) { r.Takes[0].From = "$.a..b" },
		`step 1: take token from "x": it has no group`:                    func(r *load.Request) { r.Takes[0].From = "x" },
		`step 1: take token from "(": error parsing regexp`:               func(r *load.Request) { r.Takes[0].From = "(" },
		`step 1: take user is here a second time`:                         func(r *load.Request) { r.Takes[0].Name = "user" },
		`step 2: it goes to 127.0.0.1:9 and the first one to 127.0.0.1:1`: func(r *load.Request) { r.Then[0].Address = "127.0.0.1:9" },
		`step 3: steps take no rows of request data`:                      func(r *load.Request) { r.Then[1].Data = "x.csv" },
		`step 2: a step has no steps of its own`:                          func(r *load.Request) { r.Then[0].Then = []load.Request{{}} },
		`step 2: method "A B" is not one`:                                 func(r *load.Request) { r.Then[0].Method = "A B" },
		`step 1: a gRPC call cannot be one of several steps`:              func(r *load.Request) { r.Path, r.GRPC = "/a.B/C", true },
	} {
		r := shopping("127.0.0.1:1")
		change(&r)
		err := Check(load.Task{Operations: []load.Request{r}, Count: 1})
		if err == nil || !strings.HasPrefix(err.Error(), `operation "buy": `+want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// A single request has nothing to take values from.
func TestTakesOfASingleRequest(t *testing.T) {
	for name, r := range map[string]load.Request{
		"path":    {Path: "/{take.x:raw}"},
		"header":  {Headers: []load.Header{{Name: "A", Value: "b {take.x:raw}"}}},
		"body":    {Body: []byte(`{"a": {take.x:raw}}`)},
		"gRPC":    {GRPC: true, Path: "/a.B/C{take.x:raw}"},
		"nothing": {Path: "/take.x", Headers: []load.Header{{Name: "A", Value: "{take}"}}, Body: []byte(`{"a": "{take.", "b": {}}`)},
	} {
		r.Address = "127.0.0.1:1"
		err := Check(load.Task{Operations: []load.Request{r}, Count: 1})
		if name == "nothing" && err != nil || name != "nothing" && (err == nil || !strings.Contains(err.Error(), "nothing before it takes {take.x:raw}")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRequestTo(t *testing.T) {
	for _, c := range []struct {
		url, address, host, path string
		tls, grpc                bool
	}{
		{"http://h", "h:80", "h", "/", false, false},
		{"http://h:8080/a%20b?x=1#f", "h:8080", "h:8080", "/a%20b?x=1", false, false},
		{"https://h/a", "h:443", "h", "/a", true, false},
		{"https://[::1]:8443/", "[::1]:8443", "[::1]:8443", "/", true, false},
		{"grpc://h:50051/pkg.Service/Method", "h:50051", "h:50051", "/pkg.Service/Method", false, true},
		{"grpcs://h/pkg.Service/Method", "h:443", "h", "/pkg.Service/Method", true, true},
		{"http://h/{data.a}/ü?q={data.b c}&r={data.d:raw}", "h:80", "h", "/{data.a}/%C3%BC?q={data.b c}&r={data.d:raw}", false, false},
		{"http://h:80{data.path:raw}", "h:80", "h:80", "{data.path:raw}", false, false},
		{"http://h?q={data.q}", "h:80", "h", "/?q={data.q}", false, false},
	} {
		r, err := RequestTo(c.url)
		if err != nil || r.Address != c.address || r.Host != c.host || r.Path != c.path || (r.TLS != nil) != c.tls || r.GRPC != c.grpc || r.Name != c.url {
			t.Errorf("%s: %+v, %v", c.url, r, err)
		}
	}
	r, err := RequestTo("http://u:secret@h/")
	if err != nil || r.Headers[0].Value != "Basic dTpzZWNyZXQ=" || strings.Contains(r.Name, "secret") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestRequestToRefuses(t *testing.T) {
	for url, want := range map[string]string{
		"h:80":                   "want one such as http://h:80",
		"localhost":              "want one such as http://localhost",
		"//h/x":                  "want one such as http://h/x",
		"http:///x":              "has no host",
		"unix:///tmp/app.sock":   ErrUnixSocket.Error(),
		"ftp://h/":               `scheme "ftp" is not supported`,
		"grpc://h:1":             "want the method to call",
		"grpc://h:1/Service":     "want the method to call",
		"grpc://h:1/a/b/c":       "want the method to call",
		"http://h/{data.a":       "is not closed",
		"http://{data.a}/x":      "has no host",
		"http://h:{data.port}/x": "reading the URL",
	} {
		if r, err := RequestTo(url); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; want %q", url, r, err, want)
		}
	}
}

func TestRequestToTakes(t *testing.T) {
	r, err := RequestTo("http://127.0.0.1:80/a/{take.id}?q={take.q:raw}")
	if err != nil || r.Path != "/a/{take.id}?q={take.q:raw}" || r.Address != "127.0.0.1:80" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestListIsCut(t *testing.T) {
	if text := listed(slices.Repeat([]string{strings.Repeat("\x1bx", 1<<14)}, 20)); len(text) > 13*(quote.Most+5) {
		t.Errorf("a list of %d bytes", len(text))
	}
}
