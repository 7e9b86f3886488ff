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
	late   time.Duration // waited before each answer
	places chan struct{} // one for each body that may be read at a time
	bodies bodies

	admitted atomic.Int64 // gRPC requests whose header has come, and that have not ended
}

// busy tells a sender that it is not at fault.
const busy = "the sink is busy with other requests; send again"

// New returns a receiver that counts in total, and answers each request that it has
// accepted so late.
func New(total *tally.Total, limits Limits, late time.Duration) *Receiver {
	limits.Request += late // so that what was read in time can be answered
	return &Receiver{total: total, limits: limits, late: late, places: make(chan struct{}, limits.Requests)}
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

// linger makes an answer late. It ends early if the request does, as it does when
// the sender gives it up.
func (r *Receiver) linger(ctx context.Context) {
	if r.late == 0 {
		return
	}
	timer := time.NewTimer(r.late)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
