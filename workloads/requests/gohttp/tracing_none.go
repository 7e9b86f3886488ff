//go:build !otel && !elastic

// Without a tag there is no tracing, and no tracer is linked.
package main

import (
	"context"
	"database/sql"
	"net/http"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
)

func startTracing(context.Context) (stop func(context.Context) error, err error) {
	return func(context.Context) error { return nil }, nil
}

func traceHandler(handler http.Handler) http.Handler { return handler }

func openDriver(url string) (*sql.DB, error) { return sql.Open("pgx", url) }
