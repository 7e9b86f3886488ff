// Package scouter receives what Scouter's agents send: packs over UDP, in datagrams of
// one, of several, or of a piece of one; and the connections over TCP by which a
// Scouter server would ask an agent something, on the same port number. An XLog, the
// record of a call of a service, is a span, and so is each timed step of its profile,
// such as a method. It must not know the workload or what was expected.
package scouter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

// Limits bound what senders can make a receiver hold, and for how long.
type Limits struct {
	Body   int64         // bytes of all incomplete packs together
	Header time.Duration // time for a connection to say what it is
}

// Receiver counts the packs of Scouter's agents in a tally. A datagram is a request,
// and so is a connection. A datagram that the kernel threw away, because it came faster
// than it was read, is counted as malformed where the kernel tells (on Linux); it tells
// with the next one that has room.
type Receiver struct {
	total  *tally.Total
	limits Limits
	server wire.TCP
	packs  packs

	mu      sync.Mutex
	closed  bool
	packets net.PacketConn
	fault   error // why a datagram or connection was refused first
}

const protocol = "scouter"

// New returns a receiver that counts in total.
func New(total *tally.Total, limits Limits) *Receiver {
	r := &Receiver{total: total, limits: limits}
	r.server.Handle = r.handle
	r.packs.pieces.limit = limits.Body
	return r
}

// Serve serves the connections of l and the datagrams of packets until Close.
func (r *Receiver) Serve(l net.Listener, packets net.PacketConn) error {
	if !r.open(packets) {
		return errors.Join(l.Close(), packets.Close())
	}
	listening := make(chan error, 1)
	go func() { listening <- r.server.Serve(l) }()
	err := r.read(packets)
	if err != nil {
		err = errors.Join(fmt.Errorf("reading datagrams: %w", err), r.server.Close())
	}
	return errors.Join(err, <-listening)
}

func (r *Receiver) open(packets net.PacketConn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.packets = packets
	return !r.closed
}

// Close ends the receiver and its connections at once.
func (r *Receiver) Close() error {
	r.mu.Lock()
	packets := r.packets
	first := !r.closed
	r.closed = true
	r.mu.Unlock()
	var err error
	if packets != nil && first {
		err = packets.Close()
	}
	return errors.Join(err, r.server.Close())
}

// Fault returns why the first was refused of those that are counted as malformed; nil
// if none was. The protocol has no way to tell a sender.
func (r *Receiver) Fault() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fault
}

func (r *Receiver) refuse(err error) {
	r.total.Refuse(err.Error())
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault == nil {
		r.fault = err
	}
}

// maxDatagram is the longest that UDP can carry.
const maxDatagram = 1 << 16

// read counts datagrams until the socket is closed.
func (r *Receiver) read(packets net.PacketConn) error {
	in := newInput(packets)
	buffer := make([]byte, maxDatagram)
	for {
		n, lost, err := in.next(buffer)
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case err != nil:
			return err
		}
		for range lost {
			r.refuse(errors.New("datagrams came faster than they could be read; the kernel threw some away"))
		}
		r.take(buffer[:n])
	}
}

// take counts one datagram.
func (r *Receiver) take(datagram []byte) {
	r.total.Arrived()
	defer r.total.Finished()
	batch := r.total.Batch()
	if err := r.packs.datagram(batch, datagram); err != nil {
		r.total.Discard(batch)
		r.refuse(fmt.Errorf("reading a datagram of Scouter: %w", err))
		return
	}
	r.total.Merge(batch, protocol, int64(len(datagram)))
	for ; r.packs.pieces.gaveUp > 0; r.packs.pieces.gaveUp-- {
		r.refuse(errors.New("pieces of a pack did not come"))
	}
}

// What a connection begins with: its opener.
const (
	agent        = 0xCAFE1001
	agentV2      = 0xCAFE1002
	agentRequest = 0xCAFE1011
)

// handle keeps an agent's connection open, on which a server would ask. The agent ends
// it by itself when nothing has been asked for a while, and opens another.
func (r *Receiver) handle(c net.Conn) {
	r.total.Arrived()
	err := r.greet(c)
	if err == nil {
		r.total.Note(protocol, 8)
	} else {
		r.refuse(fmt.Errorf("reading from %v what opened a connection: %w", c.RemoteAddr(), err))
	}
	r.total.Finished()
	if err == nil {
		_, _ = io.Copy(io.Discard, c) // until either side ends it, in whatever way
	}
}

// greet reads the kind of the opener, and the hash of its name.
func (r *Receiver) greet(c net.Conn) error {
	hello := make([]byte, 8)
	if err := c.SetReadDeadline(time.Now().Add(r.limits.Header)); err != nil {
		return err
	}
	if _, err := io.ReadFull(c, hello); err != nil {
		return err
	}
	switch magic := binary.BigEndian.Uint32(hello); magic {
	case agent, agentV2, agentRequest:
		return c.SetReadDeadline(time.Time{})
	default:
		return fmt.Errorf("%#x is not an agent of Scouter", magic)
	}
}

// This file reads datagrams.

// input reads datagrams, and says how many were lost before each.
type input struct {
	packets net.PacketConn
	udp     *net.UDPConn // nil where packets is something else
	lost    uint32       // in all, as the kernel said last
	control []byte
}

// receiveBuffer is asked of the kernel, in bytes: agents send a datagram for each call,
// in bursts, and what has no room is lost.
const receiveBuffer = 64 << 20

func newInput(packets net.PacketConn) *input {
	in := &input{packets: packets}
	if udp, ok := packets.(*net.UDPConn); ok {
		in.udp = udp
		in.prepare()
	}
	return in
}

// next reads a datagram into buffer: its length, and how many were lost before it.
func (in *input) next(buffer []byte) (n int, lost uint32, err error) {
	if in.udp == nil {
		n, _, err = in.packets.ReadFrom(buffer)
		return n, 0, err
	}
	n, controls, _, _, err := in.udp.ReadMsgUDPAddrPort(buffer, in.control)
	if err != nil {
		return 0, 0, err
	}
	if all, told := overflow(in.control[:controls]); told {
		lost = all - in.lost
		in.lost = all
	}
	return n, lost, nil
}
