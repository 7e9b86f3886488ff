// Command sink measures tracetax's sink and the OpenTelemetry Collector side by
// side: the same prepared stream to both, one after the other, round after round in
// changing order, each server's CPU time read from its own clock. scripts/bench-sink
// builds and runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/tracetax/tracetax/internal/sink/sinktest"
)

// plan is what is measured.
type plan struct {
	tracetax, collector string // the programs; "" for no Collector
	exporter            string // of the Collector
	protocols           []string
	rounds              int
	spans               int // of each measurement
	connections         int
	checking            bool
}

func main() {
	p, err := parse(os.Args[1:])
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = p.measure(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-sink:", err)
		os.Exit(1)
	}
}

func parse(args []string) (plan, error) {
	var p plan
	flags := flag.NewFlagSet("bench-sink", flag.ExitOnError)
	flags.StringVar(&p.tracetax, "tracetax", "", "the tracetax program")
	flags.StringVar(&p.collector, "collector", "", "the Collector program; none: the sink alone")
	flags.StringVar(&p.exporter, "exporter", "nop", "what the Collector does with the spans: nop or debug")
	flags.IntVar(&p.rounds, "rounds", 5, "measurements of each server and protocol")
	flags.IntVar(&p.spans, "spans", 4_000_000, "spans of each measurement")
	flags.IntVar(&p.connections, "connections", 4, "connections, each with one request under way")
	flags.BoolVar(&p.checking, "checking", false, "let the sink look at ids")
	protocols := flags.String("protocols", "grpc,http", "grpc, http or both")
	if err := flags.Parse(args); err != nil {
		return plan{}, err
	}
	p.protocols = strings.Split(*protocols, ",")
	return p, p.check()
}

func (p plan) check() error {
	if p.tracetax == "" {
		return fmt.Errorf("no tracetax program; run scripts/bench-sink")
	}
	for _, protocol := range p.protocols {
		if protocol != overGRPC && protocol != overHTTP {
			return fmt.Errorf("no protocol %q; say grpc, http or both", protocol)
		}
	}
	if p.rounds < 1 || p.connections < 1 || p.spans < stretches*sinktest.RequestSpans {
		return fmt.Errorf("at least 1 round, 1 connection and %d spans are needed", stretches*sinktest.RequestSpans)
	}
	return nil
}
