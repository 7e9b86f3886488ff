//go:build elastic

// With the tag elastic, an outer call is a transaction of Elastic APM, and the
// function makes a span of each call; the agent reads the ELASTIC_APM_* variables.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"go.elastic.co/apm/v2"
)

func outerCall(busy time.Duration, depth int) int {
	transaction := apm.DefaultTracer().StartTransaction("call", "custom")
	defer transaction.End()
	return monitoredFunction(apm.ContextWithTransaction(context.Background(), transaction), busy, depth)
}

// monitoredFunction calls itself until depth calls lie in one another; the innermost
// works. It returns the number of calls.
func monitoredFunction(ctx context.Context, busy time.Duration, depth int) int {
	span, ctx := apm.StartSpan(ctx, "monitoredFunction", "custom")
	defer span.End()
	if depth > 1 {
		return 1 + monitoredFunction(ctx, busy, depth-1)
	}
	burn(busy)
	return 1
}

// startTracing makes the agent, which otherwise the first transaction does.
func startTracing(context.Context) (stop func(context.Context) error, err error) {
	agent := apm.DefaultTracer()
	agent.SetLogger(agentLog{})
	return func(ctx context.Context) error {
		agent.Flush(ctx.Done())
		agent.Close()
		stats := agent.Stats() // transactions are spans too
		log.Print(fmt.Sprintf("tracing: stopped, %d spans dropped, %d failed streams", stats.SpansDropped+stats.TransactionsDropped, stats.Errors.SendStream))
		return nil
	}, nil
}

// agentLog takes the agent's own warnings and errors.
type agentLog struct{}

func (agentLog) Debugf(string, ...any) {}

func (agentLog) Warningf(format string, args ...any) { log.Printf("tracing: "+format, args...) }

func (agentLog) Errorf(format string, args ...any) { log.Printf("tracing: "+format, args...) }
