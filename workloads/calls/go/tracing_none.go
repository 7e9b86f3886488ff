//go:build !otel && !elastic

// Without a tag there is no tracing, and no tracer is linked.
package main

import (
	"context"
	"time"
)

func startTracing(context.Context) (stop func(context.Context) error, err error) {
	return func(context.Context) error { return nil }, nil
}

func outerCall(busy time.Duration, depth int) int { return monitoredFunction(busy, depth) }

// monitoredFunction calls itself until depth calls lie in one another; the innermost
// works. It returns the number of calls, so none can be left out unseen.
func monitoredFunction(busy time.Duration, depth int) int {
	if depth > 1 {
		return 1 + monitoredFunction(busy, depth-1)
	}
	burn(busy)
	return 1
}
