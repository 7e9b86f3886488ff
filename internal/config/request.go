// Requests of an operation: where they go, over HTTP and gRPC.

package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// request reads "POST /checkout" or "GET http://127.0.0.1:8080/".
func (s *source) request(o *Operation, n *node, known []string) {
	text := s.line(n)
	s.placeholders(n.at, withoutData(text), known)
	verb, target, ok := strings.Cut(strings.TrimSpace(text), " ")
	if !ok && isTarget(verb) {
		verb, target = "GET", verb
	}
	o.Method, o.URL = verb, strings.TrimSpace(target)
	if !method.MatchString(strings.ToUpper(verb)) {
		s.fail(n.at, "%q is not a request such as \"POST /checkout\"", printable(text))
		return
	}
	if err := CheckMethod(verb); err != nil {
		s.fail(n.at, "%v", err)
		return
	}
	s.url(n, o.URL, fmt.Sprintf("the request %q must go to a path such as /checkout, or to an http:// or https:// URL", printable(text)))
}

// fullMethod is the path of a gRPC method.
var fullMethod = regexp.MustCompile(`^/[A-Za-z_][A-Za-z0-9_.]*/[A-Za-z_][A-Za-z0-9_]*$`)

// call reads "/package.Service/Method", with or without an address before it.
func (s *source) call(o *Operation, n *node, known []string) {
	text := strings.TrimSpace(s.line(n))
	s.placeholders(n.at, withoutData(text), known)
	if rest, ok := strings.CutPrefix(text, "grpc"); ok && strings.Contains(rest, "://") {
		text = "http" + rest // grpc:// and grpcs://, as the load command has them
	}
	o.Method, o.URL, o.GRPC = "POST", text, true
	before := len(s.problems)
	s.url(n, text, fmt.Sprintf("the call %q must be a method such as /package.Service/Method, or http://127.0.0.1:50051/package.Service/Method", printable(text)))
	if len(s.problems) > before {
		return
	}
	path := text
	if _, rest, absolute := strings.Cut(text, "://"); absolute {
		at := max(0, strings.IndexByte(rest, '/'))
		path = rest[at:]
	}
	if !fullMethod.MatchString(path) {
		s.fail(n.at, "%q is not a gRPC method such as /package.Service/Method", printable(path))
	}
}

// isTarget reports whether a request goes there.
func isTarget(text string) bool {
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, dataStart) ||
		strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

// url checks where a request goes; otherwise is what is said of a text that is
// neither path nor address.
func (s *source) url(n *node, url, otherwise string) {
	switch {
	case strings.HasPrefix(url, "unix:"):
		s.fail(n.at, "a Unix socket cannot be asked: have the program listen on 127.0.0.1, and request a path")
	case strings.ContainsFunc(url, unicode.IsSpace):
		s.fail(n.at, "the URL %q holds a space; write it as %%20", printable(url))
	case !isTarget(url):
		s.fail(n.at, "%s", otherwise)
	case strings.Contains(url, "://") && strings.HasPrefix(url, "http"):
		if err := checkURL(withoutData(url)); err != nil {
			s.fail(n.at, "%v", err)
		}
	}
}
