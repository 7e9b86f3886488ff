package packets_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/capture"
	"github.com/tracetax/tracetax/lab/graphs/packets/packetstest"
)

// openAll opens captures.
func openAll(t testing.TB, files ...io.Reader) (readers []*capture.Reader) {
	t.Helper()
	for i, file := range files {
		r, err := capture.NewReader(fmt.Sprintf("capture %d", i), file)
		if err != nil {
			t.Fatal(err)
		}
		readers = append(readers, r)
	}
	return readers
}

// read reads captures whole.
func read(t testing.TB, opt packets.Options, files ...[]byte) ([]packets.Call, packets.Counts) {
	t.Helper()
	var in []io.Reader
	for _, data := range files {
		in = append(in, bytes.NewReader(data))
	}
	var calls []packets.Call
	counts, err := packets.Read(openAll(t, in...), opt, func(c packets.Call) error { calls = append(calls, c); return nil })
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(calls, func(a, b packets.Call) int {
		return cmp.Or(a.Asked.Compare(b.Asked), int(int32(a.Sequence-b.Sequence)))
	})
	return calls, counts
}

// brief is a call in a line: protocol, method, status, bytes of both.
func brief(calls []packets.Call) []string {
	var out []string
	for _, c := range calls {
		line := fmt.Sprintf("%s %s %s %d %d", c.Protocol, c.Method, c.Status, c.Request, c.Answer)
		if !c.Ended() {
			line += " no end"
		}
		out = append(out, line)
	}
	return out
}

const (
	client  = "127.1.0.1:40000"
	server  = "127.1.0.2:8080"
	client6 = "[fd00::1]:40000"
	server6 = "[fd00::2]:8080"
	get     = "GET /items?token=1 HTTP/1.1\r\nHost: shop\r\n" +
		"traceparent: " + traceparent + "\r\ntracestate: tt=1\r\n\r\n"
	traceparent = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"
	ok          = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
)

var got = fmt.Sprintf("http GET /items 200 %d %d", len(get), len(ok))

// ask makes a call on a connection.
func ask(conn *packetstest.Conn) {
	conn.Ask(get)
	conn.Answer(ok)
}

// Each kind of file, of link and of IP has the same calls.
func TestFiles(t *testing.T) {
	for _, link := range []uint32{packetstest.Raw, packetstest.Ethernet, packetstest.Null, packetstest.Cooked, packetstest.Cooked2} {
		for i := range 32 {
			ng, nano, big, six, vlan := i&1 > 0, i&2 > 0, i&4 > 0, i&8 > 0, i&16 > 0
			if vlan && link != packetstest.Ethernet && link != packetstest.Cooked {
				continue
			}
			c := packetstest.New(func(c *packetstest.Capture) {
				c.Link, c.NG, c.Nano, c.VLAN = link, ng, nano, vlan
				if big {
					c.Order = binary.BigEndian
				}
			})
			from, to, dropped := client, server, int64(0)
			if six {
				from, to = client6, server6
			}
			conn := c.Dial(from, to)
			ask(conn)
			conn.Close()
			if ng {
				dropped = 7
				c.Dropped(7)
			}
			at := packetstest.Start.Add(3 * c.Step)
			want := packets.Call{
				From: conn.Client, To: conn.Server, Protocol: packets.HTTP, Method: "GET /items", Status: "200",
				Asked: at, AskedAll: at, Answered: at.Add(c.Step), AnsweredAll: at.Add(c.Step), Sequence: 1000,
				Request: int64(len(get)), Answer: int64(len(ok)), Trace: traceparent, State: "tt=1",
				Fields: []packets.Field{{Name: "Host", Value: "shop"}, {Name: "traceparent", Value: traceparent}, {Name: "tracestate", Value: "tt=1"}},
			}
			calls, counts := read(t, packets.Options{}, c.Bytes())
			diff := gocmp.Diff([]packets.Call{want}, calls, gocmp.Comparer(func(a, b netip.AddrPort) bool { return a == b }))
			if diff != "" || counts.Packets != int64(c.Packets) || counts.Dropped != dropped || counts.Connections != 1 || counts.Before != 0 ||
				counts.Calls[packets.HTTP] != 1 || counts.Unended != 0 {
				t.Errorf("link %d ng %v nano %v big %v six %v vlan %v: counts %+v\n%s", link, ng, nano, big, six, vlan, counts, diff)
			}
		}
	}
}

// A capture may end anywhere: whole packets are read, and the cut is counted.
func TestCutOff(t *testing.T) {
	for _, ng := range []bool{false, true} {
		c := packetstest.New(func(c *packetstest.Capture) { c.NG = ng })
		conn := c.Dial(client, server)
		ask(conn)
		head, all := len(packetstest.New(func(c *packetstest.Capture) { c.NG = ng }).Bytes()), c.Bytes()
		for end := head; end <= len(all); end++ {
			calls, counts := read(t, packets.Options{}, all[:end])
			whole := end == len(all)
			if len(calls) > 1 || whole && (counts.CutOff != 0 || !calls[0].Ended()) || !whole && len(calls) == 1 && calls[0].Ended() {
				t.Fatalf("cut off at %d of %d: %d calls, %+v", end, len(all), len(calls), counts)
			}
		}
		if _, counts := read(t, packets.Options{}, all[:len(all)-1]); counts.CutOff != 1 || counts.Unended != 1 {
			t.Errorf("counts %+v", counts)
		}
	}
}

// The error of a file that is no capture names the file and the reason.
func TestForeign(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "the file is empty",
		"short":                               "shorter than the header",
		strings.Repeat("not a capture", 10):   "neither pcap nor pcapng",
		string(newLink(147)):                  "link type is 147",
		string(newLink(101)) + "\x00\x00\x00": "",
	} {
		_, err := capture.NewReader("mine.pcap", strings.NewReader(text))
		if want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "mine.pcap") {
			t.Errorf("%.20q: error %v, want %q", text, err, want)
		}
	}
	damaged := openAll(t, bytes.NewReader(append(newLink(101), bytes.Repeat([]byte{0xff}, 100)...)))
	_, err := packets.Read(damaged, packets.Options{}, func(packets.Call) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "packet 1 of capture 0") || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
}

func newLink(link uint32) []byte {
	return packetstest.New(func(c *packetstest.Capture) { c.Link = link }).Bytes()
}

// Connections that are not whole, not in order, or not alone.
func TestConnections(t *testing.T) {
	post := "POST /all HTTP/1.1\r\nContent-Length: 3000\r\n\r\n" + strings.Repeat("x", 3000)
	posted := fmt.Sprintf("http POST /all 200 %d %d", len(post), len(ok))
	long := strings.Replace(get, "Host", "Cookie: "+strings.Repeat("a", 200)+"\r\nHost", 1)
	tests := []connectionTest{
		{"sequence numbers go round", func(c *packetstest.Capture) {
			conn := c.Dial(client, server) // the server's begin 256 before the end
			for range 100 {
				ask(conn)
			}
		}, slices.Repeat([]string{got}, 100), func(n packets.Counts) bool { return n.Missing == 0 }},
		{"a port that is used again", func(c *packetstest.Capture) {
			for i := range 5 {
				conn := c.Begun(client, server)
				conn.CSeq += uint32(i) * 100_000
				for range 2 { // the SYN comes twice
					c.Segment(conn.Client, conn.Server, conn.CSeq-1, 0, packetstest.SYN, nil)
				}
				c.Segment(conn.Server, conn.Client, conn.SSeq-1, conn.CSeq, packetstest.SYN|packetstest.ACK, nil)
				conn.Ask(get)
				if i != 3 {
					conn.Answer(ok)
				}
				if i == 0 {
					conn.Close()
				}
			}
		}, []string{got, got, got, unanswered, got}, func(n packets.Counts) bool { return n.Connections == 5 && n.Unended == 1 }},
		{"a port that is used again, the SYN alone is missing", func(c *packetstest.Capture) {
			for i := range uint32(3) {
				conn := c.Begun(client, server)
				conn.CSeq += i * 5000
				conn.SSeq += i * 7000
				c.Segment(conn.Server, conn.Client, conn.SSeq-1, conn.CSeq, packetstest.SYN|packetstest.ACK, nil)
				ask(conn)
			}
		}, []string{got, got, got}, func(n packets.Counts) bool { return n.Connections == 3 && n.Missing == 0 }},
		{"held segments are bounded", func(c *packetstest.Capture) {
			c.Step = 1
			conn := c.Dial(client, server)
			conn.Next(false, 1)
			for range 5000 {
				conn.Ask(strings.Repeat("y", 1400))
			}
			ask(conn)
		}, []string{fmt.Sprintf("turns   %d %d", (5000-15)*1400+len(get), len(ok))}, // once 16 segments are of no known protocol
			func(n packets.Counts) bool { return n.Missing == 1 && n.Unknown == 1 }},
		{"heads that are cut", func(c *packetstest.Capture) {
			c.Snaplen = 96
			for i := range 10 {
				conn := c.Dial(fmt.Sprintf("127.1.0.1:%d", 40000+i), server)
				for range 2 {
					conn.Ask(long)
					conn.Answer(ok)
				}
			}
		}, nil, func(n packets.Counts) bool { return n.Missing >= int64(20*(len(long)-96)) && n.Cut >= 20 }},
		{"an answer to a request before the capture", func(c *packetstest.Capture) {
			conn := c.Begun(client, server)
			conn.Ask(get)
			late := strings.Replace(ok, "200", "500", 1)
			c.Segment(conn.Server, conn.Client, conn.Next(true, len(late)), 1000, packetstest.ACK, []byte(late))
			conn.Answer(ok)
		}, []string{got}, func(n packets.Counts) bool { return n.Before == 1 }},
		{"news of a server after its answer", func(c *packetstest.Capture) {
			conn, other := c.Dial("127.1.0.1:40001", server), c.Dial(client, "127.1.0.3:8080")
			conn.Ask("\x01 what is this?")
			for _, said := range []string{"\x02 nobody knows", "", "news"} {
				conn.Answer(said)
				c.Now = c.Now.Add(2 * time.Second)
				ask(other) // time goes on
			}
		}, []string{"turns   15 14", got, got, got}, func(n packets.Counts) bool { return n.Unknown == 1 }},
		{"TLS", func(c *packetstest.Capture) {
			conn := c.Dial(client, server)
			conn.Ask("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("r", 500))
			conn.Answer("\x16\x03\x03\x00\x7a" + strings.Repeat("s", 122))
			conn.Ask("\x17\x03\x03\x00\x7a" + strings.Repeat("t", 122))
			began := c.Begun("127.1.0.1:40001", server)
			began.Answer("\x17\x03\x03\x00\x7a" + strings.Repeat("t", 122))
			began.Ask("\x17\x03\x03\x00\x7a" + strings.Repeat("t", 122))
		}, nil, func(n packets.Counts) bool { return n.Encrypted == 2 && n.Connections == 2 && n.Unknown == 0 }},
	}
	for shift := range 6 { // segments come late, twice, overlapping, in any order
		tests = append(tests, connectionTest{fmt.Sprint("order ", shift), func(c *packetstest.Capture) {
			conn := c.Dial(client, server)
			parts := [][2]int{{0, 1000}, {1000, 2000}, {500, 1500}, {2000, len(post)}, {0, 1000}, {2000, 2500}}
			for i := range parts {
				p := parts[(i+shift)%len(parts)]
				conn.Data(false, 1000+uint32(p[0]), post[p[0]:p[1]])
			}
			conn.Next(false, len(post))
			conn.Answer(ok)
			ask(conn)
		}, []string{posted, got}, func(n packets.Counts) bool { return n.Missing == 0 && n.Resent > 0 }})
	}
	// Which end is the server's is known by what is said, by the lower port, or by what listens there.
	for _, at := range []string{"127.1.0.2:50000", "127.1.0.2:50001"} {
		tests = append(tests, connectionTest{"began before, server " + at, func(c *packetstest.Capture) {
			conn := c.Begun(client, at)
			conn.Answer("the rest of an answer")
			conn.Ask("the rest of a body")
			conn.Answer(ok)
			ask(conn)
		}, []string{got}, func(n packets.Counts) bool { return n.Before == 1 }})
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := packetstest.New(nil)
			test.play(c)
			listens := func(at netip.AddrPort) bool { return at.Port() == 50000 }
			calls, counts := read(t, packets.Options{Serves: listens}, c.Bytes())
			if diff := gocmp.Diff(test.calls, brief(calls)); diff != "" || !test.counts(counts) {
				t.Errorf("counts %+v, calls (-want +got):\n%s", counts, diff)
			}
			if n := len(calls); n == 2 && (calls[0].Resent == 0 || calls[1].Resent > 0) {
				t.Errorf("%d and %d segments of the calls came again", calls[0].Resent, calls[1].Resent)
			}
			if n := len(calls); n > 0 && calls[n-1].From.Port() != 40000 {
				t.Errorf("the client is taken for the server: %+v", calls[n-1])
			}
		})
	}
}

// connectionTest plays connections, and has their calls.
type connectionTest struct {
	name   string
	play   func(c *packetstest.Capture)
	calls  []string
	counts func(n packets.Counts) bool
}

var unanswered = fmt.Sprintf("http GET /items  %d 0 no end", len(get))

// Two captures of one connection have each packet twice: it counts once.
func TestTwice(t *testing.T) {
	c := packetstest.New(nil)
	for i := range 20 {
		conn := c.Dial(fmt.Sprintf("127.1.0.1:%d", 40000+i), server)
		ask(conn)
		conn.Close()
	}
	once, _ := read(t, packets.Options{}, c.Bytes())
	calls, counts := read(t, packets.Options{}, c.Bytes(), c.Bytes())
	if diff := gocmp.Diff(brief(once), brief(calls)); diff != "" || len(calls) != 20 || counts.Connections != 20 {
		t.Errorf("%d connections, calls %s", counts.Connections, diff)
	}
	if counts.Packets != int64(2*c.Packets) || counts.Resent != 40 {
		t.Errorf("counts %+v", counts)
	}
}

// A gap in what is passed over loses nothing but its bytes; elsewhere it loses the calls that it touches, and no others.
func TestGaps(t *testing.T) {
	large := "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 100_000)
	for _, test := range []struct {
		name  string
		lose  func(conn *packetstest.Conn)
		calls []string
	}{
		{"in a body", func(conn *packetstest.Conn) {
			conn.Ask(get)
			conn.Answer(large[:50_000])
			conn.Next(true, 7)
			conn.Answer(large[50_007:])
		}, []string{fmt.Sprintf("http GET /items 200 %d %d", len(get), len(large))}},
		{"a request", func(conn *packetstest.Conn) { conn.Next(false, len(get)); conn.Answer(ok) }, nil},
		{"half a request", func(conn *packetstest.Conn) {
			conn.Ask(get[:20])
			conn.Next(false, len(get)-20)
			conn.Answer(ok)
		}, nil},
		{"an answer", func(conn *packetstest.Conn) { conn.Ask(get); conn.Next(true, len(ok)) }, []string{unanswered}},
		{"half an answer", func(conn *packetstest.Conn) {
			conn.Ask(get)
			conn.Answer(ok[:10])
			conn.Next(true, len(ok)-10)
		}, []string{unanswered}},
		{"both", func(conn *packetstest.Conn) { conn.Next(false, len(get)); conn.Next(true, len(ok)) }, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := packetstest.New(nil)
			conn := c.Dial(client, server)
			conn.Ask("HEAD /first HTTP/1.1\r\n\r\n")
			conn.Answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
			test.lose(conn)
			for i := range 40 {
				conn.Ask(fmt.Sprintf("GET /%d HTTP/1.1\r\n\r\n", i))
				conn.Answer(fmt.Sprintf("HTTP/1.1 %d OK\r\nContent-Length: 0\r\n\r\n", 200+i))
			}
			calls, counts := read(t, packets.Options{}, c.Bytes())
			var touched []packets.Call
			for i, call := range calls {
				path, status := 0, 0
				if call.Method == "GET /items" {
					touched = append(touched, calls[i])
				} else if n, err := fmt.Sscan(call.Method[len("GET /"):]+" "+call.Status, &path, &status); n == 2 && err == nil && path != status-200 {
					t.Errorf("call %s has the answer of another: %s", call.Method, call.Status)
				}
			}
			if diff := gocmp.Diff(test.calls, brief(touched)); diff != "" || counts.Missing == 0 || len(calls) < 30 {
				t.Errorf("%d calls, at least 30 if the connection is taken up again; %d bytes missing; calls of the gap (-want +got):\n%s",
					len(calls), counts.Missing, diff)
			}
		})
	}
}

// Tick tells how far the calls have been given: none that is given later began before.
func TestTick(t *testing.T) {
	c := packetstest.New(func(c *packetstest.Capture) { c.Step = 100 * time.Millisecond })
	slow := c.Dial("127.1.0.1:40001", server)
	slow.Ask(get)
	conn := c.Dial(client, server)
	for i := range 50 {
		ask(conn)
		if i == 25 {
			slow.Answer(ok)
		}
	}
	given, ticks, oldest := 0, 0, packetstest.Start
	opt := packets.Options{Tick: func(p packets.Progress) error {
		ticks++
		if p.Oldest.Before(oldest) || p.Oldest.After(p.Now) {
			t.Errorf("oldest %v, was %v, now %v", p.Oldest, oldest, p.Now)
		}
		oldest = p.Oldest
		return nil
	}}
	if _, err := packets.Read(openAll(t, bytes.NewReader(c.Bytes())), opt, func(call packets.Call) error {
		given++
		if call.Asked.Before(oldest) {
			t.Errorf("a call of %v is given after %v", call.Asked, oldest)
		}
		return nil
	}); err != nil || given != 51 || ticks < 5 {
		t.Errorf("%d calls, %d ticks, error %v", given, ticks, err)
	}
}
