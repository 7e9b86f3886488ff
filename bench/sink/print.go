package main

import (
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/sink/sinktest"
)

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
