package packets_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/capture"
	"github.com/tracetax/tracetax/lab/graphs/packets/packetstest"
	"golang.org/x/net/http2"
)

// Each protocol has its calls, however the segments cut its messages.
func TestProtocols(t *testing.T) {
	for _, test := range talks {
		for _, mss := range []int{60_000, 1448, 100, 7, 1} {
			t.Run(fmt.Sprintf("%s by %d", test.name, mss), func(t *testing.T) {
				calls, counts := read(t, packets.Options{}, talk(test.says, mss))
				var got []string
				rest := [2]int{} // bytes that belong to no call
				for _, s := range test.says {
					if s.server {
						rest[1] += len(s.data)
					} else {
						rest[0] += len(s.data)
					}
				}
				for _, c := range calls {
					line := fmt.Sprintf("%s %s %s", c.Protocol, c.Method, c.Status)
					if !c.Ended() {
						line += " no end"
					}
					got = append(got, line)
					rest[0] -= int(c.Request)
					rest[1] -= int(c.Answer)
				}
				if diff := cmp.Diff(test.calls, got); diff != "" || rest != test.more {
					t.Errorf("%v bytes belong to no call, want %v; calls (-want +got):\n%s", rest, test.more, diff)
				}
				want := packets.Counts{Counts: counts.Counts, Connections: 1, Calls: counts.Calls, Unended: counts.Unended,
					Unknown: test.unknown, Upgraded: test.upgraded, Unread: counts.Unread}
				if diff := cmp.Diff(want, counts); diff != "" {
					t.Errorf("counts (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// The ids of a request are known in each protocol, with a large header too.
func TestIDs(t *testing.T) {
	long := strings.Replace(get, "Host", "Cookie: "+strings.Repeat("a", 64<<10)+"\r\nHost", 1)
	for name, test := range map[string]struct {
		says  []said
		trace []string
		state string // of the first call
	}{
		"http/2": {http2Talk(), []string{"t1", strings.Repeat("z", 40_000), "", ""}, ""},
		"thrift": {thriftTalk, []string{"t1", "", "", "", "", ""}, "tt=2"},
		"http":   {[]said{asks(long), answers(ok)}, []string{traceparent}, "tt=1"},
	} {
		calls, _ := read(t, packets.Options{}, talk(test.says, 1448))
		var got []string
		for _, c := range calls {
			got = append(got, c.Trace)
		}
		if diff := cmp.Diff(test.trace, got); diff != "" || calls[0].State != test.state {
			t.Errorf("%s: state %q, traces %s", name, calls[0].State, diff)
		}
		if name == "http" && (calls[0].Request != int64(len(long)) || !calls[0].Asked.Before(calls[0].AskedAll)) {
			t.Errorf("%s: %d bytes, asked from %v to %v", name, calls[0].Request, calls[0].Asked, calls[0].AskedAll)
		}
	}
}

// HTTP/2 that began before the capture has no tables of headers: it is counted and left out, and so is one with a gap in its headers.
func TestNoTables(t *testing.T) {
	says := http2Talk()
	for _, sure := range []bool{false, true} {
		c := packetstest.New(nil)
		conn := c.Begun(client, server)
		conn.Ask(strings.TrimPrefix(says[1].data, http2.ClientPreface))
		conn.Answer(says[2].data)
		opt := packets.Options{}
		if sure {
			opt.Serves = func(at netip.AddrPort) bool { return at == conn.Server }
		}
		calls, counts := read(t, opt, c.Bytes())
		if len(calls) != 0 || counts.NoTables != 1 || counts.Before != 1 || counts.Unknown != 0 {
			t.Errorf("calls %v, counts %+v", brief(calls), counts)
		}
	}
	c := packetstest.New(nil)
	conn := c.Dial(client, server)
	conn.Ask(says[1].data[:60])
	conn.Next(false, 10)
	conn.Ask(says[1].data[70:])
	conn.Answer(says[2].data)
	conn.Close()
	if calls, counts := read(t, packets.Options{}, c.Bytes()); len(calls) != 0 || counts.NoTables != 1 || counts.Missing != 10 {
		t.Errorf("calls %v, counts %+v", brief(calls), counts)
	}
	padded := http2.ClientPreface + "\x00\x00\x03\x01\x0c\x00\x00\x00\x01\xc8\x82\x82" // by more bytes than it has
	if calls, counts := read(t, packets.Options{}, talk([]said{asks(padded)}, 1448)); len(calls) != 0 || counts.NoTables != 1 {
		t.Errorf("padded: calls %v, counts %+v", brief(calls), counts)
	}
}

// Thrift is recognised where the length of each frame is a segment of its own, also after the connection's beginning and after a gap.
func TestLengthAlone(t *testing.T) {
	for name, begin := range map[string]func(c *packetstest.Capture) *packetstest.Conn{
		"whole": func(c *packetstest.Capture) *packetstest.Conn { return c.Dial(client, server) },
		"before": func(c *packetstest.Capture) *packetstest.Conn {
			conn := c.Begun(client, server)
			conn.Ask("the rest of a frame")
			return conn
		},
		"gap": func(c *packetstest.Capture) *packetstest.Conn {
			conn := c.Dial(client, server)
			conn.Ask(thriftFrame(1, "lost", 99, thriftCarrier()))
			conn.Next(true, 30)
			return conn
		},
	} {
		c := packetstest.New(nil)
		conn := begin(c)
		for i := range uint32(20) {
			frame, answer := thriftFrame(1, "post", i, thriftCarrier("traceparent", "t")), thriftFrame(2, "post", i, "\x00")
			conn.Ask(frame[:4])
			conn.Ask(frame[4:])
			conn.Answer(answer[:4])
			conn.Answer(answer[4:])
		}
		calls, counts := read(t, packets.Options{}, c.Bytes())
		ended := 0
		for _, call := range calls {
			if call.Ended() && call.Trace == "t" && call.Protocol == packets.Thrift && call.Method == "post" {
				ended++
			}
		}
		if least := 20; ended < least && name != "gap" || ended < 15 || counts.Unknown != 0 {
			t.Errorf("%s: %d of 20, counts %+v, calls %v", name, ended, counts, brief(calls))
		}
	}
}

func TestIDsOfHeaders(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	want := [16]byte{0x0a, 0xf7, 0x65, 0x19, 0x16, 0xcd, 0x43, 0xdd, 0x84, 0x48, 0xeb, 0x21, 0x1c, 0x80, 0x31, 0x9c}
	for _, text := range []string{parent, strings.ToUpper(parent), parent + "-more"} {
		if trace, call := (&packets.Call{Trace: text}).IDs(); trace != want || call != 0xb7ad6b7169203331 {
			t.Errorf("%s: %x %x", text, trace, call)
		}
	}
	for _, bad := range []string{
		"", "00", parent[:54], strings.Replace(parent, "-", "_", 1), strings.Replace(parent, "-b", "_b", 1),
		strings.Replace(parent, "a", "g", 1),
		parent[:36] + "0000000000000000-01", parent[:3] + strings.Repeat("0", 32) + parent[35:], strings.Replace(parent, "b7ad", "b7a-", 1),
	} {
		if trace, call := (&packets.Call{Trace: bad}).IDs(); trace != [16]byte{} || call != 0 {
			t.Errorf("%q has the ids %x %x", bad, trace, call)
		}
	}
	for state, want := range map[string]uint64{
		"tt=00f067aa0ba902b7": 0x00f067aa0ba902b7, "rojo=1, tt=00000000000000aa ,congo=2": 0xaa, "congo=2,tt=00000000000000aa": 0xaa,
		"": 0, "tt=": 0, "tt=00f067aa0ba902b": 0, "tt=00f067aa0ba902b77": 0, "tt=00f067aa0ba902bx": 0,
		"xtt=00f067aa0ba902b7": 0, "rojo=tt=00f067aa0ba902b7": 0,
	} {
		if got := (&packets.Call{State: state}).Caller(); got != want {
			t.Errorf("%q names %x, want %x", state, got, want)
		}
	}
}

// wantSane holds what is true of every reading.
func wantSane(t *testing.T, data []byte) {
	r, err := capture.NewReader("a capture", bytes.NewReader(data))
	if err != nil {
		return
	}
	given, unended := int64(0), int64(0)
	counts, err := packets.Read([]*capture.Reader{r}, packets.Options{}, func(c packets.Call) error {
		given++
		if !c.Ended() {
			unended++
		}
		if c.Asked.IsZero() || c.Request < 0 || c.Answer < 0 || c.Protocol == "" || c.Resent < 0 {
			t.Errorf("call %+v", c)
		}
		return nil
	})
	total := int64(0)
	for _, n := range counts.Calls {
		total += n
	}
	if total != given || counts.Unended != unended || counts.Missing < 0 {
		t.Errorf("%d calls given, %d without an end, error %v, counts %+v", given, unended, err, counts)
	}
}

func FuzzRead(f *testing.F) {
	for _, test := range talks {
		if test.name == "http" || test.name == "redis" {
			f.Add(talk(test.says, 100))
		}
	}
	for _, link := range []uint32{packetstest.Ethernet, packetstest.Null, packetstest.Cooked, packetstest.Cooked2} {
		c := packetstest.New(func(c *packetstest.Capture) { c.Link, c.NG, c.VLAN = link, true, true })
		for _, conn := range []*packetstest.Conn{c.Dial(client, server), c.Dial(client6, server6)} {
			conn.Ask(get)
			conn.Next(true, 5)
			conn.Answer(ok)
			conn.Close()
		}
		f.Add(c.Bytes())
	}
	f.Fuzz(wantSane)
}

// FuzzProtocols has any bytes said on a connection that begins as one of a protocol, with a gap, in segments of any size.
func FuzzProtocols(f *testing.F) {
	for i, test := range talks {
		for _, s := range test.says {
			if len(s.data) < 2000 {
				f.Add(uint8(i), s.data, s.data, uint16(9), uint8(0))
			}
		}
	}
	f.Fuzz(func(t *testing.T, of uint8, request, answer string, mss uint16, gap uint8) {
		c := packetstest.New(func(c *packetstest.Capture) { c.MSS = int(mss)%2000 + 1 })
		if len(request)+len(answer) > 1<<14 {
			return
		}
		conn := c.Dial(client, server)
		say(conn, talks[int(of)%len(talks)].says[:2])
		conn.Ask(request)
		conn.Answer(answer)
		conn.Next(gap&1 == 0, int(gap))
		conn.Ask(request)
		conn.Answer(answer)
		wantSane(t, c.Bytes())
	})
}
