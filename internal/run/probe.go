package run

// One probe of a search: load at a rate, its cost, and the fate of its spans.

import (
	"context"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/derive"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run/drive"
)

// tried is a probe with the data that the phase needs.
type tried struct {
	probe record.Probe
	usage []record.Usage // until it was quiet
	end   drained        // the drain after it
	clean bool           // quiet in the end: none of its spans comes in the next probe
}

// try makes one probe. One that begins while spans of an earlier one may still
// come (not clean) is not quiet either: it might count them as its own.
func (s *stage) try(ctx context.Context, request PhaseRequest, j job, p record.Probe, counted record.Counts, clean bool) (tried, record.Counts, error) {
	if p.Seconds <= 0 {
		p.Seconds = request.Load.Duration.Seconds()
	}
	j.Rate, j.Duration = p.Rate, time.Duration(p.Seconds*float64(time.Second))
	j.Purpose = drive.Probe
	segment, err := s.driver.Prepare(ctx, j.Segment)
	if err != nil {
		return tried{}, counted, err
	}
	busy, own := s.busy(), s.own()
	beside, err := s.turn.marks()
	if err != nil {
		return tried{}, counted, err
	}
	before, err := s.meter.Mark()
	if err != nil {
		return tried{}, counted, err
	}
	threads, err := s.meter.Threads(role.Role.OnApp)
	if err != nil {
		return tried{}, counted, err
	}
	loaded := readings.Stretch{From: time.Now()}
	if p.Load, err = segment.Run(ctx); err != nil {
		return tried{}, counted, err
	}
	hot, err := s.meter.Threads(role.Role.OnApp)
	if err != nil {
		return tried{}, counted, err
	}
	asked, err := s.meter.Mark()
	if err != nil {
		return tried{}, counted, err
	}
	if err = s.meter.Sample(); err != nil {
		return tried{}, counted, err
	}
	loaded.To = time.Now()
	p.Usage = s.memoryIn(loaded, s.between(before, asked))
	idle, err := s.turn.usedSince(beside)
	if err != nil {
		return tried{}, counted, err
	}
	p.Others = s.cpus().Besides(busy, s.busy(), derive.UsedOf(p.Usage).And(idle), s.own()-own).Share()
	// Between the marks lie the generator's start and the encoding of its results
	// too, in which the app has nothing to do.
	p.Utilisation = s.utilisation(p.Usage, max(p.Seconds, p.Load.WallSeconds))
	p.HottestOf, p.Hottest = s.log().Hottest(threads, hot)
	ran := time.Now()
	held := request.Search.Held(p)
	calm := true
	if !held { // what it left would be charged to the next one
		if calm, err = s.calm(ctx, probeCalmFor, 0, probePatience); err != nil {
			return tried{}, counted, err
		}
	}
	end, ended, err := s.drainWholly(ctx, counted, s.awaited(j.work, p.Load))
	if err == nil && held {
		end, err = s.cool(ctx, end, s.request.Drain)
	}
	if err != nil {
		return tried{}, counted, err
	}
	took := time.Since(ran)
	after, err := s.meter.Mark()
	if err != nil {
		return tried{}, counted, err
	}
	if err := segment.Collect(ctx, &p.Load); err != nil {
		return tried{}, counted, err
	}
	p.Sink, p.Quiet, p.DrainSeconds = end.counts.Minus(counted), clean && end.quiet, took.Seconds()
	p.Expected, p.Lost = s.lost(j.work, p)
	p.Lost = s.outstanding.beyond(p.Lost, float64(s.spansMade(p.Sink))-p.Expected, float64(s.request.Plan.Buffers))
	p = request.Search.Judge(p)
	if !calm {
		p.Why += "; the app was still busy with it when patience ended"
	}
	return tried{probe: p, usage: s.memoryIn(loaded, s.between(before, after)), end: end, clean: ended}, end.counts, nil
}

// outstanding is the number of spans of the probes so far that may still come: the tracer keeps them until a buffer is full.
type outstanding float64

// beyond returns the number of spans that are surely lost: those owed so far with those missing of a probe, less more that came
// of the ones before, beyond the number that the tracer holds.
func (o *outstanding) beyond(missing, more, holds float64) float64 {
	due := max(0, float64(*o)+missing-max(0, more))
	*o = outstanding(min(due, holds))
	return due - float64(*o)
}

// lost returns the number of spans that operations answered as expected made, and the number of these that did not come; zeros
// if the first is not known exactly. Other operations may have made spans or not, so a probe with such may have lost more.
func (s *stage) lost(work string, p record.Probe) (expected, lost float64) {
	well := record.Load{Started: p.Load.Completed, Parts: slices.Clone(p.Load.Parts)}
	for i := range well.Parts {
		well.Parts[i].Started = well.Parts[i].Completed
	}
	expected = s.awaited(work, well)
	if !s.exporting || expected <= 0 {
		return 0, 0
	}
	return expected, max(0, expected-float64(s.spansMade(p.Sink)))
}
