// This file sends a stream as fast as the receiver takes it.

package sinktest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Flood sends a stream from where the last call left it.
type Flood struct {
	Stream  *Stream
	Senders []Sender // each has one request under way

	sent atomic.Uint32
}

// Spans is the number of spans sent so far.
func (f *Flood) Spans() uint64 { return uint64(f.sent.Load()) * RequestSpans }

// Send sends the next requests, and returns when all are answered. It ends at the
// first error.
func (f *Flood) Send(ctx context.Context, requests int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var left atomic.Int64
	left.Store(int64(requests))
	failed := make([]error, len(f.Senders))
	var all sync.WaitGroup
	for i, sender := range f.Senders {
		all.Go(func() {
			var room []byte
			for left.Add(-1) >= 0 {
				room = f.Stream.Request(f.sent.Add(1), room)
				if err := sender.Send(ctx, room); err != nil {
					failed[i] = err
					cancel()
					return
				}
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}
