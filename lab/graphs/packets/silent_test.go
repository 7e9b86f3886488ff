package packets_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/packetstest"
	"golang.org/x/net/http2"
)

const none = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

// Whatever is left out of a capture is counted, and no call counts twice.
func TestNothingIsSilent(t *testing.T) {
	up, down := newH2(), newH2()
	must(up.WriteSettings())
	up.headers(1, false, ":method", "POST", ":path", "/up", ":scheme", "http", ":authority", "x")
	request := up.said()
	up.headers(1, true, "sum", "12")
	trailer := up.said()
	down.headers(1, true, ":status", "413")
	got := []said{asks("GET /a HTTP/1.1\r\n\r\n"), answers(none)}
	for name, c := range map[string]struct {
		says  []said
		end   func(conn *packetstest.Conn) // nil: it closes the connection
		calls []string
		gaps  bool
		count func(c packets.Counts) bool // nil: anything
	}{
		"a method that few know": {append(got, asks("PROPFIND /b HTTP/1.1\r\n\r\n"), answers(none)), nil,
			[]string{"http GET /a 200", "http PROPFIND /b 200"}, false, nil},
		"a body that is refused": {append(got, asks("POST /b HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"),
			answers("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n"), asks("GET /c HTTP/1.1\r\n\r\n"), answers(none)), nil,
			[]string{"http GET /a 200", "http POST /b 417", "http GET /c 200"}, false, nil},
		"a body in chunks that does not wait": {[]said{
			asks("POST /b HTTP/1.1\r\nExpect: 100-Continue\r\nTransfer-Encoding: chunked\r\n\r\n"), asks("4\r\nGET \r\n0\r\n\r\n"),
			answers(none), asks("GET /c HTTP/1.1\r\n\r\n"), answers(none)}, nil, []string{"http POST /b 200", "http GET /c 200"}, false, nil},
		"no message": {append(got, asks("what is this?\r\n\r\n"), answers(none)), nil, []string{"http GET /a 200"}, true,
			func(c packets.Counts) bool { return c.Garbled > 0 }},
		"a time-out without a request": {append(got, answers("HTTP/1.1 408 Request Timeout\r\nContent-Length: 2\r\n\r\nno")), nil,
			[]string{"http GET /a 200"}, false, nil},
		"another protocol follows": {append(got, asks("GET /b HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"), answers("HTTP/1.1 101 OK\r\n\r\n")), nil,
			[]string{"http GET /a 200", "http GET /b 101"}, true, func(c packets.Counts) bool { return len(c.Unread) == 1 }},
		"the last request is missing": {got, func(conn *packetstest.Conn) {
			conn.Next(false, 40)
			conn.Close()
		}, []string{"http GET /a 200"}, true, func(c packets.Counts) bool { return c.Missing == 40 }},
		"the last answer is missing, and the end": {append(got, asks("GET /b HTTP/1.1\r\n\r\n")), func(conn *packetstest.Conn) {
			conn.Next(true, 40)
			conn.Capture.Segment(conn.Client, conn.Server, conn.CSeq, conn.SSeq, packetstest.ACK, nil)
		}, []string{"http GET /a 200", "http GET /b "}, true, func(c packets.Counts) bool { return c.Missing == 39 }},
		"an end that is acknowledged and not there": {got, func(conn *packetstest.Conn) {
			conn.Capture.Segment(conn.Client, conn.Server, conn.CSeq, conn.SSeq+1, packetstest.ACK, nil)
		}, []string{"http GET /a 200"}, false, nil},
		"a request's trailer behind its answer": {[]said{asks(http2.ClientPreface + request), answers(down.said()), asks(trailer)}, nil,
			[]string{"http POST /up 413"}, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			capture := packetstest.New(nil)
			conn := capture.Dial(client, server)
			for _, s := range c.says {
				if s.server {
					conn.Answer(s.data)
				} else {
					conn.Ask(s.data)
				}
			}
			if c.end == nil {
				c.end = (*packetstest.Conn).Close
			}
			c.end(conn)
			all, counts := read(t, packets.Options{}, capture.Bytes())
			var calls []string
			for _, of := range all {
				calls = append(calls, of.Protocol+" "+of.Method+" "+of.Status)
			}
			if diff := cmp.Diff(c.calls, calls); diff != "" || counts.Gaps() != c.gaps || c.count != nil && !c.count(counts) {
				t.Errorf("gaps %v, counts %+v, calls (-want +got):\n%s", counts.Gaps(), counts, diff)
			}
		})
	}
}
