// What the tracer says of its spans: on pages of counters, as long as its processes are there, and in their logs.

package run

import (
	"context"
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/hop"
)

// theTracer is what a tracer is called where it is asked.
const theTracer = "the tracer"

// askTracer reads the pages of counters of the traced processes: when everything has been measured, and before they stop.
// Those of several processes add up.
func (s *stage) askTracer(ctx context.Context) error {
	var err error
	s.paged, err = s.pagesOf(ctx, hop.Counted(s.request.Plan.Says))
	return err
}

// tracedSince is how many traces the tracer decided for, by chance, since it was last asked; nil where it does not say, or
// did not the last time. Of several processes each may count the same traces; and while all operations are warmed together
// nobody can tell whose they are.
func (s *stage) tracedSince(ctx context.Context) (*uint64, error) {
	pages := 0
	for _, p := range s.request.Plan.Processes {
		if p.Page != "" {
			pages++
		}
	}
	says := slices.DeleteFunc(hop.Counted(s.request.Plan.Says), func(s config.Saying) bool { return s.What != config.SaysTraced })
	if len(says) == 0 || pages != 1 || len(s.warmed) > 0 {
		return nil, nil
	}
	page, err := s.pagesOf(ctx, says)
	before := s.traced
	if s.traced = nil; page != nil {
		s.traced = page.Traced
	}
	return since(before, s.traced), err
}

// since is by how much a count grew; nil where either is not known, or it shrank: its process has started anew.
func since(before, now *uint64) *uint64 {
	if before == nil || now == nil || *now < *before {
		return nil
	}
	grown := *now - *before
	return &grown
}

// pagesOf reads what is said on the pages of counters of all traced processes; nil where there is none.
func (s *stage) pagesOf(ctx context.Context, says []config.Saying) (*record.Hop, error) {
	var all *record.Hop
	for _, p := range s.request.Plan.Processes {
		if p.Page == "" {
			continue
		}
		page, err := config.Expand(p.Page, s.valuesFor(p))
		if err != nil {
			return nil, of(p.Name, fmt.Errorf("the tracer's page of counters of process %s: %w", p.Name, err))
		}
		counter := &hop.Page{Hop: theTracer, URL: page, Says: says}
		said, err := counter.Read(ctx)
		if err != nil {
			return nil, of(p.Name, fmt.Errorf("asking the tracer of process %s for its spans: %w", p.Name, err))
		}
		if said.Untold == "" && !counter.Seen() {
			said = record.Hop{Name: said.Name, Source: said.Source} // also what is none where it is not there
			said.Untold = "the page of counters of process " + p.Name + " has none of those that tracer.yaml names"
		}
		if all != nil {
			said = all.Plus(said)
		}
		all = &said
	}
	return all, nil
}

// admissions puts into the record what the tracer said: on the pages before the stop, and in the logs, which are whole
// when all processes have ended.
func (s *stage) admissions(ctx context.Context) error {
	plan := s.request.Plan
	var said []record.Hop
	if s.paged != nil {
		said = append(said, *s.paged)
	}
	if logged := hop.Logged(plan.Says); len(logged) > 0 {
		var logs []hop.Lines
		for _, p := range s.apps {
			if slices.Contains(plan.Route(), p.Name()) {
				continue
			}
			traced := slices.ContainsFunc(plan.Processes, func(planned config.Process) bool { return planned.Traced && planned.Name == p.Name() })
			logs = append(logs, hop.Lines{Process: p.Name(), Speaks: traced, Each: p.Log().Lines, Rest: p.Log().AfterCut})
		}
		one, err := hop.Log{Hop: theTracer, Says: logged, Logs: logs}.Read(ctx)
		if err != nil {
			return err
		}
		said = append(said, one)
	}
	all, to := hop.Together(theTracer, plan.Says, said), &s.record.Tracer
	to.Sampled, to.Dropped, to.Failed, to.Sent, to.Source, to.Untold = all.Sampled, all.Dropped, all.Failed, all.Sent, all.Source, all.Untold
	if to.Sent != nil {
		to.SentBy = record.ByMetrics
		if slices.ContainsFunc(hop.Logged(plan.Says), func(s config.Saying) bool { return s.What == config.SaysSent }) {
			to.SentBy = record.ByLog
		}
	}
	return nil
}
