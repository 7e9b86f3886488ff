package load

import (
	"strings"
	"testing"
)

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
