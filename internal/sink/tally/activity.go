// This file knows when a sink is quiet: no request under way, and none for a while.

package tally

import (
	"sync/atomic"
	"time"
)

// Activity remembers when a request last arrived or finished, or bytes of a stream came.
type Activity struct {
	begun    time.Time
	last     atomic.Int64 // ns after begun
	inFlight atomic.Int64
}

func (a *Activity) start() { a.begun = time.Now() }

// Arrived notes the arrival of a request, before its body is read.
func (a *Activity) Arrived() {
	a.inFlight.Add(1)
	a.last.Store(int64(time.Since(a.begun)))
}

// Finished notes that a request is counted or refused.
func (a *Activity) Finished() {
	a.last.Store(int64(time.Since(a.begun)))
	a.inFlight.Add(-1)
}

// Heard notes that bytes of a stream have come that is not a request under way: a
// stream may be open for as long as its sender lives.
func (a *Activity) Heard() { a.last.Store(int64(time.Since(a.begun))) }

// InFlight is the number of requests that have arrived and not finished.
func (a *Activity) InFlight() int { return int(a.inFlight.Load()) }

// Since is the time since a request last arrived or finished; since the start if
// none has.
func (a *Activity) Since() time.Duration {
	return max(0, time.Since(a.begun)-time.Duration(a.last.Load()))
}
