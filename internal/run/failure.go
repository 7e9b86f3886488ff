// Why a run failed: the failure that came first, in the words of the stage, and the process
// that it is of. Which one wrote something first says nothing of that.

package run

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/drive"
)

// portTaken is what programs write of a port that another took between its choice and its use.
var portTaken = regexp.MustCompile(`(?i)address already in use|EADDRINUSE`)

// lastWords is how long the end of a process may be heard of after what came of it.
const lastWords = 500 * time.Millisecond

// of is what went wrong with one process that is known.
func of(process string, err error) error { return &drive.ProcessError{Process: process, Err: err} }

// ownerOf is the process that an operation is asked of; "" where a mix asks several.
func ownerOf(o config.Operation, processes []config.Process) string {
	if len(o.Mix) == 0 {
		return o.Owner(processes).Name
	}
	name := ownerOf(o.Mix[0].Operation, processes)
	if slices.ContainsFunc(o.Mix, func(s config.Share) bool { return ownerOf(s.Operation, processes) != name }) {
		return ""
	}
	return name
}

// cause returns why the run really ended: a process that died says more than the
// request that it did not answer, though its end may be seen a little later.
func (s *stage) cause(ctx context.Context, err error) error {
	var beside *besideError
	if errors.As(context.Cause(ctx), &beside) {
		return beside
	}
	var died *process.DiedError
	if errors.As(context.Cause(ctx), &died) {
		return s.diedFirst(died)
	}
	if ctx.Err() != nil || s.ending.Load() {
		return err
	}
	select {
	case <-ctx.Done():
		if errors.As(context.Cause(ctx), &died) {
			return s.diedFirst(died)
		}
	case <-time.After(lastWords):
	}
	return err
}

// diedFirst is the end of the process that ended first. Another one may end because of
// that, and be heard of earlier, as it had less to write.
func (s *stage) diedFirst(heard *process.DiedError) *process.DiedError {
	first := heard
	patience, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	for _, p := range slices.Concat(s.agents.processes(), s.apps) {
		select {
		case <-p.Done():
		case <-patience.Done():
		}
		select {
		case <-p.Done():
		default:
			continue // it goes on
		}
		if died := p.Died(); died.Exit.At.Before(first.Exit.At) {
			first = died
		}
	}
	return first
}

// failure puts err into the record's words.
func (s *stage) failure(err error) *record.Failure {
	f := &record.Failure{Stage: s.name, Message: err.Error()}
	var beside *besideError
	if errors.As(err, &beside) {
		f.Stage = record.StageBlock // the record of the run that failed says more
		return f
	}
	var died *process.DiedError
	if errors.As(err, &died) {
		f.Code, f.Process, f.Log = record.Ended, died.Process, died.Log
		if slices.ContainsFunc(died.Log, portTaken.MatchString) {
			f.Code = record.PortTaken
		}
		return f
	}
	var one *drive.ProcessError
	if errors.As(err, &one) {
		const lines = 10
		f.Process = one.Process
		var not *process.NotReadyError
		if errors.As(err, &not) {
			f.Code = string(not.Place)
		}
		if app := s.app(one.Process); app != nil {
			f.Log = app.Log().Tail(lines)
		}
	}
	return f
}
