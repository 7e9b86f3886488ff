package agent

// This file is tracetax agent hello: a minimal service, for where there is no Go to build one.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
)

func newHello() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:   "hello",
		Short: "A minimal HTTP service, to measure this machine's noise on",
		Args:  console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return fmt.Errorf("listening for the minimal service: %w", err)
			}
			return serveHello(c.Context(), l)
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "`address` to listen on")
	return c
}

// serveHello serves on l until ctx ends.
func serveHello(ctx context.Context, l net.Listener) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		// An error means that the client is gone: there is nobody to tell.
		_, _ = w.Write([]byte(`{"message":"hello","number":42}` + "\n"))
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}
