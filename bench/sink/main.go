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
	"slices"
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

func printHeader(p plan) {
	fmt.Printf("%d rounds of %d spans, %d a request, over %d connections\n", p.rounds, p.spans, sinktest.RequestSpans, p.connections)
	fmt.Printf("%5s  %-8s  %-9s  %12s  %10s  %9s  %s\n", "round", "protocol", "server", "spans/CPU-s", "spans/s", "peak MiB", "resident after each tenth, MiB")
}

func printFigure(round int, f figure) {
	fmt.Printf("%5d  %-8s  %-9s  %12.0f  %10.0f  %9.1f ", round+1, f.protocol, f.server, f.perCPUSecond(), float64(f.spans)/f.wall.Seconds(), mebibytes(f.peak))
	for _, r := range f.resident {
		fmt.Printf(" %.0f", mebibytes(r))
	}
	fmt.Println()
}

func mebibytes(n uint64) float64 { return float64(n) / (1 << 20) }

// printSummary prints the middle of the rounds, and the ratio of each round.
func printSummary(p plan, all []figure) {
	fmt.Println()
	for _, protocol := range p.protocols {
		sink, collector := of(all, protocol, sinkName), of(all, protocol, collectorName)
		printServer(protocol, sinkName, sink)
		if len(collector) == 0 {
			continue
		}
		printServer(protocol, collectorName, collector)
		ratios := make([]float64, len(sink))
		for i := range sink {
			ratios[i] = sink[i].perCPUSecond() / collector[i].perCPUSecond()
		}
		fmt.Printf("%s: the sink receives %.1f times as many spans a CPU-second (median of the rounds; each round:", protocol, median(ratios))
		for _, r := range ratios {
			fmt.Printf(" %.1f", r)
		}
		fmt.Println(")")
	}
}

func printServer(protocol, name string, figures []figure) {
	rates, peak := make([]float64, len(figures)), uint64(0)
	for i, f := range figures {
		rates[i], peak = f.perCPUSecond(), max(peak, f.peak)
	}
	fmt.Printf("%s: %s %.0f spans per CPU-second (median; %.0f to %.0f), at most %.1f MiB\n", protocol, name, median(rates), slices.Min(rates), slices.Max(rates), mebibytes(peak))
}

func of(all []figure, protocol, server string) (found []figure) {
	for _, f := range all {
		if f.protocol == protocol && f.server == server {
			found = append(found, f)
		}
	}
	return found
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
