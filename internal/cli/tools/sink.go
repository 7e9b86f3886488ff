package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
	"github.com/tracetax/tracetax/internal/sink/keep"
)

// NewSink is the counting receiver alone.
func NewSink(s console.Streams) *cobra.Command {
	cfg := sink.Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:4317", protocol.OTLPHTTP: "127.0.0.1:4318"}}
	var mode string
	var asJSON bool
	c := &cobra.Command{
		Use:   "sink",
		Short: "Receive spans and count them, until Ctrl-C",
		Long: `Receive spans over OTLP, and over each other protocol that has an address, and count
them. Point any tracer's exporter at it; Ctrl-C prints the counts. It stores nothing
but what --keep asks for, and passes nothing on.`,
		Example: `  tracetax sink
  tracetax sink --zipkin 127.0.0.1:9411
  tracetax sink --keep traces.jsonl`,
		Args: console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			switch config.SinkMode(mode) {
			case config.Checking, config.Counting:
			default:
				return console.UsageError(fmt.Errorf("no sink mode %q; say checking or counting", mode))
			}
			if cfg.Listen.None() {
				return console.UsageError(errors.New("no protocol to serve; give --otlp-grpc, --otlp-http or another one an address"))
			}
			cfg.Checking = config.SinkMode(mode) == config.Checking
			if err := cfg.Check(); err != nil {
				return console.UsageError(err)
			}
			return runSink(c.Context(), s, cfg, asJSON)
		},
	}
	sinkFlags(c.Flags(), &cfg)
	c.Flags().StringVar(&mode, "mode", string(config.Checking), "checking (finds duplicate and orphaned spans) or counting (little memory)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the counts as JSON")
	return c
}

// NewSinkAgent is the sink as a process that the conductor starts and drives.
func NewSinkAgent(s console.Streams) *cobra.Command {
	cfg := sink.Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0", protocol.OTLPHTTP: "127.0.0.1:0"}}
	c := &cobra.Command{
		Use:  "sink",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return sink.Serve(c.Context(), cfg, s.In, s.Out)
		},
	}
	sinkFlags(c.Flags(), &cfg)
	c.Flags().BoolVar(&cfg.Checking, "checking", false, "look at ids for duplicates and orphans")
	c.Flags().Uint64Var((*uint64)(&cfg.Chosen), "chosen", 0, "`key` of the ids that the load generator chooses for traces")
	return c
}

// listenFlag is the address of one protocol.
type listenFlag struct {
	all  protocol.Addresses
	name protocol.Name
}

// String is the address; "" where there is none.
func (f listenFlag) String() string { return f.all[f.name] }

// Set takes any text: the sink says what is wrong with it.
func (f listenFlag) Set(address string) error {
	f.all[f.name] = address
	return nil
}

// Type is the name that pflag shows for the value.
func (f listenFlag) Type() string { return "string" }

func sinkFlags(flags *pflag.FlagSet, cfg *sink.Config) {
	for _, r := range protocol.Table {
		kind := "`address`"
		if r.Folder {
			kind = "`folder`"
		}
		flags.Var(listenFlag{cfg.Listen, r.Name}, string(r.Name), kind+" for "+r.Title+`; "" for none`)
	}
	flags.StringVar(&cfg.Keep, "keep", "", "write the spans of OTLP to a new `file`: OTLP JSON, a request a line (takes CPU of the sink)")
	flags.IntVar(&cfg.MaxSpans, "max-spans", sink.DefaultMaxSpans, "most spans whose ids are kept when checking")
	flags.Var((*shareFlag)(&cfg.Lose), "lose", "fault: accept this share of the spans and throw it away, such as 3% or 0.03")
	flags.DurationVar(&cfg.Late, "late", 0, "fault: wait before each answer, such as 500ms (at most 1m)")
	flags.StringVar(&cfg.Gone, "gone", "", "fault: receive nothing; `away` refuses connections, silent never reads, resetting resets them")
}

func runSink(ctx context.Context, s console.Streams, cfg sink.Config, asJSON bool) error {
	server, err := sink.Start(cfg)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("starting the sink: %w\ngive it another address, with the flag of that protocol (--otlp-grpc, --otlp-http, …)", err)
	}
	if err != nil {
		return fmt.Errorf("starting the sink (--otlp-grpc and --otlp-http say where it listens): %w", err)
	}
	announce(s.Err, server.Addresses())
	announceFaults(s.Err, cfg)
	announceUnkept(s.Err, cfg)
	fmt.Fprintln(s.Err, "Counting; Ctrl-C ends and prints what came.")
	last := watchSink(ctx, s.Err, server)
	failed := server.Close() // the counts are right all the same
	if err := errors.Join(printLast(s, last, asJSON), announceKept(s.Err, cfg.Keep, last, server.Snapshot().Kept)); err != nil {
		return errors.Join(failed, err)
	}
	return failed
}

// printLast prints the counts.
func printLast(s console.Streams, last record.Counts, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(s.Out)
		e.SetIndent("", "  ")
		return e.Encode(last)
	}
	return printCounts(s.Out, last)
}

func announce(w io.Writer, a protocol.Addresses) {
	for _, r := range protocol.Table {
		address := a[r.Name]
		if address == "" {
			continue
		}
		if r.Folder {
			fmt.Fprintf(w, "%s in %s\n", r.Title, address)
			continue
		}
		fmt.Fprintf(w, "%s on %s\n", r.Title, address)
		if !loopback(address) {
			fmt.Fprintf(w, "warning: %s can be reached from other machines, without any check of who sends\n", address)
		}
	}
}

// announceUnkept names the protocols whose spans are not kept.
func announceUnkept(w io.Writer, cfg sink.Config) {
	if cfg.Keep == "" {
		return
	}
	for _, r := range protocol.Table {
		if cfg.Listen[r.Name] != "" && r.Name != protocol.OTLPGRPC && r.Name != protocol.OTLPHTTP {
			fmt.Fprintf(w, "What comes over %s is counted, and not kept: --keep writes OTLP alone.\n", r.Title)
		}
	}
}

// announceKept prints how many spans are in the file, and how many came that are not.
func announceKept(w io.Writer, file string, last record.Counts, kept *keep.Counts) error {
	if kept == nil {
		return nil
	}
	text := fmt.Sprintf("kept %d %s in %s", kept.Kept, console.Noun(int(kept.Kept), "span"), file)
	if kept.Lost > 0 {
		text += fmt.Sprintf("; %d could not be written as fast as they came, or at all", kept.Lost)
	}
	if others := int64(last.Spans) - int64(kept.Kept+kept.Lost); others > 0 {
		text += fmt.Sprintf("; %d came by other protocols than OTLP, and are counted alone", others)
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// announceFaults prints the faults that the sink was asked to make.
func announceFaults(w io.Writer, cfg sink.Config) {
	var faults []string
	if cfg.Lose > 0 {
		faults = append(faults, fmt.Sprintf("throws away %.10g%% of the spans", cfg.Lose*100))
	}
	if cfg.Late > 0 {
		faults = append(faults, fmt.Sprintf("answers %v late", cfg.Late))
	}
	if cfg.Gone != "" {
		faults = append(faults, fmt.Sprintf("is %s", cfg.Gone))
	}
	if len(faults) > 0 {
		fmt.Fprintf(w, "By order the sink %s.\n", strings.Join(faults, ", "))
	}
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
	printed := progressLine(record.Counts{})
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

// This file reads a share on the command line.

// shareFlag is a flag for a share from 0 to 1, written as 3% or 0.03.
type shareFlag float64

// Set reads a share. The percent sign moves the decimal point rather than divides,
// so 33.3% is 0.333 and nothing beside it.
func (f *shareFlag) Set(text string) error {
	digits, percent := strings.CutSuffix(text, "%")
	if percent {
		digits += "e-2"
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return errors.New("not a share such as 3% or 0.03, from 0 to 100%")
	}
	*f = shareFlag(v)
	return nil
}

// String writes the share as a number.
func (f *shareFlag) String() string { return strconv.FormatFloat(float64(*f), 'g', -1, 64) }

// Type is the name of the value in help.
func (f *shareFlag) Type() string { return "share" }
