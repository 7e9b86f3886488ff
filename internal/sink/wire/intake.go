// Package wire owns what receivers share between a socket and a tally: the limits,
// whose turn it is to be read, bodies and their decompression, answers, and the
// walking of JSON and protobuf where they lie. It must not know any protocol, nor
// the workload or what was expected.
package wire

import (
	"context"
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

// Intake is what receivers of requests share: where they count, their limits, and the
// turns in which bodies are read. It is safe for concurrent use.
type Intake struct {
	Total  *tally.Total
	Limits Limits
	Bodies Bodies

	late   time.Duration // waited before each answer
	places chan struct{} // one for each body that may be read at a time
}

// Busy tells a sender that it is not at fault.
const Busy = "the sink is busy with other requests; send again"

// NewIntake returns an intake whose receivers count in total, and answer each request
// that they have accepted so late.
func NewIntake(total *tally.Total, limits Limits, late time.Duration) *Intake {
	limits.Request += late // so that what was read in time can be answered
	return &Intake{Total: total, Limits: limits, late: late, places: make(chan struct{}, limits.Requests)}
}

// Enter waits for the turn to read a body; false if the request ended before.
func (in *Intake) Enter(ctx context.Context) bool {
	select {
	case in.places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// Leave ends the turn that Enter began.
func (in *Intake) Leave() { <-in.places }

// Linger makes an answer late. It ends early if the request does, as it does when
// the sender gives it up.
func (in *Intake) Linger(ctx context.Context) { Linger(ctx, in.late) }

// Linger waits so long, or until the request ends.
func Linger(ctx context.Context, late time.Duration) {
	if late == 0 {
		return
	}
	timer := time.NewTimer(late)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
