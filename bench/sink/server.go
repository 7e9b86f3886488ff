package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
)

const (
	overGRPC = "grpc"
	overHTTP = "http"
)

// server is a receiver that runs as a process of its own.
type server struct {
	name    string
	address map[string]string // by protocol
	command *exec.Cmd
	stdin   io.Closer     // the sink ends with it
	ended   chan struct{} // closed when the process has ended, with
	failure error         // how
}

// watch waits for the end of a process that has been started.
func (s *server) watch() {
	s.ended = make(chan struct{})
	go func() {
		s.failure = s.command.Wait()
		close(s.ended)
	}()
}

func (s *server) pid() int { return s.command.Process.Pid }

// stop ends the process, and waits for that.
func (s *server) stop() error {
	_ = s.stdin.Close() // an error means that it has ended
	if s.name == collectorName {
		_ = s.command.Process.Signal(syscall.SIGTERM) // likewise
	}
	<-s.ended
	if s.failure != nil {
		return fmt.Errorf("stopping the %s: %w", s.name, s.failure)
	}
	return nil
}

const (
	sinkName      = "sink"
	collectorName = "collector"
)

// startSink starts tracetax's sink as a run does.
func (p plan) startSink(ctx context.Context) (*server, error) {
	command := exec.CommandContext(ctx, p.tracetax, "agent", "sink", fmt.Sprintf("--checking=%v", p.checking))
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("starting the sink: %w", err)
	}
	s := &server{name: sinkName, command: command, stdin: stdin}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("starting the sink: it said %q: %w", line, err)
	}
	var hello struct{ Addresses protocol.Addresses }
	if err := json.Unmarshal(line, &hello); err != nil || hello.Addresses[protocol.OTLPGRPC] == "" {
		return nil, fmt.Errorf("starting the sink: it said %q", line)
	}
	s.address = map[string]string{overGRPC: hello.Addresses[protocol.OTLPGRPC], overHTTP: hello.Addresses[protocol.OTLPHTTP]}
	s.watch()
	return s, nil
}

// collectorConfig receives on two addresses and exports with one exporter. Its own
// metrics are off, as nobody reads them.
const collectorConfig = `yaml:
receivers: {otlp: {protocols: {grpc: {endpoint: "%s"}, http: {endpoint: "%s"}}}}
exporters: {%[3]s: {}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [%[3]s]}}
`

// startCollector starts the Collector and waits until it listens.
func (p plan) startCollector(ctx context.Context) (*server, error) {
	grpc, err := freeAddress()
	if err != nil {
		return nil, err
	}
	http, err := freeAddress()
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, p.collector, "--config", fmt.Sprintf(collectorConfig, grpc, http, p.exporter))
	var said bytes.Buffer
	if p.exporter == "nop" { // the debug exporter would fill the memory with its log
		command.Stderr = &said
	}
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("starting the Collector: %w", err)
	}
	s := &server{name: collectorName, command: command, stdin: stdin, address: map[string]string{overGRPC: grpc, overHTTP: http}}
	s.watch()
	for _, address := range s.address {
		if err := s.await(ctx, address); err != nil {
			_ = s.stop()
			return nil, fmt.Errorf("starting the Collector: %w; it said:\n%s", err, &said)
		}
	}
	return s, nil
}

// freeAddress returns an address that nothing listened on a moment ago.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("looking for a free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}

// await waits until a connection to the address can be had.
func (s *server) await(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-tick.C:
		case <-s.ended:
			return errors.New("it ended")
		case <-ctx.Done():
			return err
		}
	}
}
