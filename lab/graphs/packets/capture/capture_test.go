package capture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/packets/capture"
	"github.com/tracetax/tracetax/lab/graphs/packets/packetstest"
)

func open(t *testing.T, data []byte) *capture.Reader {
	t.Helper()
	r, err := capture.NewReader("a.pcap", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// all reads what is left of a source. Each segment's data is copied.
func all(t *testing.T, from capture.Source) (out []capture.Segment) {
	t.Helper()
	for {
		s, err := from.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		s.Data = slices.Clone(s.Data)
		out = append(out, s)
	}
}

// Files are merged by the times of their packets.
func TestMerge(t *testing.T) {
	var files []*capture.Reader
	for i := range 3 {
		c := packetstest.New(func(c *packetstest.Capture) {
			c.NG = i == 1
			c.Now, c.Step = c.Now.Add(time.Duration(i)*time.Millisecond), 3*time.Millisecond
		})
		conn := c.Begun("10.0.0.1:1", "10.0.0.2:2")
		for j := range 10 {
			conn.Ask(string(rune('a' + 3*j + i)))
		}
		files = append(files, open(t, c.Bytes()))
	}
	var got strings.Builder
	for _, s := range all(t, capture.Merge(files...)) {
		got.Write(s.Data)
	}
	var want strings.Builder
	for i := range 30 {
		want.WriteRune(rune('a' + i))
	}
	if got.String() != want.String() {
		t.Errorf("data %q, want %q", got.String(), want.String())
	}
}

// tcp is a segment without data but this.
func tcp(data string) []byte {
	return append([]byte{0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 5 << 4, 16, 0, 0, 0, 0, 0, 0}, data...)
}

// ip6 is an IPv6 packet whose first header after its own is of this kind.
func ip6(next byte, rest []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0x60, 0, 0, 0}, uint16(len(rest)))
	return append(append(append(b, next, 64), make([]byte, 32)...), rest...)
}

func ip4(total, fragment uint16, rest []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0x45, 0}, total)
	b = binary.BigEndian.AppendUint16(append(b, 0, 0), fragment)
	return append(append(append(b, 64, 6, 0, 0), 10, 0, 0, 1, 10, 0, 0, 2), rest...)
}

// What lies around TCP is read past, and what is no whole TCP is counted.
func TestHeaders(t *testing.T) {
	whole := tcp("hello")
	for _, test := range []struct {
		name   string
		packet []byte
		data   string // "" is no segment
		count  func(c capture.Counts) int64
	}{
		{"IPv4", ip4(45, 0, whole), "hello", nil},
		{"padded", append(ip4(45, 0, whole), 0, 0, 0, 0), "hello", nil},
		{"of a network card", ip4(0, 0, whole), "hello", nil},
		{"first fragment", ip4(45, 0x2000, whole), "", func(c capture.Counts) int64 { return c.Fragments }},
		{"last fragment", ip4(45, 0x0010, whole), "", func(c capture.Counts) int64 { return c.Fragments }},
		{"not to be fragmented", ip4(45, 0x4000, whole), "hello", nil},
		{"IPv6", ip6(6, whole), "hello", nil},
		{"hop by hop, routing, options", ip6(0, append([]byte{43, 0, 0, 0, 0, 0, 0, 0, 60, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			6, 0, 0, 0, 0, 0, 0, 0}, whole...)), "hello", nil},
		{"authentication", ip6(51, append([]byte{6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, whole...)), "hello", nil},
		{"fragment that is whole", ip6(44, append([]byte{6, 0, 0, 0, 0, 0, 0, 1}, whole...)), "hello", nil},
		{"fragment of IPv6", ip6(44, append([]byte{6, 0, 0, 1, 0, 0, 0, 1}, whole...)), "", func(c capture.Counts) int64 { return c.Fragments }},
		{"UDP", ip6(17, whole), "", func(c capture.Counts) int64 { return c.NoTCP }},
		{"short", ip4(45, 0, whole[:10]), "", func(c capture.Counts) int64 { return c.NoTCP }},
		{"nothing", nil, "", func(c capture.Counts) int64 { return c.NoTCP }},
	} {
		c := packetstest.New(nil)
		c.Frame(test.packet)
		r := open(t, c.Bytes())
		got := all(t, r)
		if test.data == "" {
			if len(got) != 0 || test.count(r.Counts) != 1 || r.Counts.Packets != 1 {
				t.Errorf("%s: %d segments, %+v", test.name, len(got), r.Counts)
			}
			continue
		}
		if len(got) != 1 || string(got[0].Data) != test.data || got[0].Length != len(test.data) || got[0].Seq != 3 || got[0].Ack != 4 {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

// Of a packet that was captured in part the length is known.
func TestCut(t *testing.T) {
	c := packetstest.New(func(c *packetstest.Capture) { c.Snaplen = 60 })
	c.Begun("10.0.0.1:1", "10.0.0.2:2").Ask("0123456789abcdef")
	r := open(t, c.Bytes())
	got := all(t, r)
	if len(got) != 1 || string(got[0].Data) != "01234567" || got[0].Length != 16 || r.Counts.Cut != 1 {
		t.Errorf("%+v, counts %+v", got, r.Counts)
	}
	if want := netip.MustParseAddrPort("10.0.0.2:2"); got[0].To != want || !got[0].Flags.Has(capture.ACK) || got[0].Flags.Has(capture.SYN) {
		t.Errorf("%+v", got[0])
	}
}

// A damaged block of pcapng is an error that names the packet, and not an endless reading.
func TestDamaged(t *testing.T) {
	c := packetstest.New(func(c *packetstest.Capture) { c.NG = true })
	head := len(c.Bytes())
	c.Begun("10.0.0.1:1", "10.0.0.2:2").Ask("hello")
	for name, change := range map[string]func(block []byte){
		"no length":        func(b []byte) { binary.LittleEndian.PutUint32(b[4:], 0) },
		"an odd length":    func(b []byte) { binary.LittleEndian.PutUint32(b[4:], 61) },
		"too large":        func(b []byte) { binary.LittleEndian.PutUint32(b[4:], 1<<30) },
		"of no interface":  func(b []byte) { binary.LittleEndian.PutUint32(b[8:], 9) },
		"beyond its block": func(b []byte) { binary.LittleEndian.PutUint32(b[20:], 500) },
	} {
		data := slices.Clone(c.Bytes())
		change(data[head:])
		_, err := open(t, data).Next()
		if err == nil || !strings.Contains(err.Error(), "packet 1 of a.pcap") || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
