// The head of a request over HTTP/1.1.

package load

import (
	"bytes"
	"fmt"
	"strings"
)

// renderHead returns the request line and the headers given. Host and User-Agent
// are filled in where the headers do not hold them.
func renderHead(r Request) []byte {
	host, path := r.Host, r.Path
	if host == "" {
		host = r.Address
	}
	if path == "" {
		path = "/"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", r.method(), path)
	given := map[string]bool{}
	for _, h := range r.Headers {
		given[strings.ToLower(h.Name)] = true
	}
	if !given["host"] {
		fmt.Fprintf(&b, "Host: %s\r\n", host)
	}
	if !given["user-agent"] {
		b.WriteString("User-Agent: tracetax\r\n")
	}
	for _, h := range r.Headers {
		fmt.Fprintf(&b, "%s: %s\r\n", h.Name, h.Value)
	}
	return b.Bytes()
}

// saysLength reports whether the request has a Content-Length.
func saysLength(r Request) bool {
	method := r.method()
	return len(r.Body) > 0 || method == "POST" || method == "PUT" || method == "PATCH"
}

// method is Method with its default.
func (r Request) method() string {
	switch {
	case r.GRPC:
		return "POST"
	case r.Method == "":
		return "GET"
	}
	return r.Method
}

func isValue(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
}
