package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/sink/sinktest"
)

// figure is one measurement of one server.
type figure struct {
	protocol, server string
	spans            int
	cpu, wall        time.Duration
	peak             uint64   // bytes: most memory resident since the process started
	resident         []uint64 // bytes resident after each stretch
}

// perCPUSecond is the number of spans that a second of the server's CPU receives.
func (f figure) perCPUSecond() float64 { return float64(f.spans) / f.cpu.Seconds() }

// stretches is how many times the memory is looked at in a measurement.
const stretches = 10

// measure measures every server over every protocol, in rounds, and prints as it goes.
func (p plan) measure(ctx context.Context) error {
	stream, err := sinktest.NewStream()
	if err != nil {
		return err
	}
	var all []figure
	printHeader(p)
	for round := range p.rounds {
		for _, protocol := range p.protocols {
			for _, start := range p.servers(round) {
				f, err := p.one(ctx, start, protocol, stream)
				if err != nil {
					return err
				}
				printFigure(round, f)
				all = append(all, f)
			}
		}
	}
	printSummary(p, all)
	return nil
}

type starter func(context.Context) (*server, error)

// servers returns whom to measure, in an order that changes from round to round.
func (p plan) servers(round int) []starter {
	switch {
	case p.collector == "":
		return []starter{p.startSink}
	case round%2 == 0:
		return []starter{p.startSink, p.startCollector}
	}
	return []starter{p.startCollector, p.startSink}
}

// one measures one server in a fresh process.
func (p plan) one(ctx context.Context, start starter, protocol string, stream *sinktest.Stream) (f figure, err error) {
	s, err := start(ctx)
	if err != nil {
		return figure{}, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	senders, err := p.senders(protocol, s.address[protocol])
	defer func() {
		for _, sender := range senders {
			err = errors.Join(err, sender.Close())
		}
	}()
	if err != nil {
		return figure{}, err
	}
	// The warm-up: connections made, buffers grown.
	flood := &sinktest.Flood{Stream: stream, Senders: senders}
	if err := flood.Send(ctx, 20*len(senders)); err != nil {
		return figure{}, fmt.Errorf("sending to the %s over %s: %w", s.name, protocol, err)
	}
	f = figure{protocol: protocol, server: s.name}
	return f, f.fill(ctx, s, flood, p.spans/sinktest.RequestSpans)
}

// fill sends the stream and reads what the server used for it.
func (f *figure) fill(ctx context.Context, s *server, flood *sinktest.Flood, requests int) error {
	before, err := sinktest.CPU(s.pid())
	if err != nil {
		return err
	}
	begun := time.Now()
	for range stretches {
		if err := flood.Send(ctx, requests/stretches); err != nil {
			return fmt.Errorf("sending to the %s over %s: %w", s.name, f.protocol, err)
		}
		f.spans += requests / stretches * sinktest.RequestSpans
		m, err := sinktest.ReadMemory(s.pid())
		if err != nil {
			return err
		}
		f.resident, f.peak = append(f.resident, m.Resident), m.Peak
	}
	f.wall = time.Since(begun)
	after, err := sinktest.CPU(s.pid())
	f.cpu = after - before
	return err
}

func (p plan) senders(protocol, address string) ([]sinktest.Sender, error) {
	senders := make([]sinktest.Sender, 0, p.connections)
	for range p.connections {
		if protocol == overHTTP {
			senders = append(senders, sinktest.NewHTTP(address))
			continue
		}
		sender, err := sinktest.NewGRPC(address)
		if err != nil {
			return senders, err
		}
		senders = append(senders, sender)
	}
	return senders, nil
}
