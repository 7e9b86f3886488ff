//go:build linux

package engine

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// refusing is a gRPC server, by hand, that has not looked at some of the calls: refuse says whether at the nth of all.
func refusing(t *testing.T, refuse func(nth int64) bool) string {
	var calls atomic.Int64
	return rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) {
		if _, err := io.ReadFull(r, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		framer := http2.NewFramer(c, r)
		if framer.WriteSettings() != nil {
			return
		}
		for {
			frame, err := framer.ReadFrame()
			if err != nil {
				return
			}
			data, is := frame.(*http2.DataFrame)
			switch {
			case !is || !data.StreamEnded():
			case refuse(calls.Add(1)):
				err = framer.WriteRSTStream(data.StreamID, http2.ErrCodeRefusedStream)
			default:
				err = answerCall(framer, data.StreamID)
			}
			if err != nil {
				return
			}
		}
	})
}

// answerCall ends a call well, with an empty message.
func answerCall(framer *http2.Framer, stream uint32) error {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	headers := func(end bool, fields ...hpack.HeaderField) error {
		block.Reset()
		for _, f := range fields {
			if err := encoder.WriteField(f); err != nil {
				return err
			}
		}
		return framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: end})
	}
	if err := headers(false, hpack.HeaderField{Name: ":status", Value: "200"}, hpack.HeaderField{Name: "content-type", Value: "application/grpc"}); err != nil {
		return err
	}
	if err := framer.WriteData(stream, false, []byte{0, 0, 0, 0, 0}); err != nil {
		return err
	}
	return headers(true, hpack.HeaderField{Name: "grpc-status", Value: "0"})
}

// A stream that the server refuses is made once more, and its connection goes on.
func TestRefusedStreams(t *testing.T) {
	for name, task := range map[string]load.Task{
		"closed": {Connections: 1, Count: 3, Timeout: 5 * time.Second},
		"open":   {Connections: 2, Rate: 200, Count: 60, Timeout: 5 * time.Second},
	} {
		address := refusing(t, func(nth int64) bool { return nth%10 == 1 })
		task.Operations = []load.Request{say(t, address, 1)}
		l := do(t, newTestGenerator(t), task)
		if l.Completed != task.Count || l.Intended != task.Count || l.Resent == 0 {
			t.Errorf("%s loop: %d intended, %d completed, %d timed out, %d sent twice; want %d", name, l.Intended, l.Completed, l.TimedOut, l.Resent, task.Count)
		}
	}
}

// In a closed loop over two servers an operation that waits for a connection is under way: no other begins in its place.
func TestClosedLoopOverTwoServers(t *testing.T) {
	slow := func(_ context.Context, in *wrapperspb.BytesValue) (*wrapperspb.BytesValue, error) {
		time.Sleep(5 * time.Millisecond) // the server's own pace
		return in, nil
	}
	one, _ := grpcServer(t, slow)
	other, _ := grpcServer(t, slow)
	const most = 2 * 4 // under way
	l := do(t, newTestGenerator(t), load.Task{Operations: []load.Request{say(t, one, 1), say(t, other, 1)}, Connections: 2, Streams: 4, Count: 200, Timeout: 10 * time.Second})
	if l.Completed != 200 || l.Intended != 200 {
		t.Errorf("by count: %d intended, %d completed", l.Intended, l.Completed)
	}
	l = do(t, newTestGenerator(t), load.Task{Operations: []load.Request{say(t, one, 1), say(t, other, 1)}, Connections: 2, Streams: 4, Duration: 200 * time.Millisecond, Timeout: 10 * time.Second})
	if l.Completed != l.Intended || l.Intended > uint64(most*(l.WallSeconds/0.005+1)) {
		t.Errorf("by time: %d intended, %d completed in %.3f s", l.Intended, l.Completed, l.WallSeconds)
	}
}

// Where a server's first address answers nobody, no operation fails, however many connections are opened at once.
func TestSecondAddress(t *testing.T) {
	there := rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) {
		for readRequest(r) && send(c, okay) {
		}
	})
	for _, first := range []string{closedAddress(t), "255.255.255.255:80"} { // refused later, and by the kernel at once
		for _, connections := range []int{1, 2, 8} {
			g := newTestGenerator(t)
			p, err := planned(t.Context(), load.Task{Operations: []load.Request{{Address: there}}, Connections: connections, Count: 40, Timeout: 10 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			p.targets[0].addrs = []netip.AddrPort{netip.MustParseAddrPort(first), netip.MustParseAddrPort(there)}
			l, err := g.engines[0].run(t.Context(), p, 0, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if l.completed != 40 {
				t.Errorf("first %s, %d connections: %d completed, %d failed: %v", first, connections, l.completed, l.failed, l.errors)
			}
		}
	}
}

// A server that answers before it has read the whole request, and closes the connection, has answered.
func TestEarlyAnswer(t *testing.T) {
	address := rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) {
		for line := ""; line != "\r\n"; { // the head alone
			var err error
			if line, err = r.ReadString('\n'); err != nil {
				return
			}
		}
		send(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	})
	large := load.Request{Address: address, Method: "POST", Status: []int{413}, Body: []byte(strings.Repeat("x", 8<<20))}
	if l := do(t, newTestGenerator(t), load.Task{Operations: []load.Request{large}, Connections: 4, Count: 100}); l.Completed != 100 {
		t.Errorf("%d completed, %d failed: %v", l.Completed, l.Failed, l.Errors)
	}
}

// A server that resets the connection in the middle of a large request has not answered, and is said to have reset it; nor
// has it where a part of an answer without a length came before.
func TestResetInTheMiddleOfARequest(t *testing.T) {
	for name, part := range map[string]string{"nothing": "", "a part": "HTTP/1.1 200 OK\r\n\r\nhalf of"} {
		address := rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) {
			if _, err := r.ReadString('\n'); err != nil {
				return
			}
			if send(c, part); c.(*net.TCPConn).SetLinger(0) != nil { // with it, closing resets
				t.Error("no reset")
			}
		})
		large := load.Request{Address: address, Method: "POST", Body: []byte(strings.Repeat("x", 8<<20))}
		l := do(t, newTestGenerator(t), load.Task{Operations: []load.Request{large}, Connections: 2, Count: 40})
		if l.Failed != 40 || l.Errors["connection reset"] != 40 {
			t.Errorf("after %s: %d completed, %d failed: %v", name, l.Completed, l.Failed, l.Errors)
		}
	}
}

// loopAt is a loop with a task, at a time of it.
func loopAt(t *testing.T, task load.Task, now time.Duration) *loop {
	t.Helper()
	l, err := newLoop(&progress{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.shut)
	p, err := planned(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	l.prepare(p, 0, time.Now().Add(-now))
	l.now = now
	return l
}

// The generator's lag is what passed before it noticed an operation, and since then as long as it had a connection for it.
func TestLagOfAWait(t *testing.T) {
	const ms = time.Millisecond
	for freed, want := range map[time.Duration]time.Duration{100 * ms: 60 * ms, 200 * ms: 60 * ms, 205 * ms: 55 * ms} {
		l := loopAt(t, load.Task{Operations: []load.Request{{Address: "127.0.0.1:1"}}, Rate: 1000, Count: 1}, 210*ms)
		l.tally.due(150 * ms)
		l.begin(wait{load.Arrival{At: 150 * ms}, 200 * ms}, freed)
		if got := time.Duration(l.tally.lag.Max()); got < want || got > want+want/100 {
			t.Errorf("a connection that was free at %v: lag %v, want %v", freed, got, want)
		}
		l.abandon()
	}
}

// A closed loop whose time is over waits for answers without looking again and again.
func TestPatienceAfterTheEnd(t *testing.T) {
	task := load.Task{Operations: []load.Request{{Address: "127.0.0.1:1"}}, Connections: 2, Duration: time.Second}
	if l := loopAt(t, task, 500*time.Millisecond); l.patience() != 0 {
		t.Error("with room for an operation it waits")
	}
	if l := loopAt(t, task, 2*time.Second); l.patience() == 0 {
		t.Error("after the end it does not wait")
	}
}
