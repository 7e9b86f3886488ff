// This file holds what the receivers over gRPC and HTTP share.

package otlp

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

// Limits bound what a sender can make a receiver hold, and for how long.
type Limits = wire.Limits

// Receiver counts OTLP requests in a tally.
type Receiver struct {
	*wire.Intake
	passer Passer // nil: what comes over gRPC is not passed on

	admitted atomic.Int64 // gRPC requests whose header has come, and that have not ended
}

// Passer passes a message on that came over gRPC, and returns what answers it.
type Passer interface {
	Pass(ctx context.Context, method string, m *wire.Message) (answer []byte, err error)
}

// PassOn has everything that comes over gRPC passed on, from before it is served.
func (r *Receiver) PassOn(p Passer) { r.passer = p }

// New returns a receiver that counts in total, and answers each request that it has
// accepted so late.
func New(total *tally.Total, limits Limits, late time.Duration) *Receiver {
	return On(wire.NewIntake(total, limits, late))
}

// On returns a receiver that shares its limits and turns with others.
func On(in *wire.Intake) *Receiver { return &Receiver{Intake: in} }
