package packets_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/packetstest"
	"golang.org/x/net/http2"
)

// crowd makes a capture of connections of each protocol, with so many calls on each. With another first port the connections are
// closed.
func crowd(connections, calls, port int, change func(c *packetstest.Capture)) *packetstest.Capture {
	c := packetstest.New(change)
	var all []func(i int)
	var conns []*packetstest.Conn
	open := func(host int, next func(i int) (request, answer string)) *packetstest.Conn {
		conn := c.Dial(fmt.Sprintf("127.1.0.%d:%d", 1+host, port+len(all)), fmt.Sprintf("127.1.0.%d:8080", 2+host))
		conns = append(conns, conn)
		all = append(all, func(i int) {
			request, answer := next(i)
			conn.Ask(request)
			c.Segment(conn.Server, conn.Client, conn.SSeq, conn.CSeq, packetstest.ACK, nil)
			conn.Answer(answer)
			c.Segment(conn.Client, conn.Server, conn.CSeq, conn.SSeq, packetstest.ACK, nil)
		})
		return conn
	}
	for range connections {
		open(1, func(int) (string, string) { return get, ok })
		open(2, func(i int) (string, string) {
			return thriftFrame(1, "post", uint32(i), thriftCarrier("traceparent", "t")), thriftFrame(2, "post", uint32(i), "\x00")
		})
		open(3, func(int) (string, string) { return "*2\r\n$3\r\nget\r\n$1\r\na\r\n", "$1\r\nx\r\n" })
		asking, answering := newH2(), newH2()
		conn := open(4, func(i int) (string, string) {
			id := uint32(2*i + 1)
			asking.headers(id, false, grpcHeaders("/shop.Cart/Add", fmt.Sprintf("00-%032x-%016x-01", i, i))...)
			must(asking.WriteData(id, true, make([]byte, 100)))
			answering.headers(id, false, ":status", "200", "content-type", "application/grpc")
			must(answering.WriteData(id, false, make([]byte, 100)))
			answering.headers(id, true, "grpc-status", "0")
			return asking.said(), answering.said()
		})
		conn.Ask(http2.ClientPreface)
	}
	for i := range calls {
		for _, call := range all {
			call(i)
		}
	}
	for _, conn := range conns {
		if port != firstPort {
			conn.Close()
		}
	}
	return c
}

const firstPort = 20_000

// Packets a second of one CPU.
func BenchmarkRead(b *testing.B) {
	c := crowd(8, 250, firstPort, nil)
	b.SetBytes(int64(len(c.Bytes())))
	b.ReportAllocs()
	for b.Loop() {
		calls := 0
		in := openAll(b, bytes.NewReader(c.Bytes()))
		_, err := packets.Read(in, packets.Options{}, func(packets.Call) error { calls++; return nil })
		if err != nil || calls != 8*4*250 {
			b.Fatal(calls, err)
		}
	}
	b.ReportMetric(float64(c.Packets)*float64(b.N)/b.Elapsed().Seconds(), "packets/s")
}

// long is a capture of crowds one after the other, made as it is read. The connections are ever the same ones, or others that are
// closed. end is called once it has been read.
func long(rounds int, closed bool, end func()) io.Reader {
	out, in := io.Pipe()
	go func() {
		head := len(packetstest.New(nil).Bytes())
		for round := range rounds {
			port := firstPort
			if closed {
				port += 1 + round*100
			}
			made := crowd(20, 20, port, func(c *packetstest.Capture) {
				c.First, c.Now = uint32(round+1)*100_000, c.Now.Add(time.Duration(round)*time.Second)
			}).Bytes()
			if round > 0 {
				made = made[head:]
			}
			_, err := in.Write(made)
			must(err)
		}
		end()
		must(in.Close())
	}()
	return out
}

// Memory does not grow with the capture: at the end of a long one as much is in use as at the end of a short one, whether ever the same
// connections are begun again or others are, which are closed.
func TestMemoryBounded(t *testing.T) {
	inUse := func(times int, closed bool) (bytes uint64) {
		in := long(times, closed, func() {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			bytes = m.HeapAlloc
		})
		calls := 0
		_, err := packets.Read(openAll(t, in), packets.Options{}, func(packets.Call) error { calls++; return nil })
		if err != nil || calls != times*4*20*20 {
			t.Fatalf("%d calls, error %v", calls, err)
		}
		return bytes
	}
	for _, closed := range []bool{false, true} {
		if short, long := inUse(6, closed), inUse(60, closed); long > short+short/2+1<<20 {
			t.Errorf("closed %v: %d bytes are in use after a short capture and %d after a long one", closed, short, long)
		}
	}
}
