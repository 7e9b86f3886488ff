//go:build !linux

// The little server of systems without epoll.

package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
)

// Answering is the line that Answer writes once it can be asked.
type Answering struct {
	Address string `json:"address"`
}

// Answer serves HTTP/1.1 on a free port of loopback until in ends or ctx does;
// the number of threads is the Go runtime's. Its address is the line on out.
func Answer(ctx context.Context, _ int, in io.Reader, out io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("starting the little server: %w", err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		// Who does not read the answer is not served.
		_, _ = io.WriteString(w, "ok")
	})}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		// Whatever ends the input ends the server.
		_, _ = io.Copy(io.Discard, in)
		stop()
	}()
	context.AfterFunc(ctx, func() { _ = s.Close() })
	if err := writeLine(out, Answering{l.Addr().String()}); err != nil {
		return errors.Join(err, s.Close(), l.Close())
	}
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("the little server: %w", err)
	}
	return nil
}
