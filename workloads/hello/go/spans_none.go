//go:build synthetic && !spans

// The program that makes spans is another one: OpenTelemetry in this one would make
// the other known costs differ from the plain program by its memory.
package main

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// spansSuffix is what the program with spans is called more than this one, beside it.
const spansSuffix = "-spans"

// startSpans goes on as the program that makes them, in the same process.
func startSpans(context.Context) (spans, error) {
	self, err := os.Executable()
	if err == nil {
		err = unix.Exec(self+spansSuffix, os.Args, os.Environ())
	}
	return nil, fmt.Errorf("going on as the program that makes spans, %s: %w", self+spansSuffix, err)
}
