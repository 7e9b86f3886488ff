package capture

import (
	"encoding/binary"
	"net/netip"
)

// Link types, by their numbers in captures.
const (
	linkNull     = 0
	linkEthernet = 1
	linkRawBSD   = 12
	linkRawOpen  = 14
	linkRaw      = 101
	linkLoop     = 108
	linkCooked   = 113
	linkIPv4     = 228
	linkIPv6     = 229
	linkCooked2  = 276
)

// reads reports whether packets of this link type are understood.
func reads(link uint32) bool {
	switch link {
	case linkNull, linkEthernet, linkRawBSD, linkRawOpen, linkRaw, linkLoop, linkCooked, linkIPv4, linkIPv6, linkCooked2:
		return true
	}
	return false
}

// kind says what was found in a packet.
type kind int

const (
	isOther kind = iota
	isFragment
	isTCP
)

// Types of what an Ethernet frame holds.
const (
	etherIPv4  = 0x0800
	etherVLAN  = 0x8100
	etherIPv6  = 0x86dd
	etherQinQ  = 0x88a8
	etherQinQ2 = 0x9100
)

// Protocols over IP.
const (
	overHopByHop = 0
	overTCP      = 6
	overRouting  = 43
	overFragment = 44
	overAH       = 51
	overOptions  = 60
)

// decode finds the TCP segment in a packet.
func decode(p packet) (Segment, kind) {
	ip := payload(p)
	if len(ip) == 0 {
		return Segment{}, isOther
	}
	s := Segment{At: p.at}
	switch ip[0] >> 4 {
	case 4:
		return s.ipv4(ip, p.size-len(p.data))
	case 6:
		return s.ipv6(ip, p.size-len(p.data))
	}
	return Segment{}, isOther
}

// payload returns the IP packet behind the header of the link; nil is none.
func payload(p packet) []byte {
	switch p.link {
	case linkRaw, linkRawBSD, linkRawOpen, linkIPv4, linkIPv6:
		return p.data
	case linkNull, linkLoop:
		return from(p.data, 4)
	case linkEthernet:
		return tagged(p.data, 12)
	case linkCooked:
		return tagged(p.data, 14)
	case linkCooked2:
		if len(p.data) >= 2 && isIP(binary.BigEndian.Uint16(p.data)) {
			return from(p.data, 20)
		}
	}
	return nil
}

// tagged returns the IP packet behind the type at this place and behind tags of VLANs; nil is none.
func tagged(data []byte, at int) []byte {
	for range 4 {
		if len(data) < at+2 {
			return nil
		}
		switch is := binary.BigEndian.Uint16(data[at:]); {
		case isIP(is):
			return data[at+2:]
		case is == etherVLAN || is == etherQinQ || is == etherQinQ2:
			at += 4
		default:
			return nil
		}
	}
	return nil
}

func isIP(ether uint16) bool { return ether == etherIPv4 || ether == etherIPv6 }

func from(data []byte, at int) []byte {
	if len(data) < at {
		return nil
	}
	return data[at:]
}

// ipv4 reads an IPv4 packet that lacks so many bytes at its end.
func (s Segment) ipv4(ip []byte, lacks int) (Segment, kind) {
	if len(ip) < 20 {
		return Segment{}, isOther
	}
	head, total := int(ip[0]&15)*4, int(binary.BigEndian.Uint16(ip[2:]))
	if head < 20 || ip[9] != overTCP {
		return Segment{}, isOther
	}
	if binary.BigEndian.Uint16(ip[6:])&0x3fff != 0 {
		return Segment{}, isFragment
	}
	if total == 0 { // the network card was to fill it in
		total = len(ip) + max(0, lacks)
	}
	if total < head || len(ip) < head {
		return Segment{}, isOther
	}
	s.From, s.To = netip.AddrPortFrom(netip.AddrFrom4([4]byte(ip[12:])), 0), netip.AddrPortFrom(netip.AddrFrom4([4]byte(ip[16:])), 0)
	return s.tcp(ip[head:min(len(ip), total)], total-head)
}

// ipv6 reads an IPv6 packet that lacks so many bytes at its end.
func (s Segment) ipv6(ip []byte, lacks int) (Segment, kind) {
	if len(ip) < 40 {
		return Segment{}, isOther
	}
	over, length := ip[6], int(binary.BigEndian.Uint16(ip[4:]))
	if length == 0 {
		length = len(ip) - 40 + max(0, lacks)
	}
	s.From = netip.AddrPortFrom(netip.AddrFrom16([16]byte(ip[8:])).Unmap(), 0)
	s.To = netip.AddrPortFrom(netip.AddrFrom16([16]byte(ip[24:])).Unmap(), 0)
	rest := ip[40:min(len(ip), 40+length)]
	for over != overTCP {
		if len(rest) < 8 {
			return Segment{}, isOther
		}
		size := (int(rest[1]) + 1) * 8
		switch over {
		case overHopByHop, overRouting, overOptions:
		case overAH:
			size = (int(rest[1]) + 2) * 4
		case overFragment:
			if binary.BigEndian.Uint16(rest[2:])&^6 != 0 {
				return Segment{}, isFragment
			}
			size = 8
		default:
			return Segment{}, isOther
		}
		if len(rest) < size {
			return Segment{}, isOther
		}
		over, rest, length = rest[0], rest[size:], length-size
	}
	return s.tcp(rest, length)
}

// tcp reads a segment with its header; length is that of both as sent.
func (s Segment) tcp(data []byte, length int) (Segment, kind) {
	if len(data) < 20 {
		return Segment{}, isOther
	}
	head := int(data[12]>>4) * 4
	if head < 20 || length < head {
		return Segment{}, isOther
	}
	s.From = netip.AddrPortFrom(s.From.Addr(), binary.BigEndian.Uint16(data))
	s.To = netip.AddrPortFrom(s.To.Addr(), binary.BigEndian.Uint16(data[2:]))
	s.Seq, s.Ack = binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	s.Flags, s.Length = Flags(data[13]), length-head
	s.Data = from(data, head)
	return s, isTCP
}
