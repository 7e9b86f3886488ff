// This file has the sink do wrong by order: lose spans, and answer late.

package sink

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
)

// The SDK is told that all went well, and exactly the share is missing.
func TestLoseExactly(t *testing.T) {
	for _, p := range everyProtocol {
		for _, checking := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s checking %v", p.name, checking), func(t *testing.T) {
				s := start(t, Config{Checking: checking, Lose: 0.03})
				e := exporter(t, p.exporter(s.Addresses()))
				for sent := uint64(0); sent < 400; {
					export(t, e, makeTraces(t, 5))
					sent += 20
					c := s.Snapshot().Counts
					if want := sent * 3 / 100; c.Thrown != want || c.Spans != sent-want || c.Services["shop"] != c.Spans || c.Rejected != 0 {
						t.Fatalf("of %d spans: thrown %d, want %d; counted %d, by service %v", sent, c.Thrown, want, c.Spans, c.Services)
					}
				}
				c := s.Snapshot().Counts
				if sum := c.Kinds["server"] + c.Kinds["client"] + c.Kinds["consumer"] + c.Kinds["internal"]; sum != c.Spans {
					t.Errorf("by kind %v, in all %d", c.Kinds, c.Spans)
				}
				if c.Roots != c.RootNames["GET /"] || c.Duplicate != 0 || checking && c.Traces != 100 {
					t.Errorf("roots %d, by name %v; traces %d, duplicates %d", c.Roots, c.RootNames, c.Traces, c.Duplicate)
				}
			})
		}
	}
}

// Senders at once, over every protocol, with requests between them that are refused.
func TestLoseFromManySenders(t *testing.T) {
	s := start(t, Config{Lose: 0.07})
	var all sync.WaitGroup
	for _, p := range everyProtocol {
		for range 2 {
			e := exporter(t, p.exporter(s.Addresses()))
			all.Go(func() {
				for range 10 {
					if err := e.ExportSpans(context.Background(), makeTraces(t, 3)); err != nil {
						t.Error(err)
					}
					post(t, s, "POST", "/v1/traces", protobufType, "", strings.NewReader("garbage"))
				}
			})
		}
	}
	all.Wait()
	const sent = 4 * 2 * 10 * 12
	if c := s.Snapshot().Counts; c.Thrown != sent*7/100 || c.Spans+c.Thrown != sent || c.Malformed != 80 {
		t.Errorf("thrown %d, spans %d, malformed %d", c.Thrown, c.Spans, c.Malformed)
	}
}

func TestLateAnswers(t *testing.T) {
	const late = 30 * time.Millisecond
	for _, p := range everyProtocol {
		t.Run(p.name, func(t *testing.T) {
			s := start(t, Config{Late: late})
			e := exporter(t, p.exporter(s.Addresses()))
			begun := time.Now()
			export(t, e, makeTraces(t, 1))
			if took := time.Since(begun); took < late {
				t.Errorf("answered after %v, %v late was asked for", took, late)
			}
			if c := s.Snapshot().Counts; c.Spans != 4 {
				t.Errorf("%d spans", c.Spans)
			}
		})
	}
}

// What was read in time is answered, though reading and lateness together are longer
// than a request may take.
func TestSlowRequestAnsweredLate(t *testing.T) {
	const whole = 1500 * time.Millisecond
	begun := func(t *testing.T, s *Server) time.Time {
		waitFor(t, func() bool { return s.Snapshot().InFlight == 1 && s.Snapshot().Since > whole/4 })
		return time.Now()
	}
	checkLate := func(t *testing.T, read time.Time) {
		if took := time.Since(read); took < whole {
			t.Errorf("answered after %v, %v late was asked for", took, whole)
		}
	}
	t.Run("grpc", func(t *testing.T) {
		t.Parallel()
		s := start(t, Config{Late: whole, RequestTimeout: whole})
		stream, err := dialRaw(t, s.Addresses()[protocol.OTLPGRPC]).NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true}, exportMethod)
		if err != nil {
			t.Fatal(err)
		}
		read := begun(t, s)
		empty, answer := []byte{}, []byte{}
		if err := errors.Join(stream.SendMsg(&empty), stream.CloseSend(), stream.RecvMsg(&answer)); err != nil {
			t.Error(err)
		}
		checkLate(t, read)
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		s := start(t, Config{Late: whole, RequestTimeout: whole})
		conn := dialHTTP(t, s)
		fmt.Fprint(conn, "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{")
		read := begun(t, s)
		fmt.Fprint(conn, "}")
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != http.StatusOK {
			t.Errorf("status %d", response.StatusCode)
		}
		checkLate(t, read)
	})
}

// impatient lists the SDK's exporters with a time-out and without a second try.
var impatient = map[string]func(protocol.Addresses, time.Duration) otlptrace.Client{
	"grpc": func(a protocol.Addresses, wait time.Duration) otlptrace.Client {
		return otlptracegrpc.NewClient(otlptracegrpc.WithEndpoint(a[protocol.OTLPGRPC]), otlptracegrpc.WithInsecure(),
			otlptracegrpc.WithTimeout(wait), otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{}))
	},
	"http": func(a protocol.Addresses, wait time.Duration) otlptrace.Client {
		return otlptracehttp.NewClient(otlptracehttp.WithEndpoint(a[protocol.OTLPHTTP]), otlptracehttp.WithInsecure(),
			otlptracehttp.WithTimeout(wait), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))
	},
}

// A late answer keeps nobody else waiting: with room for one body at a time, many
// requests are counted while none is answered. When their senders give up, none is
// left under way.
func TestLateAnswersBlockNobody(t *testing.T) {
	for name, client := range impatient {
		t.Run(name, func(t *testing.T) {
			const requests = 20
			s := start(t, Config{Late: time.Hour, RequestTimeout: time.Hour, MaxRequests: 1})
			ctx, giveUp := context.WithCancel(t.Context())
			defer giveUp()
			var all sync.WaitGroup
			for range requests {
				e := exporter(t, client(s.Addresses(), time.Hour))
				all.Go(func() {
					if err := e.ExportSpans(ctx, makeTraces(t, 1)); err == nil {
						t.Error("an answer came that was to be an hour late")
					}
				})
			}
			waitFor(t, func() bool { return s.Snapshot().Counts.Requests == requests })
			if n := s.Snapshot().InFlight; n != requests {
				t.Errorf("%d requests under way of %d unanswered", n, requests)
			}
			giveUp()
			all.Wait()
			waitFor(t, func() bool { return s.Snapshot().InFlight == 0 })
			if c := s.Snapshot().Counts; c.Spans != 4*requests || c.Malformed != 0 {
				t.Errorf("spans %d, malformed %d", c.Spans, c.Malformed)
			}
		})
	}
}

// A tracer that does not wait for a slow backend reports a failed export of spans
// that have arrived.
func TestLateBeyondTheSDKsPatience(t *testing.T) {
	for name, client := range impatient {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, Config{Late: time.Hour, RequestTimeout: time.Hour})
			e := exporter(t, client(s.Addresses(), 2*time.Second))
			if err := e.ExportSpans(t.Context(), makeTraces(t, 1)); err == nil {
				t.Error("the SDK saw no error")
			}
			waitFor(t, func() bool { return s.Snapshot().InFlight == 0 })
			if c := s.Snapshot().Counts; c.Spans != 4 {
				t.Errorf("%d spans", c.Spans)
			}
		})
	}
}

// Refusals are not late, and a sink can be closed while answers wait.
func TestLateRefusalsAndClose(t *testing.T) {
	s := start(t, Config{Late: time.Hour, RequestTimeout: time.Hour})
	if response, _ := post(t, s, "POST", "/v1/traces", protobufType, "", strings.NewReader("garbage")); response.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d", response.StatusCode)
	}
	conn := dialHTTP(t, s)
	fmt.Fprint(conn, "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	overGRPC := make(chan error, 1)
	raw := dialRaw(t, s.Addresses()[protocol.OTLPGRPC])
	go func() {
		empty, answer := []byte{}, []byte{}
		overGRPC <- raw.Invoke(context.Background(), exportMethod, &empty, &answer)
	}()
	waitFor(t, func() bool { return s.Snapshot().Counts.Requests == 2 })
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n, _ := io.Copy(io.Discard, conn); n > 0 { // the error says how the connection was cut
		t.Errorf("an answer of %d bytes came that was to be an hour late", n)
	}
	if err := <-overGRPC; err == nil {
		t.Error("an answer came that was to be an hour late")
	}
	waitFor(t, func() bool { return s.Snapshot().InFlight == 0 })
}

// A sender that names the end of its patience, as gRPC's do, and is slow to act on it: it must not
// read a success in an answer that was to come later. gRPC itself resets the stream at about that
// time, so it takes many to see whose word comes first.
func TestLateBeyondTheDeadlineIsNoSuccess(t *testing.T) {
	s := start(t, Config{Late: time.Hour, RequestTimeout: time.Hour})
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	client := http.Client{Transport: &http.Transport{Protocols: &protocols}}
	defer client.CloseIdleConnections()
	var all sync.WaitGroup
	for range 500 {
		all.Go(func() {
			noSpans := bytes.NewReader(make([]byte, 5)) // a frame without a message in it: an empty request
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Addresses()[protocol.OTLPGRPC]+exportMethod, noSpans)
			if err != nil {
				t.Error(err)
				return
			}
			request.Header = http.Header{"Content-Type": {"application/grpc"}, "Te": {"trailers"}, "Grpc-Timeout": {"200m"}}
			answer, err := client.Do(request)
			if err != nil {
				return // reset
			}
			defer answer.Body.Close()
			if _, err := io.Copy(io.Discard, answer.Body); err != nil {
				return // reset
			}
			told := answer.Trailer.Get("Grpc-Status") + answer.Header.Get("Grpc-Status") // without a body it comes with the headers
			if ok := strconv.Itoa(int(codes.OK)); told == ok {
				t.Error("a success at the end of the deadline")
			}
		})
	}
	all.Wait()
}

// A sink that is gone treats connections as was ordered, and ends whoever holds on to it.
func TestGone(t *testing.T) {
	const request = "POST /v1/traces HTTP/1.1\r\nHost: sink\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n"
	for _, how := range []string{Away, Silent, Resetting} {
		t.Run(how, func(t *testing.T) {
			s := start(t, Config{Gone: how})
			c, err := net.Dial("tcp", s.Addresses()[protocol.OTLPHTTP])
			if how == Away {
				if !errors.Is(err, syscall.ECONNREFUSED) {
					t.Fatalf("connecting: %v, want it refused", err)
				}
				if _, err := net.Listen("tcp", s.Addresses()[protocol.OTLPHTTP]); err == nil {
					t.Error("somebody else got the address")
				}
				return
			}
			if how == Resetting && errors.Is(err, syscall.ECONNRESET) {
				return // it was reset before anything was written
			}
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, writing := io.WriteString(c, request)
			if how == Resetting {
				if _, err := c.Read(make([]byte, 1)); !errors.Is(errors.Join(writing, err), syscall.ECONNRESET) {
					t.Errorf("writing: %v, reading: %v; want a reset", writing, err)
				}
				return
			}
			if err := c.SetReadDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			var late net.Error
			if _, err := c.Read(make([]byte, 1)); writing != nil || !errors.As(err, &late) || !late.Timeout() {
				t.Errorf("writing: %v, reading: %v; want no answer", writing, err)
			}
			if n := s.Snapshot(); n.Counts.Requests != 0 {
				t.Errorf("it counted %+v", n.Counts)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if _, err := c.Read(make([]byte, 1)); err == nil {
				t.Error("the connection outlives the sink")
			}
		})
	}
	if _, err := Start(Config{Listen: protocol.Addresses{protocol.OTLPHTTP: "127.0.0.1:0"}, Gone: "lost"}); err == nil {
		t.Error("a sink starts that is gone in an unknown way")
	}
	for _, c := range []Config{{Gone: Away}, {Late: time.Second}} {
		c.Listen = protocol.Addresses{protocol.Ring: filepath.Join(t.TempDir(), "rings")}
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), "rings of the JVM tracer") {
			t.Errorf("a sink that reads rings and is %+v: %v", c, err)
		}
	}
}

// A connection that was accepted while the sink closed does not outlive it.
func TestGoneHoldsNothingOnceClosed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	u := &unserved{Listener: l}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	u.hold(accepted)
	if err := c.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("reading: %v, want its end", err)
	}
}
