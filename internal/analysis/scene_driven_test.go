// Synthetic self-driving workloads, on top of the scene's records.

package analysis_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// call is what a variant does in the synthetic method calls.
type call struct {
	perCall float64 // seconds that tracing adds to a call at any depth
	perSpan float64 // seconds that it adds to each call in the depth
	deeper  float64 // seconds that it adds besides to each call deeper than 16
	lost    float64 // share of the spans that its queue drops, and it says so
}

const callSeconds = 20e-9 // of an untraced call, for each in depth

// calls is a self-driving workload, unthrottled, at the depths given.
func calls(variants map[string]call, depths ...int) scene {
	s := twoVariants()
	s.blocks, s.rate = 8, 0
	s.variants = []actor{{name: "none", tracer: "none"}}
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		s.variants = append(s.variants, actor{name: name, tracer: name + "-java"})
	}
	s.design = func(e *config.Experiment) {
		e.Workload.Self = true
		e.Load = config.Load{Calls: 2000000, Threads: 1}
		if len(depths) == 1 {
			e.Load.Depth = depths[0]
		} else {
			e.Load.Depths = depths
		}
	}
	s.plan = func(p *config.Plan) { p.Spans = nil }
	s.change = func(r *record.Record) {
		template := r.Phases[0]
		r.Phases = nil
		for _, d := range depths {
			r.Phases = append(r.Phases, variants[r.Variant].phase(r, template, d, len(depths) > 1))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		for _, d := range depths {
			s.extra = append(s.extra, record.Record{Schema: record.Schema, Kind: record.Calibration, Variant: name, Phases: []record.Phase{{
				Operation: "json", Quiet: true, Load: record.Load{Started: 20, Completed: 20, Driven: &record.Driven{Depth: d}},
				Sink: record.Counts{Spans: 20 * uint64(d), Roots: 20, Traces: 20, Checking: true},
			}}})
		}
	}
	return s
}

// phase is a window of calls at one depth.
func (c call) phase(r *record.Record, template record.Phase, depth int, swept bool) record.Phase {
	const n = 1000000
	p := template
	p.Usage = append([]record.Usage(nil), template.Usage...)
	p.OfferedRate = 0
	if swept {
		p.Parameter = map[string]string{"depth": strconv.Itoa(depth)}
	}
	each := (callSeconds*float64(depth) + c.perCall + c.perSpan*float64(depth) + c.deeper*float64(max(0, depth-16))) * wobble(r, fmt.Sprint("call", depth), 0.01) * wobble(r, "run", 0.02)
	cpu := each * 0.9
	allocated, collections, seconds, heap := uint64(n*50*depth), uint64(40), 0.02, uint64(300e6)
	p.Load = record.Load{
		WallSeconds: each * n, Started: n, Completed: n,
		Driven: &record.Driven{
			Threads: 1, Depth: depth, CallSeconds: each * n, ThreadCPU: pointer(cpu * n), Allocated: &allocated,
			GCCount: &collections, GCSeconds: &seconds, HeapPeak: &heap, HeapLive: &heap,
		},
		Latency: spread(n, each),
		Lag:     spread(n, 0.2), // the program's own: it spoils nothing
	}
	p.Usage[1].CPUSeconds = 0 // nobody asks
	p.Usage[0].Seconds = p.Load.WallSeconds + drain
	p.Usage[0].CPUSeconds = (cpu+0.3*c.perSpan*float64(depth))*n + idling*drain
	p.Sink = record.Counts{Checking: true}
	if c.perSpan > 0 {
		made := uint64(n * depth)
		dropped := uint64(math.Round(c.lost * float64(made)))
		p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = made-dropped, n, n
		all := dropped
		if r.Tracer.Dropped != nil {
			all += *r.Tracer.Dropped
		}
		r.Tracer.Dropped = &all
	}
	return p
}

func pointer(v float64) *float64 { return &v }
