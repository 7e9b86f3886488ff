// Package jitter owns waits that keep step with nothing: neither with the kernel's tick nor with a program's timers, which
// would otherwise be met always or never. It must not know what is waited for.
package jitter

import (
	"math/rand/v2"
	"time"
)

// Around returns a random time between a half and three halves of d, d on average.
func Around(d time.Duration) time.Duration {
	return d/2 + time.Duration(rand.Int64N(max(1, int64(d))))
}

// Ticker sends the time on C again and again, d apart on average.
type Ticker struct {
	C     <-chan time.Time
	timer *time.Timer
	every time.Duration
}

// NewTicker returns a ticker whose first tick comes after Around(d). Whoever takes a tick calls Next for another one.
func NewTicker(d time.Duration) *Ticker {
	timer := time.NewTimer(Around(d))
	return &Ticker{C: timer.C, timer: timer, every: d}
}

// Next schedules the next tick.
func (t *Ticker) Next() { t.timer.Reset(Around(t.every)) }

// Stop ends the ticks.
func (t *Ticker) Stop() { t.timer.Stop() }
