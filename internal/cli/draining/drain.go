// Package draining owns the command that reads the rings of traced programs and delivers their spans. It must not know how rings are
// written, nor what a back end does with spans.
package draining

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/ring"
	"github.com/tracetax/tracetax/internal/ring/otlpout"
)

type options struct {
	folder   string
	http     string
	grpc     string
	count    bool
	empty    bool
	patience time.Duration
}

// New is the reader of rings as a program of its own.
func New(s console.Streams) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "drain [DIR]",
		Short: "Deliver the spans that the JVM tracer writes into rings, until Ctrl-C",
		Long: `Read the rings that JVMs with tracetax-agent.jar write below DIR, and send their spans
to an OTLP back end. Where no flag says where that is, OTEL_EXPORTER_OTLP_ENDPOINT and
its like do; --count sends nothing. While the back end does not answer, spans stay in
the rings, and the programs wait. What programs wrote before they were killed is
delivered too. The last line has the counts.

DIR is ` + "`/dev/shm/tracetax-UID`" + ` by default, as it is for the agent.`,
		Example: `  tracetax drain --otlp-grpc http://127.0.0.1:4317
  tracetax drain --count --until-empty`,
		Args: console.UsageArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			o.folder = ring.Default()
			if len(args) == 1 {
				o.folder = args[0]
			}
			to, err := o.where(os.Getenv)
			if err != nil {
				return console.UsageError(err)
			}
			return run(c.Context(), s, o, to)
		},
	}
	f := c.Flags()
	f.StringVar(&o.http, "otlp-http", "", "`URL` of a back end that takes OTLP over HTTP, such as http://127.0.0.1:4318")
	f.StringVar(&o.grpc, "otlp-grpc", "", "`URL` of a back end that takes OTLP over gRPC, such as http://127.0.0.1:4317")
	f.BoolVar(&o.count, "count", false, "count the spans, and send them nowhere")
	f.BoolVar(&o.empty, "until-empty", false, "end when no program is left, and all is delivered; at once if there is none")
	f.DurationVar(&o.patience, "patience", 10*time.Second, "how long to try to deliver the rest after Ctrl-C")
	return c
}

// where returns the options of the exporter; nil where spans are counted alone.
func (o options) where(getenv func(string) string) (*otlpout.Options, error) {
	if o.count {
		if o.http != "" || o.grpc != "" {
			return nil, errors.New("--count sends spans nowhere: leave out --otlp-http and --otlp-grpc, or --count")
		}
		return nil, nil
	}
	to, err := otlpout.Where(o.http, o.grpc, getenv)
	if errors.Is(err, otlpout.ErrNowhere) {
		return nil, fmt.Errorf("%w: give --otlp-http or --otlp-grpc, set OTEL_EXPORTER_OTLP_ENDPOINT, or count them alone with --count", err)
	}
	return &to, err
}

// outlet takes the spans, and counts their fates.
type outlet interface {
	ring.Handler
	Flush() error
	Close() error
	Counts() otlpout.Counts
}

// run drains until ctx is done, or nothing is left where that was asked for.
func run(ctx context.Context, s console.Streams, o options, to *otlpout.Options) (err error) {
	r, err := ring.Open(o.folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	// Delivery goes on for a while after ctx is done.
	sending, giveUp := context.WithCancelCause(context.WithoutCancel(ctx))
	defer giveUp(nil)
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(o.patience, func() {
			giveUp(fmt.Errorf("the back end did not take all within %v after the end was asked for", o.patience))
		})
	})()
	out := outlet(&counter{settled: map[*ring.Program]uint64{}})
	if to != nil {
		if out, err = otlpout.New(sending, *to, version()); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.Err, "Reading the rings in %s; Ctrl-C ends.\n", o.folder)
	notes := notes{to: s.Err, out: out, reader: r}
	failed := drain(ctx, r, out, func(ring.Progress) bool {
		notes.print(false)
		return o.empty && r.Counts().Live == 0
	})
	failed = errors.Join(failed, out.Close())
	notes.print(true)
	return report(s, r.Counts(), out.Counts(), failed)
}

// drain reads until ctx is done or over says so, and then once more; it returns when all that was read is delivered or lost.
func drain(ctx context.Context, r *ring.Reader, out outlet, over func(ring.Progress) bool) error {
	if err := r.Run(ctx, out, over); err != nil {
		return errors.Join(err, out.Flush())
	}
	if ctx.Err() != nil {
		if _, err := r.Pass(out); err != nil {
			return errors.Join(err, out.Flush())
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return r.Tidy(out)
}

// notes prints what goes wrong, once each.
type notes struct {
	to      io.Writer
	out     outlet
	reader  *ring.Reader
	refused int
	failure string
	next    time.Time
}

const noteEvery = 200 * time.Millisecond

func (n *notes) print(atOnce bool) {
	now := time.Now()
	if now.Before(n.next) && !atOnce {
		return
	}
	n.next = now.Add(noteEvery)
	c := n.reader.Counts()
	for _, text := range c.Refused[n.refused:] {
		fmt.Fprintf(n.to, "refused %s\n", text)
	}
	n.refused = len(c.Refused)
	if failure := n.out.Counts().Failure; failure != nil && failure.Error() != n.failure {
		n.failure = failure.Error()
		fmt.Fprintf(n.to, "delivering: %s\n", n.failure)
	}
}

// report prints the last line, and returns why not all is well.
func report(s console.Streams, read ring.Counts, sent otlpout.Counts, failed error) error {
	fmt.Fprintf(s.Err, "%d %s, %d %s, %d %s untraced; stamps were within %v of this machine's clock.\n",
		read.Programs, console.Noun(read.Programs, "program"), read.Rings, console.Noun(read.Rings, "ring"),
		len(read.Untraced), console.Noun(len(read.Untraced), "method"), read.ClockError)
	if _, err := fmt.Fprintln(s.Out, line(read, sent)); err != nil {
		return errors.Join(failed, fmt.Errorf("printing the counts: %w", err))
	}
	missing := read.Spans - sent.Delivered
	switch {
	case failed != nil:
		return fmt.Errorf("draining: %w", failed)
	case missing > 0:
		return fmt.Errorf("%d spans were not delivered: %w", missing, sent.Failure)
	case len(read.Refused) > 0:
		return fmt.Errorf("not all could be read: %s", read.Refused[0])
	}
	return nil
}

// line is the last line, for people and for programs: its words stay.
func line(read ring.Counts, sent otlpout.Counts) string {
	return fmt.Sprintf("drained %d spans of %d, %d left out, %d torn, %d unfinished, %d waits, %.3f s waited, longest %.3f s",
		sent.Delivered, read.Spans, read.LeftOut, read.Torn, read.Unfinished, read.Waits, read.Waited.Seconds(), read.Longest.Seconds())
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// counter is an outlet that sends nothing.
type counter struct {
	settled map[*ring.Program]uint64
	spans   uint64
}

// Take counts.
func (c *counter) Take(p *ring.Program, spans []ring.Span) error {
	c.settled[p] += uint64(len(spans))
	c.spans += uint64(len(spans))
	return nil
}

// Rest does nothing.
func (c *counter) Rest() error { return nil }

// Settled returns all that was counted.
func (c *counter) Settled(p *ring.Program) uint64 { return c.settled[p] }

// Forget drops what is kept of a program.
func (c *counter) Forget(p *ring.Program) { delete(c.settled, p) }

// Flush does nothing.
func (c *counter) Flush() error { return nil }

// Close does nothing.
func (c *counter) Close() error { return nil }

// Counts calls all delivered.
func (c *counter) Counts() otlpout.Counts { return otlpout.Counts{Delivered: c.spans} }
