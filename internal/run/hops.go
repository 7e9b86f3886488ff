// Hops: processes that the spans pass on their way from the traced processes to the sink: how they get each other's addresses,
// and when and how they are asked for counts.

package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/hop"
)

// layRoute writes the configurations of the hops and the backend, and points {sink.…} of all other processes at the first of them.
func (s *stage) layRoute() error {
	plan := s.request.Plan
	s.received = map[string]protocol.Addresses{"": s.agents.sink.Addresses()}
	for _, name := range slices.Backward(plan.Route()) { // each needs the address of the next
		p := plan.Process(name)
		file, err := s.hopConfig(p)
		if err != nil {
			return of(name, err)
		}
		s.values[name+".config"] = file
		values := s.valuesFor(*p)
		at := protocol.Addresses{}
		for protocol, text := range p.Service.Receives {
			if at[protocol], err = program.Expand(text, values); err != nil {
				return of(name, fmt.Errorf("hop %s: where it receives: %w", name, err))
			}
		}
		s.received[name] = at
	}
	if route := plan.Route(); len(route) > 0 {
		s.direct(s.values, s.received[route[0]])
	}
	return nil
}

// hopConfig returns the file for {config} of a hop.
func (s *stage) hopConfig(p *program.Process) (string, error) {
	if p.Config == "" {
		file, err := program.Expand(p.Service.Config, s.valuesFor(*p))
		if err != nil {
			return "", fmt.Errorf("hop %s: its configuration: %w", p.Name, err)
		}
		return file, nil
	}
	file := filepath.Join(s.scratch, p.Name+".config.yaml")
	if err := os.WriteFile(file, []byte(p.Config), 0o644); err != nil {
		return "", fmt.Errorf("writing the configuration of hop %s: %w", p.Name, err)
	}
	return file, nil
}

// route is the way of spans over the hops.
type route struct {
	counters []hop.Counter // in the order of a span's way
	last     []record.Hop  // their latest answers
	told     []record.Hop  // the part of them that is in the record
	ended    int           // the first ones, this many, have ended

	known   []record.Hop // the latest number of each that they reported
	restart []string     // the reason why an answer does not cover the whole run; "": none
}

// askOf notes how to ask each hop. All processes are there.
func (s *stage) askOf() error {
	for _, name := range s.request.Plan.Via {
		counter, err := s.counterOf(name)
		if err != nil {
			return err
		}
		s.route.counters = append(s.route.counters, counter)
	}
	if to := s.request.Plan.To; to != "" {
		counter, err := s.counterOf(to)
		if err != nil {
			return err
		}
		s.receiver = &backend{counter: counter, changed: time.Now()}
	}
	s.route.begin()
	return nil
}

// counterOf returns the counter of a process that spans go to.
func (s *stage) counterOf(name string) (hop.Counter, error) {
	p := s.request.Plan.Process(name)
	page, err := program.Expand(p.Service.Metrics, s.valuesFor(*p))
	if err != nil {
		return nil, of(name, fmt.Errorf("%s: its page of counters: %w", name, err))
	}
	logs := []hop.Lines{{Process: name, Speaks: true, Each: s.app(name).Log().Lines, Rest: s.app(name).Log().AfterCut}}
	return hop.Of(name, p.Service.Says, page, logs), nil
}

// ask asks all hops that still run, the first one first.
func (s *stage) ask(ctx context.Context) error {
	for i := s.route.ended; i < len(s.route.counters); i++ {
		if err := s.askOne(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) askOne(ctx context.Context, i int) error {
	said, err := s.route.counters[i].Read(ctx)
	if err != nil {
		return fmt.Errorf("asking hop %s for its spans: %w", s.route.counters[i].Name(), err)
	}
	s.route.note(i, said)
	return nil
}

// begin sets the state before the first question.
func (r *route) begin() {
	r.known, r.last, r.restart = make([]record.Hop, len(r.counters)), make([]record.Hop, len(r.counters)), make([]string, len(r.counters))
	for i, c := range r.counters {
		r.last[i] = record.Hop{Name: c.Name()}
	}
}

// note notes an answer of a hop. A number that fell shows that the hop has restarted, and lost its earlier counts.
func (r *route) note(i int, said record.Hop) {
	if r.restart[i] == "" && said.Unreported == "" {
		r.restart[i] = said.Minus(r.known[i]).Unreported
	}
	figures := said.Figures()
	for name, known := range r.known[i].Figures() {
		if *figures[name] != nil {
			*known = *figures[name]
		}
	}
	r.last[i] = said
}

// patienceWithCounters limits the wait for a hop to count what it has passed on.
const patienceWithCounters = time.Second

// hopsSince returns the hops' counts since the last call. came: all spans at the sink. A hop may count a batch only when it is
// answered, which the sink does after its own count.
func (s *stage) hopsSince(ctx context.Context, came uint64) ([]record.Hop, error) {
	if len(s.route.counters) == 0 {
		return nil, nil
	}
	if _, err := await(ctx, poll, patienceWithCounters, func() (bool, error) {
		err := s.ask(ctx)
		return !behind(s.route.last, came), err
	}); err != nil {
		return nil, err
	}
	before := s.route.told
	s.route.told = slices.Clone(s.route.last)
	if before == nil {
		return s.route.told, nil
	}
	return record.HopsMinus(s.route.told, before), nil
}

// behind reports whether a hop has not counted yet the spans of those after it: of a hop, or of the sink, with this many.
func behind(hops []record.Hop, came uint64) bool {
	for _, h := range slices.Backward(hops) {
		for _, n := range []*uint64{h.Received, h.Sent} {
			if n != nil && *n < came {
				return true
			}
		}
		if h.Received != nil {
			came = *h.Received
		}
	}
	return false
}

// holding watches whether hops still hold spans back.
type holding struct {
	spans int64 // held at the last answer; −1: not asked yet
	asked time.Time
}

// restOf reports whether no hop holds spans back, or as many as a while ago: it will not pass those on, or does not report
// their fate. It asks at most once a while: a page of counters costs the hop some CPU.
func (s *stage) restOf(ctx context.Context, h *holding, while time.Duration) (bool, error) {
	if len(s.route.counters) == 0 {
		return true, nil
	}
	if h.spans >= 0 && time.Since(h.asked) < while {
		return false, nil
	}
	if err := s.ask(ctx); err != nil {
		return false, err
	}
	var held int64
	for _, one := range s.route.last {
		waiting, known := one.Waiting()
		if known && waiting > 0 {
			held += waiting
		}
	}
	same := held == h.spans
	h.spans, h.asked = held, time.Now()
	return held == 0 || same, nil
}
