// The response parser against net/http's, and where it must refuse.

package engine

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

// parsed is what a parser makes of the bytes of one connection.
type parsed struct {
	status int
	used   int // bytes of the response
	keep   bool
	err    error
}

// parseOurs feeds b in pieces of random length, and then the connection's end.
func parseOurs(b []byte, head bool, rng *rand.Rand) parsed {
	var r response
	r.reset(head)
	used := 0
	for used < len(b) && !r.done() {
		piece := append([]byte(nil), b[used:]...)
		if rng != nil {
			piece = piece[:1+rng.IntN(len(piece))]
		}
		n, err := r.feed(piece)
		used += n
		if err != nil {
			return parsed{err: err}
		}
		if n < len(piece) && !r.done() {
			return parsed{err: errors.New("feed left bytes over without being done")}
		}
	}
	if err := r.end(); err != nil {
		return parsed{err: err}
	}
	return parsed{status: r.status, used: used, keep: r.keep}
}

// parseTheirs reads the same with net/http.
func parseTheirs(b []byte, head bool) parsed {
	req := &http.Request{Method: "GET"}
	if head {
		req.Method = "HEAD"
	}
	under := bytes.NewReader(b)
	br := bufio.NewReaderSize(under, 64<<10)
	for {
		resp, err := http.ReadResponse(br, req)
		if err != nil {
			return parsed{err: err}
		}
		if resp.ProtoMajor != 1 || resp.ProtoMinor > 1 || resp.StatusCode < 100 || resp.StatusCode == 101 {
			return parsed{err: errors.New("outside of what we take")}
		}
		if resp.StatusCode < 200 {
			continue
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return parsed{err: err}
		}
		if err := resp.Body.Close(); err != nil {
			return parsed{err: err}
		}
		return parsed{status: resp.StatusCode, used: len(b) - under.Len() - br.Buffered(), keep: !resp.Close}
	}
}

var validResponses = []string{
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 500 Bad\r\n\r\n",
	"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 \ncontent-length:0\n\n",
	"HTTP/1.1 204 No Content\r\n\r\n",
	"HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n",
	"HTTP/1.1 200 OK\r\n\r\nuntil the end",
	"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nContent-Length: 3\r\n\r\nA;x=\"y\"\r\n0123456789\r\n00\r\nTrailer: x\r\n\r\nmore",
	"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
	"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
	"HTTP/1.1 503 Service Unavailable\r\nX-A: b\r\nRetry-After: 1\r\nContent-Length: 4\r\n\r\nbusy",
}

func TestResponseAgreesWithNetHTTP(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, text := range validResponses {
		for _, head := range []bool{false, true} {
			want := parseTheirs([]byte(text), head)
			if want.err != nil {
				t.Fatalf("net/http refuses %q: %v", text, want.err)
			}
			for range 50 {
				if got := parseOurs([]byte(text), head, rng); got != want {
					t.Fatalf("%q, head %v: %+v, want %+v", text, head, got, want)
				}
			}
			if got := parseOurs([]byte(text), head, nil); got != want {
				t.Fatalf("%q whole, head %v: %+v, want %+v", text, head, got, want)
			}
		}
	}
}

func TestResponseRefuses(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, c := range []struct{ text, want string }{
		{"", "connection closed before the response"},
		{"HTTP/1.1 200 OK\r\nConte", "connection closed in the response"},
		{ok + "Content-Length: 5\r\n\r\nhell", "connection closed in the response"},
		{ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "connection closed in the response"},
		{"SSH-2.0-OpenSSH_9\r\n", "bad response: not HTTP/1.1"},
		{"HTTP/2.0 200 OK\r\n\r\n", "bad response: not HTTP/1.1"},
		{"HTTP/1.1 2x0 OK\r\n\r\n", "bad response: status"},
		{"HTTP/1.1 099 OK\r\n\r\n", "bad response: status"},
		{"HTTP/1.1 2000 OK\r\n\r\n", "bad response: status"},
		{"HTTP/1.1 101 Switching Protocols\r\n\r\n", "bad response: switched protocols unasked"},
		{ok + "no colon\r\n\r\n", "bad response: header line without a name"},
		{ok + ": x\r\n\r\n", "bad response: header line without a name"},
		{ok + "a b: x\r\n\r\n", "bad response: header name"},
		{ok + " folded: x\r\n\r\n", "bad response: folded header"},
		{ok + "Content-Length: 1\r\n 0\r\n\r\n", "bad response: folded header"},
		{ok + "Content-Length: -1\r\n\r\n", "bad response: content length"},
		{ok + "Content-Length: 99999999999999999999\r\n\r\n", "bad response: content length"},
		{ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "bad response: contradictory content lengths"},
		{ok + "Transfer-Encoding: gzip\r\n\r\n", "bad response: transfer encoding other than chunked"},
		{ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "bad response: chunk size"},
		{ok + "Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n", "bad response: chunk size line"},
		{ok + "Transfer-Encoding: chunked\r\n\r\n8000000000000000\r\n", "bad response: chunk size"},
		{ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n", "bad response: chunk longer than its size"},
		{ok + "Transfer-Encoding: chunked\r\n\r\n5;" + strings.Repeat("x", 5000) + "\r\n", "bad response: chunk size line too long"},
		{ok + "X: " + strings.Repeat("x", 2<<20), "bad response: headers too large"},
		{ok + strings.Repeat("X: y\r\n", 1<<18), "bad response: headers too large"},
	} {
		got := parseOurs([]byte(c.text), false, rand.New(rand.NewPCG(3, 4)))
		if got.err == nil || kindOf(got.err) != c.want {
			t.Errorf("%.60q: %v, want %q", c.text, got.err, c.want)
		}
	}
}

// What net/http reads, our parser reads the same, however it is split.
func FuzzResponse(f *testing.F) {
	for i, text := range validResponses {
		f.Add([]byte(text), i%2 == 0, uint64(i))
	}
	f.Fuzz(func(t *testing.T, b []byte, head bool, seed uint64) {
		got := parseOurs(b, head, rand.New(rand.NewPCG(seed, 0)))
		if whole := parseOurs(b, head, nil); (whole.err == nil) != (got.err == nil) || whole.err == nil && whole != got {
			t.Fatalf("%q: whole %+v, in pieces %+v", b, whole, got)
		}
		want := parseTheirs(b, head)
		if want.err != nil || exotic(b) {
			return
		}
		if got != want {
			t.Fatalf("%q: %+v, net/http %+v", b, got, want)
		}
	})
}

// exotic reports whether b holds what the two parsers differ in on purpose:
// folded lines, and status lines and header names that net/http is lax with.
func exotic(b []byte) bool {
	for _, line := range bytes.Split(b, []byte{'\n'}) {
		if len(line) == 0 {
			continue
		}
		name, _, _ := bytes.Cut(line, []byte{':'})
		switch {
		case line[0] == ' ' || line[0] == '\t',
			bytes.HasPrefix(line, []byte("HTTP/")) && (len(line) < 12 || line[8] != ' ' || line[9] == '+' || line[9] == ' '),
			!bytes.HasPrefix(line, []byte("HTTP/")) && bytes.IndexByte(name, ' ') >= 0:
			return true
		}
	}
	return false
}
