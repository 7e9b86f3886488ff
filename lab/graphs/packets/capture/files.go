package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// The numbers that a pcap file begins with, in the byte order of its writer.
const (
	pcapMicros = 0xa1b2c3d4
	pcapNanos  = 0xa1b23c4d
)

// pcap is the format of tcpdump -w.
type pcap struct {
	order binary.ByteOrder
	link  uint32
	unit  time.Duration
}

func newPcap(r *Reader) (*pcap, error) {
	head, err := r.take(24)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, within(err)
	}
	if err != nil {
		return nil, errors.New("it is shorter than the header of a capture; write one with 'tcpdump -w FILE'")
	}
	p := &pcap{unit: time.Microsecond}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		switch order.Uint32(head) {
		case pcapNanos:
			p.unit = time.Nanosecond
			fallthrough
		case pcapMicros:
			p.order = order
		}
	}
	if p.order == nil {
		return nil, errors.New("it is neither pcap nor pcapng; write one with 'tcpdump -w FILE'")
	}
	p.link = p.order.Uint32(head[20:]) & 0x0fffffff // above stands the length of a frame's checksum
	if !reads(p.link) {
		return nil, fmt.Errorf("its link type is %d, which is not known here; capture on one network interface, or with '-i any'", p.link)
	}
	return p, nil
}

func (p *pcap) next(r *Reader) (packet, error) {
	head, err := r.take(16)
	if err != nil {
		return packet{}, err
	}
	seconds, part := int64(p.order.Uint32(head)), int64(p.order.Uint32(head[4:]))
	kept, size := p.order.Uint32(head[8:]), p.order.Uint32(head[12:])
	if err := plausible(kept); err != nil {
		return packet{}, err
	}
	data, err := r.take(int(kept))
	if err != nil {
		return packet{}, within(err)
	}
	return packet{at: time.Unix(seconds, part*int64(p.unit)), link: p.link, data: data, size: int(min(size, math.MaxInt32))}, nil
}

// plausible is an error for a length that no packet has: the file is damaged.
func plausible(kept uint32) error {
	if kept > largestKept {
		return fmt.Errorf("it says that it has %d bytes, which no packet has: the file is damaged from here on", kept)
	}
	return nil
}

// Blocks of a pcapng file.
const (
	sectionHeader   = 0x0a0d0d0a
	interfaceBlock  = 1
	oldPacketBlock  = 2
	simpleBlock     = 3
	statisticsBlock = 5
	packetBlock     = 6
	byteOrderMagic  = 0x1a2b3c4d

	optionEnd        = 0
	optionDropped    = 5 // of statistics
	optionResolution = 9
	optionOffset     = 14
)

// pcapng is the format of Wireshark and dumpcap.
type pcapng struct {
	order  binary.ByteOrder
	ifaces []iface
}

type iface struct {
	link   uint32
	unit   uint64 // parts of a second that a time counts
	offset int64  // seconds that are added to each time
}

func (p *pcapng) next(r *Reader) (packet, error) {
	for {
		head, err := r.take(12)
		if err != nil {
			return packet{}, err
		}
		if binary.BigEndian.Uint32(head) == sectionHeader {
			switch uint32(byteOrderMagic) {
			case binary.LittleEndian.Uint32(head[8:]):
				p.order = binary.LittleEndian
			case binary.BigEndian.Uint32(head[8:]):
				p.order = binary.BigEndian
			default:
				return packet{}, errors.New("a section says no byte order: the file is damaged from here on")
			}
			p.ifaces = nil
		}
		if p.order == nil {
			return packet{}, errors.New("the file has no section header")
		}
		kind, length := p.order.Uint32(head), p.order.Uint32(head[4:])
		if length < 12 || length%4 != 0 {
			return packet{}, fmt.Errorf("a block says that it has %d bytes: the file is damaged from here on", length)
		}
		if kind == sectionHeader || !p.wants(kind) {
			r.keep = 0
			if err := r.pass(int64(length)); err != nil {
				return packet{}, within(err)
			}
			continue
		}
		if length > largestKept+1024 {
			return packet{}, plausible(length)
		}
		r.keep = 0 // the block is taken whole
		block, err := r.take(int(length))
		if err != nil {
			return packet{}, within(err)
		}
		out, is, err := p.block(r, kind, block[8:length-4])
		if is || err != nil {
			return out, err
		}
	}
}

func (p *pcapng) wants(kind uint32) bool {
	switch kind {
	case interfaceBlock, oldPacketBlock, simpleBlock, statisticsBlock, packetBlock:
		return true
	}
	return false
}

// block reads one; is reports whether it is a packet.
func (p *pcapng) block(r *Reader, kind uint32, body []byte) (out packet, is bool, err error) {
	short := fmt.Errorf("a block of type %d has %d bytes, which is too few: the file is damaged from here on", kind, len(body))
	switch kind {
	case interfaceBlock:
		if len(body) < 8 {
			return packet{}, false, short
		}
		p.ifaces = append(p.ifaces, p.newIface(body))
	case statisticsBlock:
		if len(body) < 12 {
			return packet{}, false, short
		}
		p.options(body[12:], func(code uint16, value []byte) {
			if code == optionDropped && len(value) == 8 {
				r.Counts.Dropped += int64(min(p.order.Uint64(value), math.MaxInt64/2))
			}
		})
	case simpleBlock:
		r.Counts.Packets++ // it has no time
		r.Counts.NoTCP++
	case packetBlock, oldPacketBlock:
		if len(body) < 20 {
			return packet{}, false, short
		}
		of := p.order.Uint32(body)
		if kind == oldPacketBlock {
			of = uint32(p.order.Uint16(body))
		}
		kept := p.order.Uint32(body[12:])
		if uint64(of) >= uint64(len(p.ifaces)) || uint64(kept) > uint64(len(body)-20) {
			return packet{}, false, errors.New("a packet is of no interface, or longer than its block: the file is damaged from here on")
		}
		i := p.ifaces[of]
		at := i.time(uint64(p.order.Uint32(body[4:]))<<32 | uint64(p.order.Uint32(body[8:])))
		return packet{at: at, link: i.link, data: body[20 : 20+kept], size: int(min(p.order.Uint32(body[16:]), math.MaxInt32))}, true, nil
	}
	return packet{}, false, nil
}

func (p *pcapng) newIface(body []byte) iface {
	i := iface{link: uint32(p.order.Uint16(body)), unit: 1e6}
	p.options(body[8:], func(code uint16, value []byte) {
		switch {
		case code == optionResolution && len(value) == 1 && value[0]&0x80 != 0:
			i.unit = 1 << min(value[0]&0x7f, 62)
		case code == optionResolution && len(value) == 1:
			i.unit = uint64(math.Pow10(int(min(value[0], 18))))
		case code == optionOffset && len(value) == 8:
			i.offset = int64(p.order.Uint64(value))
		}
	})
	return i
}

// options calls each for the options of a block.
func (p *pcapng) options(body []byte, each func(code uint16, value []byte)) {
	for len(body) >= 4 {
		code, length := p.order.Uint16(body), int(p.order.Uint16(body[2:]))
		body = body[4:]
		if code == optionEnd || length > len(body) {
			return
		}
		each(code, body[:length])
		body = body[min(len(body), (length+3)&^3):]
	}
}

func (i iface) time(count uint64) time.Time {
	seconds, part := count/i.unit, count%i.unit
	return time.Unix(int64(seconds)+i.offset, int64(float64(part)*(1e9/float64(i.unit))+0.5))
}

// pass leaves n bytes of the file out.
func (r *Reader) pass(n int64) error {
	for n > 0 {
		some, err := r.in.Discard(int(min(n, bufferSize)))
		if err != nil {
			return err
		}
		n -= int64(some)
	}
	return nil
}
