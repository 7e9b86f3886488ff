// Telling a server that speaks HTTP/2 alone, without TLS, where one that asks by HTTP/1.1 gets no answer.

package load

import (
	"net"
	"time"

	"golang.org/x/net/http2"
)

// probing is how long a server may take to say what it speaks.
const probing = time.Second

// OnlyHTTP2 asks a server that has not answered by HTTP/1.1 whether it speaks HTTP/2 to who begins with it (prior
// knowledge).
func OnlyHTTP2(address string) bool {
	c, err := net.DialTimeout("tcp", address, probing)
	if err != nil {
		return false
	}
	defer c.Close() // nothing is kept of it
	if err := c.SetDeadline(time.Now().Add(probing)); err != nil {
		return false
	}
	if _, err := c.Write(append([]byte(http2.ClientPreface), 0, 0, 0, byte(http2.FrameSettings), 0, 0, 0, 0, 0)); err != nil {
		return false
	}
	var said []byte
	for b := make([]byte, maxFrame); ; {
		n, err := c.Read(b)
		if said = append(said, b[:n]...); beginsHTTP2(said) {
			return true
		}
		if err != nil || len(said) > maxFrame {
			return false
		}
	}
}

// beginsHTTP2 reports whether a server begins as HTTP/2 has it: with settings, or a good-bye, of the whole connection.
func beginsHTTP2(b []byte) bool {
	f, n, err := nextFrame(b)
	return err == nil && n > 0 && f.stream == 0 && (f.kind == http2.FrameSettings || f.kind == http2.FrameGoAway)
}
