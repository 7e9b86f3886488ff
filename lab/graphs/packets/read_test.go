package packets_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
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

// read reads captures whole.
func read(t testing.TB, opt packets.Options, files ...[]byte) ([]packets.Call, packets.Counts) {
	t.Helper()
	var readers []*capture.Reader
	for i, data := range files {
		r, err := capture.NewReader(fmt.Sprintf("capture %d", i), bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		readers = append(readers, r)
	}
	var calls []packets.Call
	counts, err := packets.Read(readers, opt, func(c packets.Call) error { calls = append(calls, c); return nil })
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

func wantCalls(t *testing.T, calls []packets.Call, want ...string) {
	t.Helper()
	if diff := gocmp.Diff(want, brief(calls)); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

const (
	client  = "127.1.0.1:40000"
	server  = "127.1.0.2:8080"
	client6 = "[fd00::1]:40000"
	server6 = "[fd00::2]:8080"
	get     = "GET /items?token=1 HTTP/1.1\r\nHost: shop\r\n" +
		"traceparent: 00-0123456789abcdef0123456789abcdef-0123456789abcdef-01\r\ntracestate: tt=1\r\n\r\n"
	ok = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
)

// Each kind of file, of link and of IP has the same calls.
func TestFiles(t *testing.T) {
	for _, link := range []uint32{packetstest.Raw, packetstest.Ethernet, packetstest.Null, packetstest.Cooked, packetstest.Cooked2} {
		for i := range 32 {
			ng, nano, big, six, vlan := i&1 > 0, i&2 > 0, i&4 > 0, i&8 > 0, i&16 > 0
			if vlan && link != packetstest.Ethernet && link != packetstest.Cooked {
				continue
			}
			t.Run(fmt.Sprintf("link %d ng %v nano %v big %v six %v vlan %v", link, ng, nano, big, six, vlan), func(t *testing.T) {
				c := packetstest.New(func(c *packetstest.Capture) {
					c.Link, c.NG, c.Nano, c.VLAN = link, ng, nano, vlan
					if big {
						c.Order = binary.BigEndian
					}
				})
				from, to := client, server
				if six {
					from, to = client6, server6
				}
				conn := c.Dial(from, to)
				conn.Ask(get)
				conn.Answer(ok)
				conn.Close()
				if ng {
					c.Dropped(7)
				}
				calls, counts := read(t, packets.Options{}, c.Bytes())
				wantCalls(t, calls, fmt.Sprintf("http GET /items 200 %d %d", len(get), len(ok)))
				if len(calls) == 0 {
					return
				}
				got := calls[0]
				if got.From != conn.Client || got.To != conn.Server || got.Sequence != 1000 || got.Resent != 0 {
					t.Errorf("call %+v", got)
				}
				if got.Trace != "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01" || got.State != "tt=1" || len(got.Fields) != 3 {
					t.Errorf("headers %+v", got)
				}
				at := packetstest.Start.Add(3 * c.Step)
				if !got.Asked.Equal(at) || !got.AskedAll.Equal(at) ||
					!got.Answered.Equal(at.Add(c.Step)) || !got.AnsweredAll.Equal(at.Add(c.Step)) {
					t.Errorf("times %v %v %v %v, want %v and a step later", got.Asked, got.AskedAll, got.Answered, got.AnsweredAll, at)
				}
				wantDropped := int64(0)
				if ng {
					wantDropped = 7
				}
				if counts.Packets != int64(c.Packets) || counts.Dropped != wantDropped || counts.Connections != 1 || counts.Before != 0 ||
					counts.Calls[packets.HTTP] != 1 || counts.Unended != 0 {
					t.Errorf("counts %+v", counts)
				}
			})
		}
	}
}

// A capture may end anywhere: whole packets are read, and the cut is counted.
func TestCutOff(t *testing.T) {
	for _, ng := range []bool{false, true} {
		c := packetstest.New(func(c *packetstest.Capture) { c.NG = ng })
		conn := c.Dial(client, server)
		conn.Ask(get)
		conn.Answer(ok)
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
	damaged := append(newLink(101), bytes.Repeat([]byte{0xff}, 100)...)
	r, err := capture.NewReader("mine.pcap", bytes.NewReader(damaged))
	if err != nil {
		t.Fatal(err)
	}
	_, err = packets.Read([]*capture.Reader{r}, packets.Options{}, func(packets.Call) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "packet 1 of mine.pcap") || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
}

func newLink(link uint32) []byte {
	return packetstest.New(func(c *packetstest.Capture) { c.Link = link }).Bytes()
}

// Segments may come late, twice, overlapping, in any order: the calls are the same.
func TestOrder(t *testing.T) {
	request := "POST /all HTTP/1.1\r\nContent-Length: 3000\r\n\r\n" + strings.Repeat("x", 3000)
	for shift := range 6 {
		c := packetstest.New(nil)
		conn := c.Dial(client, server)
		type part struct{ from, to int }
		parts := []part{{0, 1000}, {1000, 2000}, {500, 1500}, {2000, len(request)}, {0, 1000}, {2000, 2500}}
		for i := range parts {
			p := parts[(i+shift)%len(parts)]
			conn.Data(false, 1000+uint32(p.from), request[p.from:p.to])
		}
		conn.Next(false, len(request))
		conn.Answer(ok)
		conn.Ask(get)
		conn.Answer(ok)
		calls, counts := read(t, packets.Options{}, c.Bytes())
		wantCalls(t, calls, fmt.Sprintf("http POST /all 200 %d %d", len(request), len(ok)),
			fmt.Sprintf("http GET /items 200 %d %d", len(get), len(ok)))
		if counts.Missing != 0 || counts.Resent == 0 || calls[0].Resent == 0 || calls[1].Resent != 0 {
			t.Errorf("shift %d: %d bytes missing, %d segments again, %d of the first call", shift, counts.Missing, counts.Resent, calls[0].Resent)
		}
	}
}

// Sequence numbers go round.
func TestRound(t *testing.T) {
	c := packetstest.New(nil)
	conn := c.Dial(client, server) // the server's begin 256 before the end
	for range 100 {
		conn.Ask(get)
		conn.Answer(ok)
	}
	calls, counts := read(t, packets.Options{}, c.Bytes())
	if len(calls) != 100 || counts.Missing != 0 || counts.Unended != 0 {
		t.Errorf("%d calls, %+v", len(calls), counts)
	}
}

// Two captures of one connection have each packet twice: it counts once.
func TestTwice(t *testing.T) {
	c := packetstest.New(nil)
	for i := range 20 {
		conn := c.Dial(fmt.Sprintf("127.1.0.1:%d", 40000+i), server)
		conn.Ask(get)
		conn.Answer(ok)
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

// A port that is used again is another connection.
func TestReused(t *testing.T) {
	c := packetstest.New(nil)
	for i := range 5 {
		conn := c.Begun(client, server)
		conn.CSeq += uint32(i) * 100_000
		c.Segment(conn.Client, conn.Server, conn.CSeq-1, 0, packetstest.SYN, nil)
		c.Segment(conn.Client, conn.Server, conn.CSeq-1, 0, packetstest.SYN, nil) // again
		c.Segment(conn.Server, conn.Client, conn.SSeq-1, conn.CSeq, packetstest.SYN|packetstest.ACK, nil)
		conn.Ask(get)
		if i != 3 {
			conn.Answer(ok)
		}
		if i == 0 {
			conn.Close()
		}
	}
	calls, counts := read(t, packets.Options{}, c.Bytes())
	if len(calls) != 5 || calls[3].Ended() || !calls[4].Ended() || counts.Connections != 5 || counts.Unended != 1 {
		t.Errorf("%d connections, calls %v", counts.Connections, brief(calls))
	}
}

// A connection is another one if its SYN alone is missing, too.
func TestReusedWithoutSYN(t *testing.T) {
	c := packetstest.New(nil)
	for i := range 3 {
		conn := c.Begun(client, server)
		conn.CSeq += uint32(i) * 5000
		conn.SSeq += uint32(i) * 7000
		c.Segment(conn.Server, conn.Client, conn.SSeq-1, conn.CSeq, packetstest.SYN|packetstest.ACK, nil)
		conn.Ask(get)
		conn.Answer(ok)
	}
	calls, counts := read(t, packets.Options{}, c.Bytes())
	if len(calls) != 3 || !calls[2].Ended() || counts.Connections != 3 || counts.Missing != 0 {
		t.Errorf("counts %+v, calls %v", counts, brief(calls))
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
		{"a request", func(conn *packetstest.Conn) {
			conn.Next(false, len(get))
			conn.Answer(ok)
		}, nil},
		{"half a request", func(conn *packetstest.Conn) {
			conn.Ask(get[:20])
			conn.Next(false, len(get)-20)
			conn.Answer(ok)
		}, nil},
		{"an answer", func(conn *packetstest.Conn) {
			conn.Ask(get)
			conn.Next(true, len(ok))
		}, []string{fmt.Sprintf("http GET /items  %d 0 no end", len(get))}},
		{"half an answer", func(conn *packetstest.Conn) {
			conn.Ask(get)
			conn.Answer(ok[:10])
			conn.Next(true, len(ok)-10)
		}, []string{fmt.Sprintf("http GET /items  %d 0 no end", len(get))}},
		{"both", func(conn *packetstest.Conn) {
			conn.Next(false, len(get))
			conn.Next(true, len(ok))
		}, nil},
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
			if counts.Missing == 0 {
				t.Error("no byte is missing")
			}
			var last []string
			for _, call := range brief(calls) {
				path, status := "", 0
				n, err := fmt.Sscanf(call, "http GET /%s %d", &path, &status)
				if n == 2 && err == nil && path != "items" && !strings.HasSuffix(call, "no end") {
					if path != fmt.Sprint(status-200) {
						t.Errorf("call %s has the answer of another", call)
					}
					continue
				}
				if !strings.Contains(call, "/items") {
					continue
				}
				last = append(last, call)
			}
			if diff := gocmp.Diff(test.calls, last); diff != "" {
				t.Errorf("calls of the gap (-want +got):\n%s", diff)
			}
			if len(calls) < 30 {
				t.Errorf("%d calls: the connection was not taken up again", len(calls))
			}
		})
	}
}

// Held segments are bounded.
func TestHeldBounded(t *testing.T) {
	c := packetstest.New(func(c *packetstest.Capture) { c.Step = 1 })
	conn := c.Dial(client, server)
	conn.Next(false, 1)
	for range 5000 {
		conn.Ask(strings.Repeat("y", 1400))
	}
	conn.Ask(get)
	conn.Answer(ok)
	calls, counts := read(t, packets.Options{}, c.Bytes())
	if counts.Missing != 1 || len(calls) != 1 || !calls[0].Ended() {
		t.Errorf("counts %+v, calls %v", counts, brief(calls))
	}
}

// With parts of packets alone there are no calls from heads that are cut, and what is missing is counted.
func TestSnaplen(t *testing.T) {
	long := strings.Replace(get, "Host", "Cookie: "+strings.Repeat("a", 200)+"\r\nHost", 1)
	c := packetstest.New(func(c *packetstest.Capture) { c.Snaplen = 96 })
	for i := range 10 {
		conn := c.Dial(fmt.Sprintf("127.1.0.1:%d", 40000+i), server)
		conn.Ask(long)
		conn.Answer(ok)
		conn.Ask(long)
		conn.Answer(ok)
	}
	calls, counts := read(t, packets.Options{}, c.Bytes())
	if len(calls) != 0 || counts.Missing < int64(20*(len(long)-96)) || counts.Cut < 20 {
		t.Errorf("calls %v, counts %+v", brief(calls), counts)
	}
}

// A connection that began before the capture is taken up at a request; which end is the server's is known by its port, by what is
// said, or by the lower port.
func TestBefore(t *testing.T) {
	for name, serves := range map[string]func(at netip.AddrPort) bool{
		"said": nil, "known": func(at netip.AddrPort) bool { return at.Port() == 50000 },
	} {
		c := packetstest.New(nil)
		conn := c.Begun(client, "127.1.0.2:50000")
		conn.Answer("the rest of an answer")
		conn.Ask("the rest of a body")
		conn.Answer(ok)
		conn.Ask(get)
		conn.Answer(ok)
		calls, counts := read(t, packets.Options{Serves: serves}, c.Bytes())
		wantCalls(t, calls, fmt.Sprintf("http GET /items 200 %d %d", len(get), len(ok)))
		if counts.Before != 1 || len(calls) == 1 && calls[0].To != conn.Server {
			t.Errorf("%s: counts %+v, calls %+v", name, counts, calls)
		}
	}
}

// An answer to a request before the capture is not that of the first request in it, which came before the answer.
func TestPipelinedBefore(t *testing.T) {
	c := packetstest.New(nil)
	conn := c.Begun(client, server)
	conn.Ask(get)
	late := strings.Replace(ok, "200", "500", 1)
	c.Segment(conn.Server, conn.Client, conn.Next(true, len(late)), 1000, packetstest.ACK, []byte(late))
	conn.Answer(ok)
	calls, _ := read(t, packets.Options{}, c.Bytes())
	wantCalls(t, calls, fmt.Sprintf("http GET /items 200 %d %d", len(get), len(ok)))
}

// TLS is counted, and has no calls.
func TestEncrypted(t *testing.T) {
	c := packetstest.New(nil)
	conn := c.Dial(client, server)
	conn.Ask("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("r", 500))
	conn.Answer("\x16\x03\x03\x00\x7a" + strings.Repeat("s", 122))
	conn.Ask("\x17\x03\x03\x00\x7a" + strings.Repeat("t", 122))
	began := c.Begun("127.1.0.1:40001", server)
	began.Answer("\x17\x03\x03\x00\x7a" + strings.Repeat("t", 122))
	began.Ask("\x17\x03\x03\x00\x7a" + strings.Repeat("t", 122))
	calls, counts := read(t, packets.Options{}, c.Bytes())
	if len(calls) != 0 || counts.Encrypted != 2 || counts.Connections != 2 || counts.Unknown != 0 {
		t.Errorf("calls %v, counts %+v", brief(calls), counts)
	}
}

// Tick tells how far the calls have been given: none that is given later began before.
func TestTick(t *testing.T) {
	c := packetstest.New(func(c *packetstest.Capture) { c.Step = 100 * time.Millisecond })
	slow := c.Dial("127.1.0.1:40001", server)
	slow.Ask(get)
	conn := c.Dial(client, server)
	for i := range 50 {
		conn.Ask(get)
		conn.Answer(ok)
		if i == 25 {
			slow.Answer(ok)
		}
	}
	r, err := capture.NewReader("a capture", bytes.NewReader(c.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	given, ticks, oldest := 0, 0, packetstest.Start
	opt := packets.Options{Tick: func(p packets.Progress) error {
		now, begin := p.Now, p.Oldest
		ticks++
		if begin.Before(oldest) || begin.After(now) {
			t.Errorf("oldest %v, was %v, now %v", begin, oldest, now)
		}
		oldest = begin
		return nil
	}}
	if _, err := packets.Read([]*capture.Reader{r}, opt, func(call packets.Call) error {
		given++
		if call.Asked.Before(oldest) {
			t.Errorf("a call of %v is given after %v", call.Asked, oldest)
		}
		return nil
	}); err != nil || given != 51 || ticks < 5 {
		t.Errorf("%d calls, %d ticks, error %v", given, ticks, err)
	}
}
