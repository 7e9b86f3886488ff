// The little server that the generator's capacity is measured against: it answers
// every request with the same few bytes, and does as little else as can be.

package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// Answering is the line that Answer writes once it can be asked.
type Answering struct {
	Address string `json:"address"`
}

// Answer serves HTTP/1.1 on a free port of loopback, with so many threads, until
// in ends or ctx does. It knows only requests without a body, and does not look
// at what they say. Its address is the line on out, as Answering.
func Answer(ctx context.Context, threads int, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	port := 0
	var running sync.WaitGroup
	errs := make([]error, max(threads, 1))
	var failed error
	for i := range errs {
		a, err := newAnswerer(port)
		if err != nil {
			failed = fmt.Errorf("starting the little server: %w", err)
			break
		}
		port = a.port
		running.Go(func() {
			errs[i] = a.run(ctx)
			stop() // all end with the first
		})
	}
	if failed == nil {
		failed = writeLine(out, Answering{net.JoinHostPort("127.0.0.1", fmt.Sprint(port))})
	}
	if failed != nil {
		stop()
	}
	go func() {
		// Whatever ends the input ends the server.
		_, _ = io.Copy(io.Discard, bufio.NewReader(in))
		stop()
	}()
	running.Wait()
	return errors.Join(append(errs, failed)...)
}
