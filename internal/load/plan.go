// A task made ready to be carried out: addresses looked up, requests rendered.

package load

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// plan is a task with everything prepared that can be before it starts.
type plan struct {
	task    Task
	ops     []operation
	targets []target
	tracing *tracing     // nil: the program chooses the ids of traces
	sources []netip.Addr // to connect from, in turn; none: the system's choice
}

// target is a server: all operations with the same Address share its connections,
// if they speak alike.
type target struct {
	key     string // tells targets apart
	address string
	addrs   []netip.AddrPort // to be tried in this order
	grpc    bool             // HTTP/2, otherwise HTTP/1.1
	tls     *tls.Config      // nil: plain
}

// operation is a request as it goes over the wire.
type operation struct {
	target  int // index in plan.targets
	wire    []byte
	call    grpcCall // the same, where it is one
	head    bool     // the response has no body, whatever its headers say
	resend  bool     // may be sent twice
	tracing *tracing // chooses the ids of its trace; nil: nobody, or the request's own header
	traceAt int      // where they stand in wire
	status  []int    // those that are right; none is any 2xx or 3xx
	rows    *rows    // nil: the request is the same each time; see operation.bytes

	number int        // of a step, from 1; 0: the operation has no others
	then   *operation // the step that follows; nil: the answer to this one ends the operation
	takes  []taker    // of its answer, for the steps that follow
	filled *filledIn  // of a step: the request with what was taken; nil: it is the same each time
}

// walks reports whether an operation of the plan has several steps.
func (p *plan) walks() bool {
	return slices.ContainsFunc(p.ops, func(o operation) bool { return o.then != nil })
}

// newPlan checks t and looks up its addresses.
func newPlan(ctx context.Context, t Task) (*plan, error) {
	return newPlanWith(ctx, t, &dataFiles{}, &atomic.Uint64{})
}

// newPlanWith is newPlan with files of request data that may have been read before, and the number of operations that have got ids.
func newPlanWith(ctx context.Context, t Task, files *dataFiles, identified *atomic.Uint64) (*plan, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	p := &plan{task: t.withDefaults()}
	p.identify(identified)
	if err := p.encodeMessages(); err != nil {
		return nil, err
	}
	index := map[string]int{}
	for _, r := range p.task.Operations {
		i, ok := index[r.target()]
		if !ok {
			t, err := newTarget(ctx, r)
			if err != nil {
				return nil, err
			}
			i = len(p.targets)
			index[t.key] = i
			p.targets = append(p.targets, t)
		}
		o := newOperation(r, i, p.tracing)
		if err := o.chain(r, p.tracing); err != nil {
			return nil, fmt.Errorf("operation %q: %w", r.Name, err)
		}
		p.ops = append(p.ops, o)
	}
	if err := p.readData(ctx, files); err != nil {
		return nil, err
	}
	p.sources = p.chooseSources()
	return p, nil
}

// target names the target that r goes to.
func (r Request) target() string { return fmt.Sprintf("%s grpc %t %s", r.Address, r.GRPC, r.TLS.key()) }

func newTarget(ctx context.Context, r Request) (target, error) {
	addrs, err := lookUp(ctx, r.Address)
	if err != nil {
		return target{}, err
	}
	t := target{key: r.target(), address: r.Address, addrs: addrs, grpc: r.GRPC}
	if r.TLS != nil {
		t.tls, err = r.TLS.config(r.Address, r.GRPC)
	}
	return t, err
}

func lookUp(ctx context.Context, address string) ([]netip.AddrPort, error) {
	if a, err := netip.ParseAddrPort(address); err == nil {
		return []netip.AddrPort{a}, nil
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address %q: want host:port: %w", address, err)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("address %q: reading the port: %w", address, err)
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("looking up the host of %q: %w", address, err)
	}
	var addrs []netip.AddrPort
	for _, ip := range ips {
		addrs = append(addrs, netip.AddrPortFrom(ip.Unmap(), uint16(n)))
	}
	return addrs, nil
}

func newOperation(r Request, target int, ids *tracing) operation {
	method := r.method()
	o := operation{
		target: target,
		wire:   render(r),
		head:   method == "HEAD",
		resend: isIdempotent(method),
		status: r.Status,
	}
	if slices.Contains(r.Headers, roomForIDs) {
		o.tracing, o.traceAt = ids, traceAt(o.wire)
	}
	if r.GRPC {
		o.call = readCall(nil, o.wire, r.TLS != nil)
	}
	return o
}

// render returns the bytes of the request.
func render(r Request) []byte {
	b := renderHead(r)
	if saysLength(r) {
		b = fmt.Appendf(b, "Content-Length: %d\r\n", len(r.Body))
	}
	b = append(b, "\r\n"...)
	return append(b, r.Body...)
}

func isIdempotent(method string) bool {
	switch method {
	case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE":
		return true
	}
	return false
}

// expects reports whether status is what the operation calls success.
func (o *operation) expects(status int) bool {
	if len(o.status) > 0 {
		return slices.Contains(o.status, status)
	}
	return status >= 200 && status < 400
}

// deadline is when an operation with this intended start is given up.
func (p *plan) deadline(intended time.Duration) time.Duration { return intended + p.task.Timeout }

// Reading the address of an operation: which server, which protocol, which path.

// schemes are what can be asked, with their ports.
var schemes = map[string]struct {
	port      string
	tls, grpc bool
}{
	"http":  {port: "80"},
	"https": {port: "443", tls: true},
	"grpc":  {port: "80", grpc: true},
	"grpcs": {port: "443", tls: true, grpc: true},
}

// ErrUnixSocket says that a Unix socket cannot be asked.
var ErrUnixSocket = errors.New("a Unix socket cannot be asked: have the program listen on 127.0.0.1")

// RequestTo returns the request for a URL: http:// and https:// ask by HTTP/1.1,
// grpc://HOST:PORT/package.Service/Method and grpcs:// make a unary call. The
// path and the query may hold {data.COLUMN}, or {take.NAME}. User and password become an
// Authorization header; Name is the URL without the password. With a scheme that
// ends in s, TLS is set and checks certificates.
func RequestTo(target string) (Request, error) {
	if strings.Contains(target, takeStart) {
		r, err := RequestTo(strings.ReplaceAll(target, takeStart, placeholderStart))
		r.Name, r.Path = target, strings.ReplaceAll(r.Path, placeholderStart, takeStart)
		return r, err
	}
	marked, placeholders, err := hidePlaceholders(target)
	if err != nil {
		return Request{}, fmt.Errorf("URL %q: %w", target, err)
	}
	if strings.HasPrefix(target, "unix:") {
		return Request{}, fmt.Errorf("URL %q: %w", target, ErrUnixSocket)
	}
	u, err := url.Parse(marked)
	if err != nil && strings.Contains(target, "://") {
		return Request{}, fmt.Errorf("reading the URL: %s", placeholders.Replace(err.Error()))
	}
	if err != nil || u.Scheme == "" || u.Host == "" && schemes[u.Scheme].port == "" {
		return Request{}, fmt.Errorf("URL %q: want one such as http://%s", target, strings.TrimPrefix(target, "//"))
	}
	how, known := schemes[u.Scheme]
	switch {
	case !known:
		return Request{}, fmt.Errorf("URL %q: scheme %q is not supported, only http, https, grpc and grpcs", target, u.Scheme)
	case u.Hostname() == "":
		return Request{}, fmt.Errorf("URL %q has no host", target)
	}
	port := u.Port()
	if port == "" {
		port = how.port
	}
	r := Request{
		Name:    target,
		Address: net.JoinHostPort(u.Hostname(), port),
		Host:    u.Host,
		Path:    strings.TrimPrefix(placeholders.Replace(u.RequestURI()), "/"+wholePath),
		GRPC:    how.grpc,
	}
	if how.tls {
		r.TLS = &TLS{}
	}
	if u.User != nil {
		r.Name = placeholders.Replace(u.Redacted())
		password, _ := u.User.Password()
		credentials := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
		r.Headers = []Header{{Name: "Authorization", Value: "Basic " + credentials}}
	}
	if r.GRPC {
		return r, checkCall(target, r.Path)
	}
	return r, nil
}

// checkCall says what is wrong with the path of a gRPC call.
func checkCall(target, path string) error {
	service, method, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if !ok || service == "" || method == "" || strings.ContainsAny(method, "/?") {
		return fmt.Errorf("URL %q: want the method to call, as in grpc://host:port/package.Service/Method", target)
	}
	return nil
}

// wholePath marks a path that a placeholder gives from its beginning.
const wholePath = "tracetax-whole-path"

// hidePlaceholders replaces {data.COLUMN}, which may not stand in a URL, by words
// that may, and returns what brings them back.
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

// placeholder is how g is written.
func (g *gap) placeholder() string {
	if g.form == percent { // as hidePlaceholders splits
		return placeholderStart + g.column + rawSuffix + "}"
	}
	return placeholderStart + g.column + "}"
}
