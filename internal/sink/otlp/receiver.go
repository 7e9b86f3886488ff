// This file holds what the receivers over gRPC and HTTP share: the tally and the
// limits.
package otlp

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/sink/tally"
)

// Limits bound what a sender can make a receiver hold, and for how long.
type Limits struct {
	Body     int64         // bytes of one body, compressed and decompressed each
	Requests int           // bodies that may be read at a time; others wait
	Header   time.Duration // time for a connection's handshake or a request's header
	Request  time.Duration // time for a whole request
}

// Receiver counts OTLP requests in a tally.
type Receiver struct {
	total  *tally.Total
	limits Limits
	places chan struct{} // one for each body that may be read at a time

	admitted atomic.Int64 // gRPC requests whose header has come, and that have not ended
}

// busy tells a sender that it is not at fault.
const busy = "the sink is busy with other requests; send again"

// New returns a receiver that counts in total.
func New(total *tally.Total, limits Limits) *Receiver {
	return &Receiver{total: total, limits: limits, places: make(chan struct{}, limits.Requests)}
}

// enter waits for leave to read a body; false if the request ended before.
func (r *Receiver) enter(ctx context.Context) bool {
	select {
	case r.places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (r *Receiver) leave() { <-r.places }
