// Synthetic searches, sweeps and pilots, on top of the scene's records.

package analysis_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// wobble is noise of one run, the same for the same run.
func wobble(r *record.Record, what string, deviation float64) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, r.Variant, r.Block, what)
	return math.Exp(deviation * rand.New(rand.NewPCG(h.Sum64(), 1)).NormFloat64())
}

// capacities is a scene whose phases are searches; rate is what they find.
func capacities(rate map[string]float64) scene {
	s := twoVariants()
	s.design = func(e *config.Experiment) {
		e.Load.Rate = 0
		e.Load.Capacity = &config.Capacity{Goal: config.GoalCPU, CPU: 0.75, Method: config.MethodFit}
	}
	s.change = func(r *record.Record) {
		for i := range r.Phases {
			p := &r.Phases[i]
			found := rate[r.Variant] * wobble(r, p.Operation, 0.01)
			p.Capacity = &record.Capacity{
				Goal: "cpu", Target: 0.75, Method: "fit", Outcome: record.Found, Rate: found, Passing: found, Failing: 1.05 * found,
				Binding: "quota", Linear: true, Base: 0.02, Demand: 0.73 / found, Seconds: 12,
			}
			for _, share := range []float64{0.3, 0.6, 1} {
				p.Capacity.Probes = append(p.Capacity.Probes, record.Probe{
					Purpose: "probe", Rate: share * found, Utilisation: 0.02 + 0.73*share, Passed: true, Held: true,
				})
			}
			p.Capacity.Probes[2].Purpose, p.OfferedRate = "verify", found
		}
	}
	return s
}

// also adds to what a scene changes.
func (s *scene) also(change func(*record.Record)) {
	before := s.change
	s.change = func(r *record.Record) {
		if before != nil {
			before(r)
		}
		change(r)
	}
}

// search changes the searches of one variant.
func search(variant string, change func(*record.Record, *record.Capacity)) func(*record.Record) {
	return func(r *record.Record) {
		for i := range r.Phases {
			if c := r.Phases[i].Capacity; c != nil && r.Variant == variant {
				change(r, c)
			}
		}
	}
}

// swept makes of each phase one for every level.
func swept(s scene, parameter string, levels []float64, shape func(r *record.Record, p *record.Phase, x float64)) scene {
	s.also(func(r *record.Record) {
		var all []record.Phase
		for _, p := range r.Phases {
			for _, x := range levels {
				one := p
				one.Parameter = map[string]string{parameter: fmt.Sprint(x)}
				one.Usage = append([]record.Usage(nil), p.Usage...)
				shape(r, &one, x)
				all = append(all, one)
			}
		}
		r.Phases = all
	})
	return s
}

// connections is a closed loop over levels whose throughput grows to a most.
func connections(noise float64, most float64, levels ...float64) scene {
	s := swept(twoVariants(), "connections", levels, func(r *record.Record, p *record.Phase, x float64) {
		p.OfferedRate, p.Connections = 0, int(x)
		rate := 100 * math.Min(x, most) * wobble(r, fmt.Sprint(x), noise)
		if r.Variant == "otel" {
			rate *= 0.8
		}
		n := uint64(rate * window)
		p.Load = record.Load{WallSeconds: window, Started: n, Completed: n}
		p.Usage[0].CPUSeconds *= float64(n) / (500 * window)
		p.Sink = record.Counts{Checking: true}
		if r.Variant == "otel" {
			p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = 3*n, n, n
		}
	})
	s.design = func(e *config.Experiment) {
		e.Load.Rate = 0
		for _, x := range levels {
			e.Load.Levels = append(e.Load.Levels, int(x))
		}
	}
	return s
}

// rates is an open loop over several rates.
func rates(levels ...float64) scene {
	s := twoVariants()
	s.latencies = true
	s.design = func(e *config.Experiment) { e.Load.Rate, e.Load.Rates = 0, levels }
	return swept(s, "rate", levels, func(r *record.Record, p *record.Phase, x float64) {
		n := uint64(x * window)
		share := float64(n) / float64(p.Load.Started)
		p.OfferedRate = x
		p.Load.Intended, p.Load.Started, p.Load.Completed = n, n, n
		p.Usage[0].CPUSeconds = (p.Usage[0].CPUSeconds-idling*drain)*share*wobble(r, fmt.Sprint(x), 0.005) + idling*drain
		p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = uint64(float64(p.Sink.Spans)*share), uint64(float64(p.Sink.Roots)*share), uint64(float64(p.Sink.Traces)*share)
	})
}

// pilot is what a pilot of a variant left.
func pilot(variant string, outcome record.Outcome, rate float64) record.Record {
	return record.Record{Schema: record.Schema, Kind: record.Pilot, Variant: variant, Phases: []record.Phase{{
		Operation: "json", Capacity: &record.Capacity{Goal: "cpu", Target: 0.75, Outcome: outcome, Rate: rate, Passing: rate},
	}}}
}
