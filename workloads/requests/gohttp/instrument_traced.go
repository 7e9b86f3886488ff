//go:build otel || elastic

package main

import (
	"fmt"
	"os"
)

// databaseSpans reports whether the database is instrumented too. INSTRUMENT
// decides: neither tracer has a variable for what a Go program does in code.
func databaseSpans() (bool, error) {
	switch depth := os.Getenv("INSTRUMENT"); depth {
	case "", "database":
		return true, nil
	case "http":
		return false, nil
	default:
		return false, fmt.Errorf("INSTRUMENT is %q: use http or database", depth)
	}
}
