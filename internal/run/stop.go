package run

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/hop"
	"github.com/tracetax/tracetax/internal/sink"
)

// stop ends the app's processes as their users would, so tracers can flush, and records the final counts.
func (s *stage) stop(ctx context.Context) error {
	if err := s.askTracer(ctx); err != nil {
		return err
	}
	s.expectEnd()
	// Without the generator's open connections a server ends at once: Go's, for one, waits seconds for connections without a
	// request yet.
	begin := time.Now()
	if err := s.driver.Stop(ctx); err != nil {
		return err
	}
	if !s.by().EndsItself {
		begin = time.Now()
	}
	for _, level := range slices.Backward(s.levels) {
		var end []Process
		for _, p := range level {
			if !slices.Contains(s.request.Plan.Route(), p.Name) {
				end = append(end, s.app(p.Name))
			}
		}
		waits := time.Now()
		if err := s.awaitPackets(ctx, level); err != nil {
			return err
		}
		begin = begin.Add(time.Since(waits)) // no program's end takes that
		if err := s.watchEnd(func() error { return s.stopAll(ctx, end...) }); err != nil {
			return err
		}
	}
	s.record.Stop.Seconds = time.Since(begin).Seconds()
	if err := s.stopHops(ctx); err != nil {
		return err
	}
	seen, err := s.last(ctx)
	if err != nil {
		return err
	}
	if err := s.stopBackend(ctx, seen); err != nil {
		return err
	}
	life := seen.Counts
	files, err := s.countSpanFiles(ctx)
	if err != nil {
		return err
	}
	if len(s.request.Plan.Files) > 0 {
		life = life.Plus(files)
	}
	s.record.Life = life
	s.record.Stop.Sink = life.Minus(s.counted())
	s.hopsAtEnd()
	if err := s.admissions(ctx); err != nil {
		return err
	}
	if err := s.askPackets(ctx); err != nil {
		return err
	}
	if err := s.lookAtInstrumented(ctx); err != nil {
		return err
	}
	if err := s.readSigns(ctx, seen.Connections); err != nil {
		return err
	}
	if err := s.readElsewhere(ctx); err != nil {
		return err
	}
	if err := s.keepTraces(ctx); err != nil {
		return err
	}
	return s.stopSink(ctx)
}

// stopAll ends processes, all at the same time.
func (s *stage) stopAll(ctx context.Context, processes ...Process) error {
	killed, errs := make([]bool, len(processes)), make([]error, len(processes))
	var all sync.WaitGroup
	for i, p := range processes {
		patience := grace
		if slices.Contains(s.request.Deaf, p.Name()) {
			patience = deaf
		}
		all.Go(func() { killed[i], errs[i] = p.Stop(ctx, patience) })
	}
	all.Wait()
	for i, p := range processes {
		if errs[i] != nil {
			return of(p.Name(), fmt.Errorf("stopping process %s: %w", p.Name(), errs[i]))
		}
		if killed[i] {
			s.record.Stop.Killed, s.record.Stop.Deaf = true, append(s.record.Stop.Deaf, p.Name())
		}
	}
	return nil
}

// lastPatience limits the sink's time after the end of the processes; a variable for tests.
var lastPatience = grace

// last waits until the sink has received the spans sent before the end: the senders are gone, so the rest is in its sockets, or
// held back by a backend. If it is not quiet when patience ends, that is recorded.
func (s *stage) last(ctx context.Context) (sink.Snapshot, error) {
	still := 100 * time.Millisecond
	if to := s.request.Plan.To; to != "" {
		still = s.request.Plan.Process(to).Holds() + margin
	}
	start := time.Now()
	var seen sink.Snapshot
	quiet, err := await(ctx, s.receiver.every(), lastPatience+still, func() (bool, error) {
		var err error
		if seen, err = s.receiver.snapshot(ctx); err != nil {
			return false, err
		}
		return !s.exporting || seen.InFlight == 0 && seen.Since > still && time.Since(start) > still, nil
	})
	if err != nil {
		return sink.Snapshot{}, err
	}
	s.record.Stop.Unquiet = !quiet // an endless sender outside the run
	return seen, nil
}

// expectEnd allows processes to end from now on.
func (s *stage) expectEnd() { s.ending.Store(true) }

// stopHops ends the hops, the first one first, when all others have ended: each passes on the spans that it still holds, and
// reports a last time.
func (s *stage) stopHops(ctx context.Context) error {
	for i, c := range s.route.counters {
		if _, err := s.drainFor(ctx, record.Counts{}, -1, s.request.Plan.Passing); err != nil {
			return err
		}
		if err := s.askOne(ctx, i); err != nil {
			return err
		}
		if err := s.stopAll(ctx, s.app(c.Name())); err != nil {
			return err
		}
		if err := s.askEnded(ctx, i); err != nil {
			return err
		}
		s.route.ended = i + 1
	}
	return nil
}

// askEnded reads a stopped hop's final counts from its log. Counts read earlier from its page are kept.
func (s *stage) askEnded(ctx context.Context, i int) error {
	says := s.request.Plan.Process(s.route.counters[i].Name()).Service.Says
	if !slices.ContainsFunc(says, func(s program.Saying) bool { return s.Log != "" }) {
		return nil
	}
	before := s.route.last[i]
	if err := s.askOne(ctx, i); err != nil {
		return err
	}
	counted := hop.Counted(says)
	if len(counted) == 0 {
		return nil
	}
	last := &s.route.last[i]
	last.Unreported = before.Unreported
	figures := last.Figures()
	for name, figure := range before.Figures() {
		if *figures[name] == nil && slices.ContainsFunc(counted, func(s program.Saying) bool { return s.What == name }) {
			*figures[name] = *figure
		}
	}
	return nil
}

// hopsAtEnd records what the hops report of the whole run. A restarted hop has lost its earlier counts. A page that never
// showed the declared counters reports nothing.
func (s *stage) hopsAtEnd() {
	r := s.record
	r.Hops = slices.Clone(s.route.last)
	if s.route.told != nil {
		r.Stop.Hops = record.HopsMinus(r.Hops, s.route.told)
	}
	for i, why := range s.route.restart {
		if why != "" {
			r.Hops[i] = record.Hop{Name: r.Hops[i].Name, Source: r.Hops[i].Source, Unreported: why}
		}
	}
	for i, c := range s.route.counters {
		if hop.Seen(c) || r.Hops[i].Unreported != "" {
			continue
		}
		unreported := record.Hop{Name: c.Name(), Source: r.Hops[i].Source, Unreported: "its page has none of the counters that service.yaml names"}
		for _, hops := range s.allHops() {
			if i < len(hops) {
				hops[i] = unreported
			}
		}
	}
}

// allHops returns all lists of hops' counts in the record.
func (s *stage) allHops() [][]record.Hop {
	r := s.record
	all := [][]record.Hop{r.Hops, r.Start.Hops, r.Stop.Hops}
	for i := range r.Phases {
		all = append(all, r.Phases[i].Hops)
	}
	return all
}
