// The warm-up that all operations share. What a program with a just-in-time compiler
// has compiled for one operation serves the next one; without this, the operation that
// comes first would be measured colder than the others.

package run

import (
	"context"
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// warmRounds is how often all operations are made in turn: what the later ones teach
// the compiler is then known to the earlier ones too.
const warmRounds = 2

// warmed is an operation's part of the warm-up that all share.
type warmed struct {
	load  record.Load
	sink  record.Counts
	hops  []record.Hop
	quiet bool
}

// warmAll makes all operations in turn, before the first of them is measured. Its
// operations and their spans are added to the warm-up of each operation's first phase.
// Where a pilot is to see how long a warm-up takes, nothing is warmed.
func (s *stage) warmAll(ctx context.Context) error {
	s.reached = s.record.Start.Sink
	whole, requests := s.request.Load.WarmupAll, s.request.Phases
	if whole <= 0 || s.request.Kind == record.Calibration {
		return nil
	}
	var firsts []int
	seen := map[string]bool{}
	for i, request := range requests {
		if request.Watched > 0 {
			return nil
		}
		if !seen[request.Operation.Name] {
			seen[request.Operation.Name] = true
			firsts = append(firsts, i)
		}
	}
	s.warmed = map[int]warmed{}
	for round := range warmRounds {
		for _, i := range firsts {
			w, err := s.warm(ctx, requests[i], whole/time.Duration(warmRounds*len(firsts)), s.warmed[i])
			if err != nil {
				return err
			}
			if round == warmRounds-1 && w.load.Completed == 0 && w.load.Started > 0 {
				return s.answeredBadly(requests[i].Operation, w.load)
			}
			s.warmed[i] = w
		}
	}
	return nil
}

// warm makes an operation for some time, at the rate of its phase or the first one of
// its search, however it is answered: a cold program may be late.
func (s *stage) warm(ctx context.Context, request PhaseRequest, length time.Duration, w warmed) (warmed, error) {
	operation := request.Asked()
	j, err := s.job(operation, request.Load, request.Parameter)
	if err != nil {
		return w, err
	}
	if request.Search != nil {
		first, _ := request.Search.Next(nil)
		j.Rate = first.Rate
	}
	j.Duration = length
	var did record.Load
	if err := s.turn.each(ctx, func() error { did, err = s.attempt(ctx, j); return err }); err != nil {
		return w, err
	}
	if w.load, err = w.load.Plus(did); err != nil {
		return w, fmt.Errorf("adding up the warm-up of operation %s: %w", operation.Name, err)
	}
	end, clean, err := s.drainWholly(ctx, s.reached, s.awaited(j.work, did.Started))
	if err != nil {
		return w, err
	}
	w.sink, w.quiet = w.sink.Plus(end.counts.Minus(s.reached)), clean
	s.reached = end.counts
	more, err := s.hopsSince(ctx, end.counts.Spans)
	w.hops = record.HopsPlus(w.hops, more)
	return w, err
}

// withWarmed adds an operation's part of the shared warm-up to its phase.
func (s *stage) withWarmed(phase record.Phase, i int) (record.Phase, error) {
	w, shared := s.warmed[i]
	if !shared {
		return phase, nil
	}
	var err error
	if phase.Warmup, err = phase.Warmup.Plus(w.load); err != nil {
		return phase, fmt.Errorf("adding up the warm-up of operation %s: %w", phase.Operation, err)
	}
	phase.WarmupSink = phase.WarmupSink.Plus(w.sink)
	phase.Hops = record.HopsPlus(phase.Hops, w.hops)
	phase.Quiet = phase.Quiet && w.quiet
	return phase, nil
}
