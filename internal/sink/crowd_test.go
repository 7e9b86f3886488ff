// This file has many senders at once, some of which stand in the way.

package sink

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink/sinktest"
	"google.golang.org/grpc"
)

// stall begins a request over each protocol whose body never comes whole.
func stall(t *testing.T, s *Server, n int) {
	t.Helper()
	for i := range n {
		if i%2 == 0 {
			conn := dialHTTP(t, s)
			fmt.Fprint(conn, "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
			continue
		}
		if _, err := dialRaw(t, s.Addresses()[protocol.OTLPGRPC]).NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true}, exportMethod); err != nil {
			t.Fatal(err)
		}
	}
}

// Senders that stop in the middle leave the others their places.
func TestStalledSendersBesideOthers(t *testing.T) {
	s := start(t, Config{MaxRequests: 3, RequestTimeout: time.Hour})
	stall(t, s, 2)
	waitFor(t, func() bool { return s.Snapshot().InFlight == 2 })
	var all sync.WaitGroup
	for _, p := range everyProtocol {
		e := exporter(t, p.exporter(s.Addresses()))
		all.Go(func() {
			for range 10 {
				if err := e.ExportSpans(t.Context(), makeTraces(t, 1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if c := s.Snapshot(); c.Counts.Spans != 160 || c.Counts.Malformed != 0 || c.InFlight != 2 {
		t.Errorf("snapshot %+v", c)
	}
}

// Where they have taken every place, the others wait for the end of their time.
func TestStalledSendersAreEnded(t *testing.T) {
	s := start(t, Config{MaxRequests: 1, RequestTimeout: 2 * time.Second})
	stall(t, s, 2)
	waitFor(t, func() bool { return s.Snapshot().Counts.Malformed == 2 && s.Snapshot().InFlight == 0 })
	for _, p := range everyProtocol {
		export(t, exporter(t, p.exporter(s.Addresses())), makeTraces(t, 1))
	}
	if c := s.Snapshot().Counts; c.Spans != 16 || c.Malformed != 2 {
		t.Errorf("spans %d, malformed %d", c.Spans, c.Malformed)
	}
}

// A connection beyond the limit is served when another ends.
func TestConnectionsBeyondTheLimitWait(t *testing.T) {
	s := start(t, Config{MaxConnections: 2})
	held := []net.Conn{dialHTTP(t, s), dialHTTP(t, s)}
	for _, conn := range held {
		fmt.Fprint(conn, "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	}
	waitFor(t, func() bool { return s.Snapshot().Counts.Requests == 2 })
	answered := make(chan error, 1)
	go func() {
		var client http.Client
		response, err := client.Post("http://"+s.Addresses()[protocol.OTLPHTTP]+"/v1/traces", jsonType, http.NoBody)
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close() // read to its end
		}
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Fatalf("answered beyond the limit; error %v", err)
	case <-time.After(50 * time.Millisecond): // long enough to see a limit that does not hold
	}
	if err := held[0].Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
}

// This file floods the sink with a prepared stream.

// flood prepares a stream over so many connections to the first protocol that is
// served.
func flood(t testing.TB, a protocol.Addresses, connections int) *sinktest.Flood {
	t.Helper()
	stream, err := sinktest.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	f := &sinktest.Flood{Stream: stream}
	for range connections {
		sender := sinktest.Sender(sinktest.NewHTTP(a[protocol.OTLPHTTP]))
		if a[protocol.OTLPGRPC] != "" {
			if sender, err = sinktest.NewGRPC(a[protocol.OTLPGRPC]); err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(func() { _ = sender.Close() })
		f.Senders = append(f.Senders, sender)
	}
	return f
}

func send(t testing.TB, f *sinktest.Flood, requests int) {
	t.Helper()
	if err := f.Send(t.Context(), requests); err != nil {
		t.Fatal(err)
	}
}

// Every protocol with a receiver can be asked for alone, on a free port, and is ended by Close. One without a receiver is refused.
func TestEveryProtocolAlone(t *testing.T) {
	for _, row := range protocol.Table {
		t.Run(string(row.Name), func(t *testing.T) {
			if row.Folder {
				testFolderAlone(t, row)
				return
			}
			s, err := Start(Config{Listen: protocol.Addresses{row.Name: "127.0.0.1:0"}})
			if makers[row.Name] == nil {
				if err == nil || !strings.Contains(err.Error(), "cannot receive "+row.Title) {
					t.Errorf("started without a receiver: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			address := s.Addresses()[row.Name]
			if len(s.Addresses()) != 1 || address == "" {
				t.Errorf("%s alone is served at %v", row.Name, s.Addresses())
			}
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(conn.Close(), s.Close()); err != nil {
				t.Error(err)
			}
			again, err := net.Listen("tcp", address)
			if err != nil {
				t.Fatalf("the address is not free after Close: %v", err)
			}
			_ = again.Close()
		})
	}
}

// testFolderAlone wants a protocol served in a folder, that is free again after Close, and at no address.
func testFolderAlone(t *testing.T, row protocol.Row) {
	folder := filepath.Join(t.TempDir(), "rings")
	for range 2 {
		s, err := Start(Config{Listen: protocol.Addresses{row.Name: folder}})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Addresses()) != 1 || s.Addresses()[row.Name] != folder {
			t.Errorf("%s alone is served at %v", row.Name, s.Addresses())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := Start(Config{Listen: protocol.Addresses{row.Name: "127.0.0.1:0"}}); err == nil || !strings.Contains(err.Error(), "a folder") {
		t.Errorf("an address of the network: %v", err)
	}
}

// A taken address is an error that names the protocol, and leaves nothing behind.
func TestTakenAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := Start(Config{Listen: protocol.Addresses{protocol.Zipkin: "127.0.0.1:0", protocol.Datadog: l.Addr().String()}}); err == nil {
		t.Error("it started")
	}
}
