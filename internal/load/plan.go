// A task made ready to be carried out: addresses looked up, requests rendered.

package load

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// plan is a task with everything prepared that can be before it starts.
type plan struct {
	task    Task
	ops     []operation
	targets []target
}

// target is a server: all operations with the same Address share its connections.
type target struct {
	address string
	addrs   []netip.AddrPort // to be tried in this order
}

// operation is a request as it goes over the wire.
type operation struct {
	target int // index in plan.targets
	wire   []byte
	head   bool // the response has no body, whatever its headers say
	resend bool // may be sent twice
	status int  // expected; 0 is any 2xx or 3xx
}

// newPlan checks t and looks up its addresses.
func newPlan(ctx context.Context, t Task) (*plan, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	p := &plan{task: t.withDefaults()}
	index := map[string]int{}
	for _, r := range p.task.Operations {
		i, ok := index[r.Address]
		if !ok {
			addrs, err := lookUp(ctx, r.Address)
			if err != nil {
				return nil, err
			}
			i = len(p.targets)
			index[r.Address] = i
			p.targets = append(p.targets, target{r.Address, addrs})
		}
		p.ops = append(p.ops, newOperation(r, i))
	}
	return p, nil
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

func newOperation(r Request, target int) operation {
	method := r.Method
	if method == "" {
		method = "GET"
	}
	return operation{
		target: target,
		wire:   render(r, method),
		head:   method == "HEAD",
		resend: isIdempotent(method),
		status: r.Status,
	}
}

// render returns the bytes of the request. Host and User-Agent are filled in
// where the headers do not hold them.
func render(r Request, method string) []byte {
	host, path := r.Host, r.Path
	if host == "" {
		host = r.Address
	}
	if path == "" {
		path = "/"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", method, path)
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
	if len(r.Body) > 0 || method == "POST" || method == "PUT" || method == "PATCH" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.Body))
	}
	b.WriteString("\r\n")
	b.Write(r.Body)
	return b.Bytes()
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
	if o.status != 0 {
		return status == o.status
	}
	return status >= 200 && status < 400
}

// deadline is when an operation with this intended start is given up.
func (p *plan) deadline(intended time.Duration) time.Duration { return intended + p.task.Timeout }
