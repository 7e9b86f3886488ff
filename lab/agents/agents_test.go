package agents

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
)

// segments is the method that takes segments of traces.
const segments = "/skywalking.v3.TraceSegmentReportService/collectInSync"

func start(t *testing.T, c sink.Config) *sink.Server {
	t.Helper()
	s, err := sink.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Every protocol of the table has a receiver, can be asked for alone, on a free port, and is ended by Close.
func TestEveryProtocolAlone(t *testing.T) {
	for _, row := range protocol.Table {
		t.Run(string(row.Name), func(t *testing.T) {
			if row.Folder {
				t.Skip("it is served in a folder, as a test of the sink sees")
			}
			s := start(t, sink.Config{Listen: protocol.Addresses{row.Name: "127.0.0.1:0"}})
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

// Scouter's packets and its connections come to ports of one number.
func TestScouterHasBothPorts(t *testing.T) {
	s := start(t, sink.Config{Listen: protocol.Addresses{protocol.Scouter: "127.0.0.1:0"}})
	packets, err := net.ListenPacket("udp", s.Addresses()[protocol.Scouter])
	if err == nil {
		_ = packets.Close()
		t.Error("nobody listens for packets")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if packets, err = net.ListenPacket("udp", s.Addresses()[protocol.Scouter]); err != nil {
		t.Fatal(err)
	}
	_ = packets.Close()
}

// A sink is late to agents, too, that send over gRPC with messages of their own.
func TestLateAnswersOfCalls(t *testing.T) {
	const late = 30 * time.Millisecond
	s := start(t, sink.Config{Late: late, Listen: protocol.Addresses{protocol.SkyWalking: "127.0.0.1:0"}})
	conn, err := grpc.NewClient(s.Addresses()[protocol.SkyWalking], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	begun := time.Now()
	if err := conn.Invoke(t.Context(), segments, &emptypb.Empty{}, &emptypb.Empty{}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took < late {
		t.Errorf("answered after %v, %v late was asked for", took, late)
	}
}

// What gRPC itself would refuse unseen is counted: a compression that the sink does not know.
func TestWhatCannotBeRead(t *testing.T) {
	s := start(t, sink.Config{Listen: protocol.Addresses{protocol.SkyWalking: "127.0.0.1:0"}})
	var only http.Protocols
	only.SetUnencryptedHTTP2(true)
	h2 := &http.Transport{Protocols: &only}
	defer h2.CloseIdleConnections()
	body := bytes.NewReader([]byte{1, 0, 0, 0, 0}) // an empty message, said to be compressed
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Addresses()[protocol.SkyWalking]+segments, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/grpc"}, "Te": {"trailers"}, "Grpc-Encoding": {"lz4"}}
	answer, err := h2.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || answer.Header.Get("Grpc-Status") != "12" {
		t.Errorf("status %q, %v", answer.Header.Get("Grpc-Status"), err)
	}
	for patience := time.Now().Add(10 * time.Second); s.Snapshot().Counts.Malformed == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(patience) {
			t.Fatal("it is not counted")
		}
	}
}

// To senders that wait for no answer the sink cannot be late, and to those of datagrams it cannot be gone.
func TestFaultsThatCannotBe(t *testing.T) {
	for name, c := range map[protocol.Name]sink.Config{protocol.Kieker: {Late: time.Second}, protocol.Scouter: {Gone: sink.Away}} {
		if c.Listen = (protocol.Addresses{name: "127.0.0.1:0"}); c.Check() == nil {
			t.Errorf("%s: %+v is taken", name, c)
		}
	}
}
