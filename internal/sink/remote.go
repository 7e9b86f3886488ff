// A sink in a process of its own, over package lines: the conductor's side, and the sink's.

package sink

import (
	"context"
	"fmt"
	"io"

	"github.com/tracetax/tracetax/internal/lines"
	"github.com/tracetax/tracetax/internal/protocol"
)

// request is what the conductor asks: where the sink listens, or for what was counted.
type request struct {
	Addresses bool `json:"addresses,omitempty"`
}

// answer is what the sink answers.
type answer struct {
	Addresses protocol.Addresses `json:"addresses,omitempty"`
	Snapshot
}

// Remote drives a sink process. It is safe for concurrent use.
type Remote struct {
	addresses protocol.Addresses
	client    *lines.Client[request, answer]
}

// NewRemote greets a sink process, whose stdin and stdout are in and out. It fails if the process says that it cannot start, or
// ends.
func NewRemote(in io.WriteCloser, out io.Reader) (*Remote, error) {
	r := &Remote{client: lines.NewClient[request, answer](in)}
	go r.client.Listen(out, nil)
	a, err := r.client.Ask(context.Background(), request{Addresses: true})
	if err != nil {
		_ = r.client.Close() // that it could not start says more
		return nil, fmt.Errorf("starting the sink: %w", err)
	}
	r.addresses = a.Addresses
	return r, nil
}

// Addresses returns where the sink listens.
func (r *Remote) Addresses() protocol.Addresses { return r.addresses }

// Snapshot asks for what was counted so far.
func (r *Remote) Snapshot(ctx context.Context) (Snapshot, error) {
	a, err := r.client.Ask(ctx, request{})
	if err != nil {
		return Snapshot{}, fmt.Errorf("asking the sink what it counted: %w", err)
	}
	return a.Snapshot, nil
}

// Close ends the sink by closing its stdin; the process then ends by itself. It
// does not wait for that, and is no error if the process has ended before.
func (r *Remote) Close() error {
	if err := r.client.Close(); err != nil {
		return fmt.Errorf("closing the sink: %w", err)
	}
	return nil
}

// Serve runs a sink until in ends, or ctx does. One that cannot start says so to whoever asks.
func Serve(ctx context.Context, cfg Config, in io.Reader, out io.Writer) (err error) {
	server, cannot := Start(cfg)
	if cannot == nil {
		defer func() {
			if closeErr := server.Close(); err == nil {
				err = closeErr
			}
		}()
	}
	err = lines.NewServer[request, answer](in, out).Serve(ctx, func(_ context.Context, r request) (answer, error) {
		switch {
		case cannot != nil:
			return answer{}, cannot
		case r.Addresses:
			return answer{Addresses: server.Addresses()}, nil
		}
		return answer{Snapshot: server.Snapshot()}, nil
	})
	switch {
	case cannot != nil:
		return cannot
	case ctx.Err() != nil:
		return nil // it was told to end
	}
	return err
}
