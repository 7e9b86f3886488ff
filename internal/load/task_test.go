package load

import (
	"strings"
	"testing"
	"time"
)

func TestTaskCheck(t *testing.T) {
	good := func() Task {
		return Task{Operations: []Request{{Name: "x", Address: "localhost:80"}}, Duration: time.Second}
	}
	for _, c := range []struct {
		change func(*Task)
		want   string
	}{
		{func(*Task) {}, ""},
		{func(t *Task) { t.Duration = 0 }, "neither a duration nor a count"},
		{func(t *Task) { t.Duration = -1 }, "duration"},
		{func(t *Task) { t.Rate = -1 }, "rate"},
		{func(t *Task) { t.Timeout = time.Hour }, "timeout"},
		{func(t *Task) { t.Threads = -1 }, "threads"},
		{func(t *Task) { t.Connections = -1 }, "connections"},
		{func(t *Task) { t.Operations = nil }, "no operations"},
		{func(t *Task) { t.Operations[0].Address = "localhost" }, "want host:port"},
		{func(t *Task) { t.Operations[0].Address = ":80" }, "want host:port"},
		{func(t *Task) { t.Operations[0].Address = "x:http" }, "port"},
		{func(t *Task) { t.Operations[0].Weight = -1 }, "weight"},
		{func(t *Task) { t.Operations[0].Method = "GE T" }, "method"},
		{func(t *Task) { t.Operations[0].Method = "CONNECT" }, "CONNECT"},
		{func(t *Task) { t.Operations[0].Path = "x" }, "begin with /"},
		{func(t *Task) { t.Operations[0].Path = "/a b" }, "percent-encoded"},
		{func(t *Task) { t.Operations[0].Host = "a\r\nX: y" }, "control characters"},
		{func(t *Task) { t.Operations[0].Headers = []Header{{"X", "a\nb"}} }, "control characters"},
		{func(t *Task) { t.Operations[0].Headers = []Header{{"X Y", "a"}} }, "header name"},
		{func(t *Task) { t.Operations[0].Headers = []Header{{"transfer-encoding", "chunked"}} }, "generator's own"},
	} {
		task := good()
		c.change(&task)
		err := task.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", task, err, c.want)
		}
	}
}

func TestRenderedRequest(t *testing.T) {
	for _, c := range []struct {
		request Request
		want    string
	}{
		{Request{Address: "h:1"}, "GET / HTTP/1.1\r\nHost: h:1\r\nUser-Agent: tracetax\r\n\r\n"},
		{Request{Address: "h:1", Method: "POST", Path: "/a?b"}, "POST /a?b HTTP/1.1\r\nHost: h:1\r\nUser-Agent: tracetax\r\nContent-Length: 0\r\n\r\n"},
		{
			Request{Address: "h:1", Host: "shop", Body: []byte("xy"), Headers: []Header{{"user-agent", "me"}, {"B", "2"}, {"A", "1"}}},
			"GET / HTTP/1.1\r\nHost: shop\r\nuser-agent: me\r\nB: 2\r\nA: 1\r\nContent-Length: 2\r\n\r\nxy",
		},
		{Request{Address: "h:1", Headers: []Header{{"host", "other"}}}, "GET / HTTP/1.1\r\nUser-Agent: tracetax\r\nhost: other\r\n\r\n"},
	} {
		if got := string(newOperation(c.request, 0, nil).wire); got != c.want {
			t.Errorf("%+v is sent as %q, want %q", c.request, got, c.want)
		}
	}
}
