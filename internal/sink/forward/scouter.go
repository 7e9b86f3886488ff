// This file passes on what Scouter's agents send: datagrams, and connections.

package forward

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"
)

// Collector is a Scouter server: it takes datagrams and connections on ports of one number.
type Collector struct {
	address string
	packets *net.UDPConn
}

// Collect returns what passes datagrams and connections on to target.
func Collect(target *url.URL) (*Collector, error) {
	packets, err := net.Dial("udp", target.Host)
	if err != nil {
		return nil, fmt.Errorf("preparing to send to Scouter's server at %s: %w", target.Host, err)
	}
	return &Collector{target.Host, packets.(*net.UDPConn)}, nil
}

// Close ends the sending of datagrams.
func (c *Collector) Close() error { return c.packets.Close() }

// Send passes one datagram on. An error says that one did not reach the backend: nobody
// listens there. A backend on this machine is known about at once; what another one says
// comes later, and is told of a later datagram. No error does not mean that the backend has
// taken it: it answers nothing.
func (c *Collector) Send(datagram []byte) error {
	_, err := c.packets.Write(datagram)
	if errors.Is(err, syscall.ECONNREFUSED) { // which an earlier one was, and this one has not been sent
		if _, again := c.packets.Write(datagram); again != nil {
			return errors.Join(err, again)
		}
		return err
	}
	if err != nil {
		return err
	}
	return refused(c.packets)
}

// Connect opens a connection to the backend.
func (c *Collector) Connect(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", c.address)
}
