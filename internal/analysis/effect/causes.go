// The causes of an operation's cost: the number of samples behind them, the cost of profiling, and reasons for none.

package effect

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
)

const (
	addedMuch  = 0.2 // of the difference: what profiling added is marked beyond that
	fewUnruled = 10  // frames without a rule in the report
)

// Causes are those of all pairs and cells that were profiled.
func (s *Estimator) Causes(rules map[string]*profile.Rules, findings []finding.Finding) []finding.Causes {
	var out []finding.Causes
	for _, at := range s.Cells() {
		for _, p := range s.Pairs() {
			one, profiled := s.causesOf(p, at)
			if !profiled {
				continue
			}
			switch r := rules[p.Variant]; {
			case r != nil && len(one.Reasons) == 0:
				one.Advice = s.advice(r, p, at, findings)
			case r == nil && rules != nil && !s.untraced(p.Variant):
				unruled(&one)
			}
			out = append(out, one)
		}
	}
	for _, p := range s.Pairs() {
		if one, watched := s.startOf(p); watched {
			out = append(out, one)
		}
	}
	return out
}

// untraced reports whether a variant is the program as it is: there is no tracer that rules could be for.
func (s *Estimator) untraced(variant string) bool {
	i := slices.IndexFunc(s.Variants, func(v config.Variant) bool { return v.Name == variant })
	return i >= 0 && s.Variants[i].Untraced()
}

// unruled returns the reason that a variant has no rules: longer profiles would find no more of its tracer.
func unruled(c *finding.Causes) {
	for i, r := range c.Reasons {
		if r.Code == finding.WhyFewSamples {
			c.Reasons[i] = finding.Reason{Code: finding.WhyNoRules, Variant: c.Variant, Figures: []finding.Figure{
				{Name: "samples", Value: float64(c.Tracing), Unit: "count"}, {Name: "of", Value: float64(c.Samples), Unit: "count"},
			}}
		}
	}
}

// startOf returns the evidence for the parts of a pair's start.
func (s *Estimator) startOf(p dataset.Pair) (out finding.Causes, watched bool) {
	out = finding.Causes{Variant: p.Variant, Against: p.Against}
	for _, block := range s.BlocksOf(p.Variant, p.Against) {
		base, value := s.Both(p, block)
		for _, r := range []*dataset.Run{base, value} {
			if r.Cold == nil {
				continue
			}
			watched = true
			for _, by := range r.Cold.Profilers {
				if !slices.Contains(out.Profilers, by) {
					out.Profilers = append(out.Profilers, by)
				}
			}
			if r.Cold.Failure != "" && len(out.Reasons) == 0 {
				out.Reasons = append(out.Reasons, finding.Reason{Code: finding.WhyNoProfile, Variant: r.Variant, Said: r.Cold.Failure})
			}
		}
	}
	slices.Sort(out.Profilers)
	return out, watched
}

func (s *Estimator) causesOf(p dataset.Pair, at cell.At) (finding.Causes, bool) {
	out := finding.Causes{Operation: at.Operation, Parameter: at.Level.Map(), Variant: p.Variant, Against: p.Against}
	profiled := false
	unruled, tracer := map[string]float64{}, 0.0
	var added, differences []float64
	for _, block := range s.BlocksOf(p.Variant, p.Against) {
		base, value := s.Both(p, block)
		b, v := base.ByCell[at], value.ByCell[at]
		if b == nil || v == nil {
			continue
		}
		for what, to := range map[string]*int64{record.ForWall: &out.Waits, record.ForAlloc: &out.Allocated} {
			if beside := v.ProfiledOf(what); beside != nil {
				for _, one := range beside.Profiles {
					*to += one.Tracing
				}
			}
		}
		stretch := v.ProfiledOf(record.ForCPU)
		if profiled = profiled || stretch != nil; stretch == nil {
			continue
		}
		for _, one := range stretch.Profiles {
			out.Samples, out.Tracing = out.Samples+one.Samples, out.Tracing+one.Tracing
			all := float64(one.Program + one.Tracer + one.Runtime)
			tracer += float64(one.Tracer)
			if all == 0 {
				continue
			}
			for _, frame := range one.Unruled {
				unruled[frame.Name] += float64(frame.Amount)
			}
			if !slices.Contains(out.Profilers, one.Profiler) && one.Profiler != "" {
				out.Profilers = append(out.Profilers, one.Profiler)
			}
		}
		if again, known := cpuAgain(v, stretch); known {
			added = append(added, again)
		}
		if window, known := cpuEach(v); known {
			if of, known := cpuEach(b); known {
				differences = append(differences, window-of)
			}
		}
	}
	if !profiled {
		return out, false
	}
	slices.Sort(out.Profilers)
	for name, amount := range unruled {
		out.Unruled = append(out.Unruled, finding.UnruledFrame{Frame: name, Share: amount / tracer})
	}
	slices.SortFunc(out.Unruled, func(a, b finding.UnruledFrame) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Frame, b.Frame))
	})
	out.Unruled = out.Unruled[:min(len(out.Unruled), fewUnruled)]
	if len(added) > 0 && !s.Woven() {
		out.Added = claim.Interval(stats.SignedRank(added, s.Confidence(claim.Confidence)))
		out.AddedMuch = out.Added != nil && len(differences) > 0 && math.Abs(out.Added.Estimate) > addedMuch*math.Abs(stats.Center(differences))
	}
	out.WaitsLow = out.Waits > 0 && s.Restless(p) == nil && s.waitsLow(p, at)
	if out.Waits > 0 {
		out.WaitsSlower = s.waitsSlower(p, at)
	}
	out.Reasons = s.noCauses(p, at, out)
	return out, true
}

// Profiles are those behind the causes that have amounts, each once.
func (s *Estimator) Profiles(causes []finding.Causes) []finding.Profile {
	var out []finding.Profile
	for _, c := range causes {
		for _, variant := range []string{c.Against, c.Variant} {
			is := func(one finding.Profile) bool {
				return one.Variant == variant && one.Operation == c.Operation && maps.Equal(one.Parameter, c.Parameter)
			}
			if len(c.Reasons) > 0 || slices.ContainsFunc(out, is) {
				continue
			}
			for _, run := range s.RunsOf(variant) {
				phase := run.ByCell[cell.AtOf(c.Operation, c.Parameter)]
				if phase == nil {
					continue
				}
				for _, one := range measure.Profiles(phase) {
					one.Operation, one.Parameter, one.Variant, one.Block = c.Operation, c.Parameter, variant, run.Block
					out = append(out, one)
				}
			}
		}
	}
	return out
}

// advice returns the advice of the rules of a variant for the size of the causes in all of its runs.
func (s *Estimator) advice(rules *profile.Rules, p dataset.Pair, at cell.At, findings []finding.Finding) []finding.Advice {
	sum := &profile.Causes{All: profile.Amounts{Stage: map[string]int64{}, Task: map[string]int64{}}}
	for _, phase := range s.PhasesOf(p.Variant, at) {
		stretch := phase.ProfiledOf(record.ForCPU)
		if stretch == nil {
			continue
		}
		for _, one := range stretch.Profiles {
			sum.All.Owner[profile.Tracer] += one.Tracer
			for name, amount := range one.Stages {
				sum.All.Stage[name] += amount
			}
			for name, amount := range one.Tasks {
				sum.All.Task[name] += amount
			}
		}
	}
	var out []finding.Advice
	for _, a := range rules.Advice(sum) {
		if s.hasSetting(p.Variant, a.Setting) {
			continue
		}
		one := finding.Advice{Stage: a.Stage, Task: a.Task, Setting: a.Setting, Loses: a.Loses}
		for _, f := range findings {
			if f.Metric == metric.CPUPerOperation && f.Role == "" && f.Against == p.Variant && cell.AtOf(f.Operation, f.Parameter) == at && s.hasSetting(f.Variant, a.Setting) {
				one.Variant, one.Saves = f.Variant, f.Absolute
			}
		}
		out = append(out, one)
	}
	return out
}

// hasSetting reports whether a variant has these settings already.
func (s *Estimator) hasSetting(variant string, settings map[string]string) bool {
	i := slices.IndexFunc(s.Variants, func(v config.Variant) bool { return v.Name == variant })
	for name, value := range settings {
		if i < 0 || s.Variants[i].Settings[name] != value {
			return false
		}
	}
	return true
}

// cpuEach returns the CPU of an operation of a window, in all roles but the harness's.
func cpuEach(p *dataset.Phase) (float64, bool) {
	return dataset.Over(p.CPU(role.Charge{}), float64(p.Load.Started))
}

// cpuAgain is by how much an operation was dearer under the profiler than in the window.
func cpuAgain(p *dataset.Phase, again *record.Profiled) (float64, bool) {
	under := dataset.Phase{Phase: &record.Phase{Load: again.Load, Usage: again.Usage, DrainSeconds: again.DrainSeconds}, Idle: p.Idle}
	with, known := cpuEach(&under)
	window, both := cpuEach(p)
	return with - window, known && both && again.Failure == ""
}

// noCauses returns the reason why there are no amounts.
func (s *Estimator) noCauses(p dataset.Pair, at cell.At, found finding.Causes) []finding.Reason {
	var out []finding.Reason
	for _, variant := range []string{p.Against, p.Variant} {
		if why := s.unprofiled(variant, at); why != nil {
			out = append(out, *why)
		}
	}
	if why := s.Restless(p); why != nil { // the CPU that a cause is a share of is unknown
		out = append(out, *why)
	}
	if len(out) == 0 && found.Tracing < finding.LeastSamples {
		out = append(out, finding.Reason{Code: finding.WhyFewSamples, Variant: p.Variant, Figures: []finding.Figure{
			{Name: "samples", Value: float64(found.Tracing), Unit: "count"}, {Name: "least", Value: finding.LeastSamples, Unit: "count"},
		}})
	}
	return out
}

// unprofiled is the first reason why a variant has no profile on a cell.
func (s *Estimator) unprofiled(variant string, at cell.At) *finding.Reason {
	for _, p := range s.PhasesOf(variant, at) {
		said := ""
		switch stretch := p.ProfiledOf(record.ForCPU); {
		case stretch == nil:
			said = "it was not profiled in every run"
		case stretch.Failure != "":
			said = stretch.Failure
		default:
			for _, one := range stretch.Profiles {
				if said == "" && one.Failure != "" {
					said = one.Process + ": " + one.Failure
				}
			}
		}
		if said != "" {
			return &finding.Reason{Code: finding.WhyNoProfile, Variant: variant, Said: said}
		}
	}
	return nil
}

// seenOfCPU is the least share of the CPU that callers use in tracing for which samples by the clock on the wall see them in it.
// On a single CPU a profiler may only ever look when it is free.
const seenOfCPU = 0.8

// waitsLow reports whether callers were seen in tracing for less time than they use CPU in it, more or less than the other variant.
func (s *Estimator) waitsLow(p dataset.Pair, at cell.At) bool {
	apart := func(name string) float64 {
		m, _ := measure.Named(name, s.RegimeOf(at), false)
		return math.Abs(stats.Center(addsOf(m.Samples(s.Set, p, at))))
	}
	return apart(metric.Waits(metric.CPUTracing)) < seenOfCPU*apart(metric.CPUCallers)
}

// slight is the share of the other variant's operation below which it does not matter what a profiler adds to one: of a program
// that does nothing without a tracer, a profiler makes a multiple of nothing.
const slight = 0.1

// waitsSlower returns how many times as long an operation took in the stretches by the clock as in the windows: the centre over the
// runs, of the slower of the two variants. 0 where that is not known.
func (s *Estimator) waitsSlower(p dataset.Pair, at cell.At) (most float64) {
	var lasts, slower [2]float64
	for i, variant := range []string{p.Against, p.Variant} {
		var windows, times []float64
		for _, phase := range s.PhasesOf(variant, at) {
			stretch := phase.ProfiledOf(record.ForWall)
			if stretch == nil || stretch.Failure != "" {
				continue
			}
			window, known := measure.Lasted(&phase.Load)
			under, both := measure.Lasted(&stretch.Load)
			if known && both && window > 0 {
				windows, times = append(windows, window), append(times, under/window)
			}
		}
		if len(times) > 0 {
			lasts[i], slower[i] = stats.Center(windows), stats.Center(times)
		}
	}
	for i := range slower {
		if lasts[i] >= slight*lasts[1-i] {
			most = max(most, slower[i])
		}
	}
	return most
}

// explained reports whether there are amounts of a kind of causes of a pair on a cell.
func (s *Estimator) explained(p dataset.Pair, at cell.At) func(metric.Cause) bool {
	found, profiled := s.causesOf(p, at)
	return func(of metric.Cause) bool {
		switch {
		case of.Wait:
			return profiled && found.Waits >= finding.LeastSamples && !found.WaitsLow && found.WaitsSlower <= finding.MostSlower && s.Restless(p) == nil
		case of.Alloc:
			return profiled && found.Allocated >= finding.LeastSamples
		}
		return of.Axis == metric.Start || profiled && len(found.Reasons) == 0
	}
}
