// This file passes on to a Scouter server what its agents send.

package scouter

import (
	"context"
	"io"
	"net"
)

// pass passes a datagram of so many valid spans on, if there is a server to pass it to. They are told as forwarded where the
// network took them and nobody said that nobody is there: the server answers nothing. The
// spans of a pack in pieces are told with the last piece.
func (r *Receiver) pass(datagram []byte, spans uint64) {
	switch {
	case r.backend == nil:
	case r.backend.Send(datagram) != nil:
		r.total.Passed(0, spans)
	default:
		r.total.Passed(spans, 0)
	}
}

// join has an agent and the server talk, until either ends it. Where the server cannot be
// reached the agent's connection ends, so that it tries again in its own time.
func (r *Receiver) join(agent net.Conn, hello []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), r.limits.Header)
	defer cancel()
	server, err := r.backend.Connect(ctx)
	if err != nil {
		return
	}
	defer server.Close()
	if _, err := server.Write(hello); err != nil {
		return
	}
	ended := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{server, agent}, {agent, server}} {
		go func() {
			_, _ = io.Copy(way[0], way[1]) // in whatever way it ends, the other is ended too
			ended <- struct{}{}
		}()
	}
	<-ended
	_, _ = server.Close(), agent.Close() // each may have ended
	<-ended
}
