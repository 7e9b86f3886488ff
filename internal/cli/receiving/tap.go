package receiving

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink"
)

// NewTap is the sink between two programs: it passes every request on, and counts on a page what the next program took in.
func NewTap(s console.Streams) *cobra.Command {
	cfg := sink.Config{Listen: protocol.Addresses{}}
	var page string
	c := &cobra.Command{
		Use:  "tap",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runTap(c.Context(), s, cfg, page) },
	}
	sinkFlags(c.Flags(), &cfg)
	c.Flags().StringVar(&page, "page", "127.0.0.1:0", "`address` of the page of counters")
	return c
}

func runTap(ctx context.Context, s console.Streams, cfg sink.Config, page string) error {
	server, err := sink.Start(cfg)
	if err != nil {
		return fmt.Errorf("starting the tap: %w", err)
	}
	listener, err := net.Listen("tcp", page)
	if err != nil {
		return errors.Join(fmt.Errorf("starting the tap's page of counters: %w", err), server.Close())
	}
	pages := &http.Server{Handler: tapPage(server), ReadHeaderTimeout: cfg.HeaderTimeout}
	failed := make(chan error, 1)
	go func() { failed <- pages.Serve(listener) }()
	fmt.Fprintln(s.Err, "tap: passing on")
	select {
	case <-ctx.Done():
		err = nil
	case err = <-failed:
	}
	return errors.Join(err, pages.Close(), server.Close())
}

// tapPage is the page of counters, in Prometheus' text format. What the next program refused was not taken in: its sender was
// told so, and may send it again.
func tapPage(server *sink.Server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c := server.Snapshot().Counts
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		// An error says that the reader went away.
		_, _ = fmt.Fprintf(w, "# TYPE tap_forwarded_spans counter\ntap_forwarded_spans %d\n# TYPE tap_refused_spans counter\ntap_refused_spans %d\n", c.Forwarded, c.Refused)
	})
}
