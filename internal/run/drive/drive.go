// Package drive owns how operations are made to happen in a run: by requests of the load
// generator, or by orders to self-driving programs. It must not know phases,
// spans, nor what is used meanwhile. config.Manner is what others know of each.
package drive

import (
	"context"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// Driver makes the operations of one run, a stretch after the other. It is not safe for
// concurrent use.
type Driver interface {
	Teller
	// Prepare makes a stretch ready: whatever takes time besides its operations happens here.
	Prepare(context.Context, Stretch) (Armed, error)
	// Stop ends what makes the operations, as its user would, and waits for that.
	Stop(context.Context) error
	// Close gives up what a run that failed has left open.
	Close() error
}

// Armed is a stretch that is about to begin.
type Armed interface {
	// Run makes the operations, however they are answered. Nothing but that happens in it,
	// so that what is used may be read right before and after it.
	Run(context.Context) (record.Load, error)
	// Collect adds to what Run returned what takes CPU to come by. It is to be called after
	// the last reading of what the stretch used.
	Collect(context.Context, *record.Load) error
}

// Teller says what there is to say of operations without making any.
type Teller interface {
	// Check says why a stretch can never be made.
	Check(Stretch) error
	// Wrong says, as an error, that too many operations went wrong, and what to mend.
	Wrong(config.Operation, record.Load) error
	// Took is how long the operations of a stretch took, all added up, in seconds, where
	// that tells how fast they are made; else 0.
	Took(Stretch, record.Load) float64
}

// Stretch is an operation that is made for a time, or a number of times.
type Stretch struct {
	Operation config.Operation
	Load      config.Load // at one level: its connections or threads, its depth
	Purpose   Purpose
	Rate      float64       // operations/s; 0: as fast as it goes
	Duration  time.Duration // the longest; 0: Count ends it
	Count     uint64        // the most operations; 0: Duration ends it
	Seed      uint64
	Keep      string // a file in the results folder for every single duration; "": none
}

// Purpose is what a stretch is made for.
type Purpose int

// The purposes.
const (
	Warm    Purpose = iota // only the counts are of interest
	First                  // the first operation of the processes' life, alone
	Learn                  // one at a time, to learn what spans an operation makes
	Unasked                // as Learn, and the program is not asked to trace: the requests bring no ids
	Probe                  // the durations are of interest too
	Window                 // and what of memory is in use after it
)

// alone reports whether one operation is made at a time.
func (p Purpose) alone() bool { return p == First || p == Learn || p == Unasked }

// timed reports whether durations are of interest.
func (p Purpose) timed() bool { return p == First || p == Probe || p == Window }

// ProcessError is what went wrong with one process that is known.
type ProcessError struct {
	Process string
	Err     error
}

func (e *ProcessError) Error() string { return e.Err.Error() }

// Unwrap gives what went wrong.
func (e *ProcessError) Unwrap() error { return e.Err }
