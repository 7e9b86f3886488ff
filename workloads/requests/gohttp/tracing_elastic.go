//go:build elastic

// With the tag elastic, requests are instrumented with apmhttp and the database
// with apmsql; the agent reads the ELASTIC_APM_* variables by itself.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"net/http"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"go.elastic.co/apm/module/apmhttp/v2"
	"go.elastic.co/apm/module/apmsql/v2"
	"go.elastic.co/apm/v2"
)

// traceHandler makes a transaction for each request but those that
// ELASTIC_APM_TRANSACTION_IGNORE_URLS names.
func traceHandler(handler http.Handler) http.Handler {
	return apmhttp.Wrap(handler)
}

// startTracing makes the agent, which otherwise the first request does.
func startTracing(context.Context) (stop func(context.Context) error, err error) {
	tracer := apm.DefaultTracer()
	tracer.SetLogger(agentLog{})
	return func(ctx context.Context) error {
		tracer.Flush(ctx.Done())
		tracer.Close()
		log.Print(report(tracer.Stats()))
		return nil
	}, nil
}

// report says what the agent threw away, as one line: transactions are spans too.
func report(s apm.TracerStats) string {
	return fmt.Sprintf("tracing: stopped, %d spans dropped, %d failed streams", s.SpansDropped+s.TransactionsDropped, s.Errors.SendStream)
}

func openDriver(url string) (*sql.DB, error) {
	traced, err := databaseSpans()
	if err != nil {
		return nil, err
	}
	if !traced {
		return sql.Open("pgx", url)
	}
	apmsql.Register("pgx", stdlib.GetDefaultDriver(), apmsql.WithDriverName("postgresql"), apmsql.WithDSNParser(parseDSN))
	return apmsql.Open("pgx", url)
}

// parseDSN tells the agent what it says of the database in each span; it knows
// the URLs of drivers of its own list only.
func parseDSN(url string) apmsql.DSNInfo {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return apmsql.DSNInfo{} // the driver refuses it with a better message
	}
	return apmsql.DSNInfo{Address: config.Host, Port: int(config.Port), Database: config.Database, User: config.User}
}

// agentLog takes the agent's own warnings and errors.
type agentLog struct{}

func (agentLog) Debugf(string, ...any) {}

func (agentLog) Warningf(format string, args ...any) { log.Printf("tracing: "+format, args...) }

func (agentLog) Errorf(format string, args ...any) { log.Printf("tracing: "+format, args...) }
