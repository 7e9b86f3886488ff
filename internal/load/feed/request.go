// Parsing the address of an operation: server, protocol, path.

package feed

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/tracetax/tracetax/internal/load"
)

// schemes are the supported ones, with their ports.
var schemes = map[string]struct {
	port      string
	tls, grpc bool
}{

	"http":  {port: "80"},
	"https": {port: "443", tls: true},
	"grpc":  {port: "80", grpc: true},
	"grpcs": {port: "443", tls: true, grpc: true},
}

// ErrUnixSocket reports that a Unix socket cannot be asked.
var ErrUnixSocket = errors.New("a Unix socket cannot be asked: have the program listen on 127.0.0.1")

// RequestTo returns the request for a URL: http:// and https:// ask by HTTP/1.1,
// grpc://HOST:PORT/package.Service/Method and grpcs:// make a unary call. The
// path and the query may hold {data.COLUMN}, or {take.NAME}. User and password become an
// Authorization header; Name is the URL without the password. With a scheme that
// ends in s, TLS is set and checks certificates.
func RequestTo(target string) (load.Request, error) {
	if strings.Contains(target, takeStart) {
		r, err := RequestTo(strings.ReplaceAll(target, takeStart, placeholderStart))
		r.Name, r.Path = target, strings.ReplaceAll(r.Path, placeholderStart, takeStart)
		return r, err
	}
	marked, placeholders, err := hidePlaceholders(target)
	if err != nil {
		return load.Request{}, fmt.Errorf("URL %q: %w", target, err)
	}
	if strings.HasPrefix(target, "unix:") {
		return load.Request{}, fmt.Errorf("URL %q: %w", target, ErrUnixSocket)
	}
	u, err := url.Parse(marked)
	if err != nil && strings.Contains(target, "://") {
		return load.Request{}, fmt.Errorf("reading the URL: %s", placeholders.Replace(err.Error()))
	}
	if err != nil || u.Scheme == "" || u.Host == "" && schemes[u.Scheme].port == "" {
		return load.Request{}, fmt.Errorf("URL %q: want one such as http://%s", target, strings.TrimPrefix(target, "//"))
	}
	how, known := schemes[u.Scheme]
	switch {
	case !known:
		return load.Request{}, fmt.Errorf("URL %q: scheme %q is not supported, only http, https, grpc and grpcs", target, u.Scheme)
	case u.Hostname() == "":
		return load.Request{}, fmt.Errorf("URL %q has no host", target)
	}
	port := u.Port()
	if port == "" {
		port = how.port
	}
	r := load.Request{
		Name:    target,
		Address: net.JoinHostPort(u.Hostname(), port),
		Host:    u.Host,
		Path:    strings.TrimPrefix(placeholders.Replace(u.RequestURI()), "/"+wholePath),
		GRPC:    how.grpc,
	}
	if how.tls {
		r.TLS = &load.TLS{}
	}
	if u.User != nil {
		r.Name = placeholders.Replace(u.Redacted())
		password, _ := u.User.Password()
		credentials := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
		r.Headers = []load.Header{{Name: "Authorization", Value: "Basic " + credentials}}
	}
	if r.GRPC {
		return r, checkMethod(target, r.Path)
	}
	return r, nil
}

// checkMethod returns the fault of the path of a gRPC call.
func checkMethod(target, path string) error {
	service, method, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if !ok || service == "" || method == "" || strings.ContainsAny(method, "/?") {
		return fmt.Errorf("URL %q: want the method to call, as in grpc://host:port/package.Service/Method", target)
	}
	return nil
}

// wholePath marks a path whose beginning is a placeholder.
const wholePath = "tracetax-whole-path"

// hidePlaceholders replaces {data.COLUMN}, which is not allowed in a URL, by allowed words, and returns a replacer that
// restores them.
func hidePlaceholders(target string) (string, *strings.Replacer, error) {
	if !HasData(target) {
		return target, strings.NewReplacer(), nil
	}
	pieces, err := split(target, plain, percent)
	if err != nil {
		return "", nil, err
	}
	var hidden strings.Builder
	var back []string
	for i, p := range pieces {
		if p.gap == nil {
			hidden.WriteString(p.literal)
			continue
		}
		if _, rest, _ := strings.Cut(pieces[0].literal, "://"); i == 1 && !strings.ContainsAny(rest, "/?") && !strings.HasSuffix(rest, ":") {
			hidden.WriteString("/" + wholePath)
		}
		word := fmt.Sprintf("tracetax-placeholder-%d-", i)
		hidden.WriteString(word)
		back = append(back, word, p.gap.placeholder())
	}
	return hidden.String(), strings.NewReplacer(back...), nil
}

// placeholder returns g as written.
func (g *gap) placeholder() string {
	if g.form == percent { // as hidePlaceholders splits
		return placeholderStart + g.column + rawSuffix + "}"
	}
	return placeholderStart + g.column + "}"
}

// A request as sent, in HTTP/1.1.

// Render returns the bytes of a request that is the same each time.
func Render(r load.Request) []byte {
	b := renderHead(r)
	if saysLength(r) {
		b = fmt.Appendf(b, "Content-Length: %d\r\n", len(r.Body))
	}
	b = append(b, "\r\n"...)
	return append(b, r.Body...)
}

// renderHead returns the request line and the given headers. It adds Host and User-Agent if they are missing.
func renderHead(r load.Request) []byte {
	host, path := r.Host, r.Path
	if host == "" {
		host = r.Address
	}
	if path == "" {
		path = "/"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", r.Verb(), path)
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
func saysLength(r load.Request) bool {
	method := r.Verb()
	return len(r.Body) > 0 || method == "POST" || method == "PUT" || method == "PATCH"
}

func isValue(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
}
