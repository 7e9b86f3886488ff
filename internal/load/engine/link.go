// The connections of the engine over net/http: opened when needed, kept between tasks.

package engine

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// remote is a target with the state that its connections share; it outlives the tasks.
type remote struct {
	target
	transport *http.Transport
}

// dialed is the key of the connection in the context of an opening.
type dialed struct{}

func newRemote(t *target) *remote {
	r := &remote{target: *t, transport: &http.Transport{
		DisableCompression: true, Protocols: new(http.Protocols),
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return ctx.Value(dialed{}).(net.Conn), nil },
	}}
	r.transport.Protocols.SetHTTP1(!t.grpc)
	r.transport.Protocols.SetUnencryptedHTTP2(t.grpc) // TLS is handled below it
	if r.tls != nil {
		r.tls = t.tls.Clone()
		r.tls.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	return r
}

// link has one connection at a time, for one call over HTTP/1.1, for several over HTTP/2.
type link struct {
	by      *client
	remote  *remote
	number  int  // among the links of its client
	load    int  // calls on it
	stacked bool // in client.free

	mu   sync.Mutex // held while a connection is opened: others wait for it
	conn *connection
}

// connection is a connection to a server.
type connection struct {
	*http.ClientConn
	used atomic.Bool // it has carried a whole answer
}

// openError reports that no connection could be opened.
type openError struct{ error }

func (e *openError) Unwrap() error { return e.error }

// connect returns the link's connection, a new one if there is none that can go on.
func (k *link) connect(ctx context.Context) (*connection, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn != nil && k.conn.Err() == nil {
		return k.conn, nil
	}
	k.by.opens(1)
	defer k.by.opens(-1)
	raw, err := k.dial(ctx)
	if err != nil {
		return nil, &openError{err}
	}
	greeting := &greeting{Conn: raw, over: make(chan struct{})}
	conn, err := k.remote.transport.NewClientConn(context.WithValue(ctx, dialed{}, greeting), "http", k.remote.address)
	if err == nil && k.remote.grpc {
		if err = greeting.await(ctx); err != nil {
			_ = conn.Close()
		}
	}
	if err != nil {
		return nil, &openError{err}
	}
	k.conn = &connection{ClientConn: conn}
	return k.conn, nil
}

// leave takes a connection out of use for new calls; those under way go on.
func (k *link) leave(c *connection) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn == c {
		k.conn = nil
	}
}

// close closes the connection of a link without calls.
func (k *link) close() {
	if k.conn != nil {
		_ = k.conn.Close() // of no use any more, even after an error
		k.conn = nil
	}
}

// dial opens a connection to one of the server's addresses, with TLS if asked for.
func (k *link) dial(ctx context.Context) (conn net.Conn, err error) {
	var dialer net.Dialer
	if sources := k.by.plan.sources; len(sources) > 0 {
		dialer.LocalAddr = &net.TCPAddr{IP: sources[k.by.source()%len(sources)].AsSlice()}
		dialer.Control = lateBind
	}
	for _, addr := range k.remote.addrs {
		if conn, err = dialer.DialContext(ctx, "tcp", addr.String()); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	k.by.connected.Add(1)
	conn = &counted{conn, k.by}
	if k.remote.tls == nil {
		return conn, nil
	}
	secured := tls.Client(conn, k.remote.tls)
	if err = secured.HandshakeContext(ctx); err == nil && k.remote.grpc && secured.ConnectionState().NegotiatedProtocol != alpnHTTP2 {
		err = errNoHTTP2
	} else if err != nil && ctx.Err() == nil {
		err = tlsError(err)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured, nil
}

// counted is a connection that counts its bytes.
type counted struct {
	net.Conn
	by *client
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.by.received.Add(uint64(n))
	return n, err
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.by.sent.Add(uint64(n))
	return n, err
}

// greeting is a connection to an HTTP/2 server that waits for the server's limit of simultaneous calls: no call is made before.
type greeting struct {
	net.Conn
	begun []byte // the first bytes received
	said  bool
	err   error         // the reason why it is no HTTP/2 server
	over  chan struct{} // closed when its greeting has been read
}

// Read is called by one goroutine at a time. The call after the greeting's shows that the greeting has been handled.
func (g *greeting) Read(b []byte) (int, error) {
	if len(g.begun) >= frameHeader {
		g.end(nil)
		return g.Conn.Read(b)
	}
	n, err := g.Conn.Read(b)
	g.begun = append(g.begun, b[:n]...)
	switch {
	case len(g.begun) >= frameHeader && !beginsHTTP2(g.begun):
		g.end(errNotHTTP2)
	case err != nil:
		g.end(errClosedEarly)
	}
	return n, err
}

func (g *greeting) end(err error) {
	if !g.said {
		g.said, g.err = true, err
		close(g.over)
	}
}

func (g *greeting) await(ctx context.Context) error {
	select {
	case <-g.over:
		return g.err
	case <-ctx.Done():
		return ctx.Err()
	}
}
