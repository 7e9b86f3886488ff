package rebuild

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/packets/packetstest"
)

// one is an HTTP call with these headers, on a connection of its own, from begin to end in ms. An end of 0 is none. It goes to port 8080
// where to names none.
func (s *shop) one(from, to, path string, begin, end int, headers ...string) {
	if !strings.Contains(to, ":") {
		to += ":8080"
	}
	s.ports++
	client := fmt.Sprintf("%s:%d", from, 20_000+s.ports)
	var conn *packetstest.Conn
	s.at(begin, func() {
		conn = s.capture.Dial(client, to)
		conn.Ask("GET " + path + " HTTP/1.1\r\n" + strings.Join(headers, "") + "\r\n")
	})
	if end > 0 {
		s.at(end, func() { conn.Answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"); conn.Close() })
	}
}

func (s *shop) at(ms int, do func()) {
	s.events = append(s.events, event{time.Duration(ms) * time.Millisecond, do})
}

// talk is a connection that both ends use by turns, beginning with the client, from a moment on.
func (s *shop) talk(from, to string, begin int, texts ...string) {
	var conn *packetstest.Conn
	for i, text := range texts {
		s.at(begin+10*i, func() {
			switch {
			case i == 0:
				conn = s.capture.Dial(from, to)
				fallthrough
			case i%2 == 0:
				conn.Ask(text)
			default:
				conn.Answer(text)
			}
		})
	}
}

const traceA = "traceparent: 00-0123456789abcdef0123456789abcdef-0123456789abcdef-01\r\n"

// No trace is certain that may have another call, or lack one, and no parent that may be another process.
func TestDoubt(t *testing.T) {
	for name, c := range map[string]struct {
		calls func(s *shop)
		want  Parents
		of    Traces
		not   int // spans that say that what they called may be more or less
	}{
		"a call that either of two may have made": {func(s *shop) {
			s.one(load, front, "/a", 0, 50)
			s.one(load, front, "/b", 10, 60)
			s.one(front, cart, "/c", 20, 30)
		}, Parents{Roots: 2, Likely: 1}, Traces{Likely: 2}, 2},
		"of two the one whose id it has": {func(s *shop) {
			s.one(load, front, "/a", 0, 50, traceA)
			s.one(load, front, "/b", 10, 60, strings.ReplaceAll(traceA, "-01234", "-11234"))
			s.one(front, cart, "/c", 20, 30, traceA)
		}, Parents{Roots: 2, Alone: 1}, Traces{Certain: 2}, 0},
		"of three not the one with another trace": {func(s *shop) {
			s.one("10.0.0.1", front, "/a", 0, 60, traceA)
			s.one(front, cart, "/c", 5, 50, traceA)
			s.one(front, cart, "/c", 6, 50, traceA)
			s.one("10.0.0.1", cart, "/b", 10, 60, strings.ReplaceAll(traceA, "-01234", "-11234"))
			s.one(cart, stock, "/d", 20, 30, traceA)
		}, Parents{Roots: 2, Alone: 2, Likely: 1}, Traces{Certain: 1, Likely: 1}, 2},
		"what begins within another call of its trace": {func(s *shop) {
			s.one("10.0.0.1", front, "/a", 0, 60, traceA)
			s.one("10.0.0.1", cart, "/c", 5, 50, traceA)
			s.one("10.0.0.1", front, "/a", 70, 80, traceA)
		}, Parents{Roots: 2, Unknown: 1}, Traces{Certain: 1, CutOff: 1}, 0},
		"callers that have only the address of loopback": {func(s *shop) {
			s.one(load, front, "/a", 0, 60)
			s.one(load, cart, "/c", 5, 50)
		}, Parents{Unknown: 2}, Traces{}, 0},
		"several processes at one address": {func(s *shop) {
			s.one(load, stock+":1", "/a", 0, 50)
			s.one(stock, stock+":2", "/c", 20, 30)
		}, Parents{Roots: 1, Likely: 1}, Traces{Likely: 1}, 1},
		"a port each of one process": {func(s *shop) {
			s.one(load, cart+":1", "/a", 0, 50)
			s.one(cart, front, "/c", 20, 30)
			s.one(load, cart+":2", "/a", 60, 70)
		}, Parents{Roots: 2, Alone: 1}, Traces{Certain: 2}, 0},
		"callers whose own calls are encrypted": {func(s *shop) {
			s.talk(load+":9999", front+":443", 0, "\x16\x03\x01\x00\x05hello", "\x16\x03\x03\x00\x05hello")
			s.one(front, cart, "/c", 20, 30)
		}, Parents{Unknown: 1}, Traces{}, 0},
		"two calls of an unknown protocol look like one": {func(s *shop) {
			s.talk(load+":9999", front+":9090", 0, "\x01 one request", "\x01 an answer")
			s.one(front, cart, "/c", 3, 5)
		}, Parents{Roots: 1, Likely: 1}, Traces{Likely: 1}, 1},
		"what is called while nothing is served": {func(s *shop) {
			s.one(load, front, "/a", 0, 10)
			s.one(load, front, "/b", 5, 30)
			s.one(front, stock, "/mail/1", 12, 20) // of /a, which has its answer
			s.one(front, cart, "/c", 22, 28)
			s.one(load, front, "/a", 40, 50)
			s.one(front, stock, "/mail/2", 52, 60)
		}, Parents{Roots: 3, Alone: 1, Likely: 1, Unknown: 1}, Traces{Certain: 2, Likely: 1}, 1},
		"an address that is translated to another": {func(s *shop) {
			s.one(load, front, "/a", 0, 50)
			s.one(front, "10.96.0.1", "/c", 20, 30)
			s.ports--
			s.one(front, cart, "/c", 20, 30)
		}, Parents{Roots: 1, Alone: 2}, Traces{Likely: 1}, 2},
		"callers whose own calls began before the capture": {func(s *shop) {
			conn := s.capture.Begun(load+":45555", front+":8080")
			s.at(0, func() { conn.Ask("\x00\x00\x03\x01\x05\x00\x00\x00\x07\x82\x84\xbe") })
			s.one(front, cart, "/c", 20, 30)
		}, Parents{Unknown: 1}, Traces{}, 0},
		"a second root of a trace, with a call that has no end": {func(s *shop) {
			s.one(load, front, "/a", 0, 10, traceA)
			s.one(load, front, "/a", 20, 40, traceA)
			s.one(front, cart, "/c", 25, 0, traceA)
		}, Parents{Roots: 2, Alone: 1}, Traces{Certain: 1, CutOff: 1}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop()
			c.calls(s)
			out, spans, _ := rebuilt(t, s.play(), mostCalls)
			not := 0
			for _, one := range spans {
				for _, a := range one.Attributes {
					if a.Key == "tracetax.whole" && one.Kind == kindServer {
						not++
					}
				}
			}
			if out.Parents != c.want || out.Traces != c.of || not != c.not {
				t.Errorf("%+v, %+v, %d spans that are not whole", out.Parents, out.Traces, not)
			}
		})
	}
}

// A name with a port names a caller too, where its parent tells which process it is.
func TestNameOfCaller(t *testing.T) {
	s := newShop()
	s.one(load, stock, "/a", 0, 50)
	s.one(stock, cart, "/c", 20, 30)
	_, spans, _ := rebuilt(t, s.play(), mostCalls)
	if i := slices.IndexFunc(spans, func(s span) bool { return s.Kind == kindClient }); i < 0 || spans[i].Service != "stock" {
		t.Errorf("spans %+v, want a client's of stock, which is named as %s:8080", spans, stock)
	}
}
