// What is spoken on a connection: the border between the event loop, which knows
// sockets and deadlines, and the protocols, which know requests and responses.

package load

// session speaks one protocol on one connection. Its methods may end calls by
// loop.finish and put out bytes by loop.emit; neither calls it back.
type session interface {
	// greet begins the connection; the session calls loop.ready when calls may be made.
	greet(l *loop)
	// open reports whether a call may be started now.
	open() bool
	// start puts out the request of k.
	start(l *loop, k *call)
	// feed takes what the server sent. hup says that it has closed its side, so
	// that the connection cannot be used again. An error breaks the connection.
	feed(l *loop, b []byte, hup bool) error
	// flush puts out what has been put off, as far as the socket takes it.
	flush(l *loop)
	// end is told that the server has closed the connection; the error says what
	// the calls under way fail of.
	end(l *loop) error
	// cancel forgets k, and reports whether the connection can go on without it.
	cancel(l *loop, k *call) bool
	// untouched reports whether nothing of a response to k has come.
	untouched(k *call) bool
	// take forgets some call that has been started and returns it, nil if there is none.
	take() *call
}

// newSession returns the session for a connection to c's server.
func (l *loop) newSession(c *conn) session {
	if c.server.grpc {
		return newHTTP2(l, c)
	}
	c.http1.conn = c
	return &c.http1
}
