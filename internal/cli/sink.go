package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
	"github.com/tracetax/tracetax/internal/spec"
)

// newSink is the counting receiver alone.
func newSink(s streams) *cobra.Command {
	cfg := sink.Config{OTLPGRPC: "127.0.0.1:4317", OTLPHTTP: "127.0.0.1:4318"}
	var mode string
	var asJSON bool
	c := &cobra.Command{
		Use:   "sink",
		Short: "Receive spans and count them, until Ctrl-C",
		Long: `Receive spans over OTLP and count them. Point any tracer's exporter at it; Ctrl-C
prints what came. Nothing is stored or forwarded.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch spec.SinkMode(mode) {
			case spec.Checking, spec.Counting:
			default:
				return usageError(fmt.Errorf("no sink mode %q; say checking or counting", mode))
			}
			cfg.Checking = spec.SinkMode(mode) == spec.Checking
			return runSink(c.Context(), s, cfg, asJSON)
		},
	}
	sinkFlags(c.Flags(), &cfg)
	c.Flags().StringVar(&mode, "mode", string(spec.Checking), "checking: look at ids for duplicates and orphans; counting: flat memory")
	c.Flags().BoolVar(&asJSON, "json", false, "print the counts as JSON")
	return c
}

// newAgentSink is the sink as a process that the conductor starts and drives.
func newAgentSink(s streams) *cobra.Command {
	cfg := sink.Config{OTLPGRPC: "127.0.0.1:0", OTLPHTTP: "127.0.0.1:0"}
	c := &cobra.Command{
		Use:  "sink",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return sink.Serve(c.Context(), cfg, s.in, s.out)
		},
	}
	sinkFlags(c.Flags(), &cfg)
	c.Flags().BoolVar(&cfg.Checking, "checking", false, "look at ids for duplicates and orphans")
	return c
}

func sinkFlags(flags *pflag.FlagSet, cfg *sink.Config) {
	flags.StringVar(&cfg.OTLPGRPC, "otlp-grpc", cfg.OTLPGRPC, `address for OTLP over gRPC; "" for none`)
	flags.StringVar(&cfg.OTLPHTTP, "otlp-http", cfg.OTLPHTTP, `address for OTLP over HTTP; "" for none`)
	flags.IntVar(&cfg.MaxSpans, "max-spans", sink.DefaultMaxSpans, "spans whose ids are held when checking")
}

func runSink(ctx context.Context, s streams, cfg sink.Config, asJSON bool) error {
	server, err := sink.Start(cfg)
	if err != nil {
		return err
	}
	announce(s.err, server.Addresses())
	last := watchSink(ctx, s.err, server)
	if err := server.Close(); err != nil {
		return err
	}
	if asJSON {
		e := json.NewEncoder(s.out)
		e.SetIndent("", "  ")
		return e.Encode(last)
	}
	return printCounts(s.out, last)
}

func announce(w io.Writer, a sink.Addresses) {
	for _, line := range []struct{ protocol, address string }{{"gRPC", a.OTLPGRPC}, {"HTTP", a.OTLPHTTP}} {
		if line.address == "" {
			continue
		}
		fmt.Fprintf(w, "OTLP over %s on %s\n", line.protocol, line.address)
		if !loopback(line.address) {
			fmt.Fprintf(w, "warning: %s can be reached from other machines, without any check of who sends\n", line.address)
		}
	}
	fmt.Fprintln(w, "Counting; Ctrl-C ends and prints what came.")
}

func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// watchSink prints a line a second while the counts change, and returns the
// counts when ctx is done.
func watchSink(ctx context.Context, w io.Writer, server *sink.Server) record.Counts {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var printed string
	for {
		select {
		case <-ctx.Done():
			return server.Snapshot().Counts
		case <-tick.C:
		}
		if line := progressLine(server.Snapshot().Counts); line != printed {
			fmt.Fprintln(w, line)
			printed = line
		}
	}
}

func progressLine(c record.Counts) string {
	line := fmt.Sprintf("%d spans in %d requests, %d bytes", c.Spans, c.Requests, c.Bytes)
	for _, extra := range []struct {
		n    uint64
		name string
	}{
		{c.Metrics, "data points"}, {c.Logs, "log records"}, {c.Rejected, "rejected"}, {c.Malformed, "requests refused"},
		{c.Duplicate, "duplicates"}, {c.Orphans, "orphans"},
	} {
		if extra.n > 0 {
			line += fmt.Sprintf(", %d %s", extra.n, extra.name)
		}
	}
	return line
}

// printCounts writes the summary that a person reads.
func printCounts(w io.Writer, c record.Counts) error {
	var b strings.Builder
	row := func(name string, n uint64) { fmt.Fprintf(&b, "%-16s %12d\n", name, n) }
	row("requests", c.Requests)
	row("bytes", c.Bytes)
	row("spans", c.Spans)
	row("root spans", c.Roots)
	if c.Checking {
		row("traces", c.Traces)
		row("duplicates", c.Duplicate)
		row("orphans", c.Orphans)
		row("evicted", c.Evicted)
	}
	row("rejected spans", c.Rejected)
	row("refused requests", c.Malformed)
	row("data points", c.Metrics)
	row("log records", c.Logs)
	for _, by := range []struct {
		title string
		names map[string]uint64
	}{
		{"requests by protocol", c.Protocols}, {"spans by service", c.Services}, {"spans by kind", c.Kinds}, {"roots by name", c.RootNames},
	} {
		printNames(&b, by.title, by.names)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printNames writes the most frequent names of one kind.
func printNames(b *strings.Builder, title string, counts map[string]uint64) {
	const shown = 20
	if len(counts) == 0 {
		return
	}
	type entry struct {
		name string
		n    uint64
	}
	entries := make([]entry, 0, len(counts))
	for name, n := range counts {
		entries = append(entries, entry{name, n})
	}
	slices.SortFunc(entries, func(x, y entry) int {
		if x.n != y.n {
			return compareDown(x.n, y.n)
		}
		return strings.Compare(x.name, y.name)
	})
	fmt.Fprintf(b, "\n%s\n", title)
	for _, e := range entries[:min(shown, len(entries))] {
		// Quoted, since a name may hold anything, also what a terminal obeys.
		fmt.Fprintf(b, "%14d  %s\n", e.n, strings.Trim(fmt.Sprintf("%q", e.name), `"`))
	}
	if len(entries) > shown {
		fmt.Fprintf(b, "%14s  and %d more\n", "", len(entries)-shown)
	}
}

func compareDown(x, y uint64) int {
	if x > y {
		return -1
	}
	return 1
}
