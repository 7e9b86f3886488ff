// Why a run failed: the failure that came first, in the words of the stage.
package run

import (
	"context"
	"errors"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
)

// cause returns why the run really ended: a process that died says more than the
// request that it did not answer, though its end may be seen a little later.
func (s *stage) cause(ctx context.Context, err error) error {
	var partner *partnerError
	if errors.As(context.Cause(ctx), &partner) {
		return partner
	}
	var died *process.DiedError
	if errors.As(context.Cause(ctx), &died) {
		return died
	}
	if ctx.Err() != nil || s.ending.Load() {
		return err
	}
	select {
	case <-ctx.Done():
		if errors.As(context.Cause(ctx), &died) {
			return died
		}
	case <-time.After(500 * time.Millisecond):
	}
	return err
}

// failure puts err into the record's words.
func (s *stage) failure(err error) *record.Failure {
	f := &record.Failure{Stage: s.name, Message: err.Error()}
	var partner *partnerError
	if errors.As(err, &partner) {
		return f // whose own record says more
	}
	var died *process.DiedError
	if errors.As(err, &died) {
		f.Process, f.Log = died.Process, died.Log
		return f
	}
	const lines = 10
	for _, p := range s.apps {
		if tail := p.Log().Tail(lines); len(tail) > 0 {
			f.Process, f.Log = p.Name(), tail
			break
		}
	}
	return f
}
