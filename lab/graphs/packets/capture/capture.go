// Package capture owns files of captured packets: pcap and pcapng, what links and IP put around TCP, and captures of several
// machines read as one. It must not know connections or what is said on them.
package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"time"
)

// Segment is a TCP segment. Data is valid until the next one is read.
type Segment struct {
	At       time.Time
	From, To netip.AddrPort
	Seq, Ack uint32
	Flags    Flags
	Data     []byte
	Length   int // bytes of data that were sent; more than Data has where the capture cut the packet
}

// Flags of a segment, as TCP has them.
type Flags uint8

// The flags that say where a connection stands.
const (
	FIN Flags = 1 << iota
	SYN
	RST
	PSH
	ACK
)

// Has reports whether all of these flags are set.
func (f Flags) Has(of Flags) bool { return f&of == of }

// Counts count the packets of files.
type Counts struct {
	Packets   int64 `json:"packets"`
	NoTCP     int64 `json:"no_tcp"`    // of another protocol than TCP over IP
	Fragments int64 `json:"fragments"` // parts of IP packets, which are not put together
	Cut       int64 `json:"cut"`       // captured in part, by the capture's snaplen
	Dropped   int64 `json:"dropped"`   // packets that the capture itself reports as lost; pcapng alone has such a number
	CutOff    int   `json:"cut_off"`   // files that end within a packet
}

const (
	bufferSize  = 1 << 20
	largestKept = 1 << 19 // bytes of a packet: tcpdump keeps 262,144 at most
)

// Reader reads the segments of one file. Its memory does not grow with the file.
type Reader struct {
	name   string
	in     *bufio.Reader
	format format
	keep   int // bytes at the front of in that were read by the last call
	Counts Counts
}

// packet is a packet of a file, before anything of it is understood.
type packet struct {
	at   time.Time
	link uint32
	data []byte
	size int // bytes that it had on the wire
}

// format reads the packets of one format of files. It returns io.EOF after the last one, and io.ErrUnexpectedEOF within one.
type format interface {
	next(r *Reader) (packet, error)
}

// NewReader begins to read a file. The error is of a file that holds no packets, or none that can be read.
func NewReader(name string, in io.Reader) (*Reader, error) {
	r := &Reader{name: name, in: bufio.NewReaderSize(in, bufferSize)}
	magic, err := r.in.Peek(4)
	switch {
	case errors.Is(err, io.EOF) && len(magic) == 0:
		return nil, fmt.Errorf("reading %s: the file is empty; a capture has a header even without packets", name)
	case err != nil && !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("reading %s: %w", name, err)
	case len(magic) == 4 && binary.BigEndian.Uint32(magic) == sectionHeader:
		r.format = &pcapng{}
		return r, nil
	}
	if r.format, err = newPcap(r); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return r, nil
}

// Next returns the next TCP segment, and io.EOF after the last one. A file that ends within a packet ends before it.
func (r *Reader) Next() (Segment, error) {
	for {
		p, err := r.format.next(r)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			r.Counts.CutOff++
			return Segment{}, io.EOF
		case errors.Is(err, io.EOF):
			return Segment{}, io.EOF
		case err != nil:
			return Segment{}, fmt.Errorf("reading packet %d of %s: %w", r.Counts.Packets+1, r.name, err)
		}
		r.Counts.Packets++
		if len(p.data) < p.size {
			r.Counts.Cut++
		}
		s, kind := decode(p)
		switch kind {
		case isTCP:
			return s, nil
		case isFragment:
			r.Counts.Fragments++
		case isOther:
			r.Counts.NoTCP++
		}
	}
}

// take returns the next n bytes of the file, which stay valid until the next take. It returns io.EOF before the first of them
// and io.ErrUnexpectedEOF within them.
func (r *Reader) take(n int) ([]byte, error) {
	if _, err := r.in.Discard(r.keep); err != nil {
		return nil, err
	}
	r.keep = 0
	out, err := r.in.Peek(n)
	switch {
	case err == nil:
		r.keep = n
		return out, nil
	case errors.Is(err, io.EOF) && len(out) > 0:
		return nil, io.ErrUnexpectedEOF
	}
	return nil, err
}

// within is an error inside a packet: no file ends there on purpose.
func within(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Source returns segments in the order of their times.
type Source interface {
	Next() (Segment, error)
}

// Merged are several files as one, in the order of the packets' times.
type Merged struct {
	readers []*Reader
	heads   []Segment
	filled  []bool
}

// Merge merges files. Of packets of one moment the earlier file comes first.
func Merge(readers ...*Reader) *Merged {
	return &Merged{readers: slices.Clone(readers), heads: make([]Segment, len(readers)), filled: make([]bool, len(readers))}
}

// Next returns the earliest segment that is left, and io.EOF after the last one of all files.
func (m *Merged) Next() (Segment, error) {
	first := -1
	for i, r := range m.readers {
		if r == nil {
			continue
		}
		if !m.filled[i] {
			s, err := r.Next()
			if errors.Is(err, io.EOF) {
				m.readers[i] = nil
				continue
			}
			if err != nil {
				return Segment{}, err
			}
			m.heads[i], m.filled[i] = s, true
		}
		if first < 0 || m.heads[i].At.Before(m.heads[first].At) {
			first = i
		}
	}
	if first < 0 {
		return Segment{}, io.EOF
	}
	m.filled[first] = false
	return m.heads[first], nil
}
