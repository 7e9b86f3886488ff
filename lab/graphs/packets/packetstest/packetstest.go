// Package packetstest owns captures that tests make: packets of connections, written as pcap or pcapng. It must not know how they
// are read.
package packetstest

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"time"
)

// Link types that packets can be written with.
const (
	Null     = 0
	Ethernet = 1
	Raw      = 101
	Cooked   = 113
	Cooked2  = 276
)

// Capture is a file of packets in the making.
type Capture struct {
	Link    uint32
	NG      bool // pcapng
	Nano    bool // times in nanoseconds
	Order   binary.AppendByteOrder
	VLAN    bool
	Snaplen int           // bytes that are kept of a packet; 0 is all
	MSS     int           // bytes of data in a segment; 0 is 1,448
	Step    time.Duration // from packet to packet; 0 is 10 µs
	Now     time.Time
	First   uint32 // sequence number of a client's first byte; 0 is 1000
	file    bytes.Buffer
	Packets int
}

// Flags of segments.
const (
	FIN = 1
	SYN = 2
	RST = 4
	ACK = 16
)

// Start is the time of the first packet of a capture.
var Start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// New begins a capture of raw IP packets, with the change that is made to it.
func New(change func(*Capture)) *Capture {
	c := &Capture{Link: Raw, Order: binary.LittleEndian, Now: Start, Step: 10 * time.Microsecond, MSS: 1448}
	if change != nil {
		change(c)
	}
	c.head()
	return c
}

// Bytes is the file as far as it is made.
func (c *Capture) Bytes() []byte { return c.file.Bytes() }

func (c *Capture) u16(b []byte, v uint16) []byte { return c.Order.AppendUint16(b, v) }
func (c *Capture) u32(b []byte, v uint32) []byte { return c.Order.AppendUint32(b, v) }

func (c *Capture) head() {
	var b []byte
	if !c.NG {
		magic := uint32(0xa1b2c3d4)
		if c.Nano {
			magic = 0xa1b23c4d
		}
		b = c.u32(b, magic)
		b = c.u16(c.u16(b, 2), 4)
		b = c.u32(c.u32(c.u32(c.u32(b, 0), 0), 262144), c.Link)
		c.file.Write(b)
		return
	}
	b = c.u32(c.u16(c.u16(c.u32(b, 0x1a2b3c4d), 1), 0), 0xffffffff)
	c.block(0x0a0d0d0a, c.u32(b, 0xffffffff))
	b = c.u32(c.u16(c.u16(nil, uint16(c.Link)), 0), 0)
	if c.Nano {
		b = append(c.u16(c.u16(b, 9), 1), 9, 0, 0, 0)
	}
	c.block(1, b)
}

// block writes a block of pcapng.
func (c *Capture) block(kind uint32, body []byte) {
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	size := uint32(len(body) + 12)
	c.file.Write(c.u32(append(c.u32(c.u32(nil, kind), size), body...), size))
}

// Dropped writes that so many packets were dropped, in pcapng.
func (c *Capture) Dropped(n uint64) {
	b := c.u32(c.u32(c.u32(nil, 0), 0), 0)
	c.block(5, c.Order.AppendUint64(c.u16(c.u16(b, 5), 8), n))
}

// Frame writes a packet as it stands on the link.
func (c *Capture) Frame(frame []byte) {
	kept := frame
	if c.Snaplen > 0 && len(kept) > c.Snaplen {
		kept = kept[:c.Snaplen]
	}
	c.Packets++
	var b []byte
	if c.NG {
		count := uint64(c.Now.UnixMicro())
		if c.Nano {
			count = uint64(c.Now.UnixNano())
		}
		b = c.u32(c.u32(c.u32(nil, 0), uint32(count>>32)), uint32(count))
		c.block(6, append(c.u32(c.u32(b, uint32(len(kept))), uint32(len(frame))), kept...))
	} else {
		part := uint32(c.Now.Nanosecond())
		if !c.Nano {
			part /= 1000
		}
		b = c.u32(c.u32(nil, uint32(c.Now.Unix())), part)
		c.file.Write(append(c.u32(c.u32(b, uint32(len(kept))), uint32(len(frame))), kept...))
	}
	c.Now = c.Now.Add(c.Step)
}

// Segment writes a TCP segment.
func (c *Capture) Segment(from, to netip.AddrPort, seq, ack uint32, flags byte, data []byte) {
	tcp := binary.BigEndian.AppendUint16(nil, from.Port())
	tcp = binary.BigEndian.AppendUint16(tcp, to.Port())
	tcp = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(tcp, seq), ack)
	tcp = append(tcp, 8<<4, flags, 0xff, 0xff, 0, 0, 0, 0, 1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0) // with times, as Linux has them
	tcp = append(tcp, data...)
	ether, ip := uint16(0x0800), []byte(nil)
	if from.Addr().Is4() {
		ip = binary.BigEndian.AppendUint16([]byte{0x45, 0}, uint16(20+len(tcp)))
		ip = append(ip, 0, 0, 0x40, 0, 64, 6, 0, 0)
	} else {
		ether = 0x86dd
		ip = binary.BigEndian.AppendUint16([]byte{0x60, 0, 0, 0}, uint16(len(tcp)))
		ip = append(ip, 6, 64)
	}
	ip = append(append(append(ip, from.Addr().AsSlice()...), to.Addr().AsSlice()...), tcp...)
	c.Frame(append(c.link(ether), ip...))
}

// link returns the link's header of a packet.
func (c *Capture) link(ether uint16) []byte {
	var b []byte
	switch c.Link {
	case Null:
		family := uint32(2)
		if ether != 0x0800 {
			family = 30
		}
		return c.u32(nil, family)
	case Ethernet:
		b = make([]byte, 12)
	case Cooked:
		b = make([]byte, 14)
	case Cooked2:
		return append(binary.BigEndian.AppendUint16(nil, ether), make([]byte, 18)...)
	default:
		return nil
	}
	if c.VLAN {
		b = append(b, 0x81, 0, 0, 7)
	}
	return binary.BigEndian.AppendUint16(b, ether)
}

// Conn is a connection of a capture.
type Conn struct {
	Capture        *Capture
	Client, Server netip.AddrPort
	CSeq, SSeq     uint32 // of what each sends next
}

// Dial opens a connection, with the three segments of its beginning.
func (c *Capture) Dial(client, server string) *Conn {
	conn := c.Begun(client, server)
	c.Segment(conn.Client, conn.Server, conn.CSeq-1, 0, SYN, nil)
	c.Segment(conn.Server, conn.Client, conn.SSeq-1, conn.CSeq, SYN|ACK, nil)
	c.Segment(conn.Client, conn.Server, conn.CSeq, conn.SSeq, ACK, nil)
	return conn
}

// Begun is a connection that began before the capture.
func (c *Capture) Begun(client, server string) *Conn {
	first := c.First
	if first == 0 {
		first = 1000
	}
	return &Conn{c, netip.MustParseAddrPort(client), netip.MustParseAddrPort(server), first, 0xffffff00}
}

// Ask sends a request, in segments.
func (c *Conn) Ask(data string) { c.send(false, data) }

// Answer sends an answer, in segments.
func (c *Conn) Answer(data string) { c.send(true, data) }

func (c *Conn) send(server bool, data string) {
	for len(data) > 0 {
		n := min(len(data), c.Capture.MSS)
		c.Data(server, c.Next(server, n), data[:n])
		data = data[n:]
	}
}

// Next moves an end on by n bytes, and returns the sequence number of the first of them.
func (c *Conn) Next(server bool, n int) uint32 {
	of := &c.CSeq
	if server {
		of = &c.SSeq
	}
	*of += uint32(n)
	return *of - uint32(n)
}

// Data sends a segment with this sequence number.
func (c *Conn) Data(server bool, seq uint32, data string) {
	if server {
		c.Capture.Segment(c.Server, c.Client, seq, c.CSeq, ACK, []byte(data))
		return
	}
	c.Capture.Segment(c.Client, c.Server, seq, c.SSeq, ACK, []byte(data))
}

// Close ends a connection from both sides.
func (c *Conn) Close() {
	c.Capture.Segment(c.Client, c.Server, c.CSeq, c.SSeq, FIN|ACK, nil)
	c.CSeq++
	c.Capture.Segment(c.Server, c.Client, c.SSeq, c.CSeq, FIN|ACK, nil)
	c.SSeq++
	c.Capture.Segment(c.Client, c.Server, c.CSeq, c.SSeq, ACK, nil)
}
