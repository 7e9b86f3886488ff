// This file says what further steps of tracing add: variants of one tracer of which one
// runs all steps of the other and more, paired within blocks.
package analysis

import (
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/spec"
)

// stepsOf are the steps of tracing that a variant runs; false where its tracer does
// not say. What several settings leave is what all of them leave.
func stepsOf(v spec.Variant) ([]string, bool) {
	if v.Tracer == nil {
		return nil, false
	}
	left, told := slices.Clone(spec.Steps), false
	for _, setting := range v.Tracer.Settings {
		for _, choice := range setting.Choices {
			told = told || choice.Steps != nil
		}
		chosen, has := setting.Choices[v.Settings[setting.Name]]
		if !has || chosen.Steps == nil {
			continue
		}
		left = slices.DeleteFunc(left, func(step string) bool { return !slices.Contains(chosen.Steps, step) })
	}
	if !told {
		return nil, false
	}
	return left, true
}

// partial reports whether a variant leaves out steps of tracing, traces or spans on purpose. One
// whose tracer says nothing of that leaves out nothing.
func (s *study) partial(v spec.Variant) bool {
	if steps, told := stepsOf(v); told && len(steps) < len(spec.Steps) {
		return true
	}
	if v.LeavesOut(s.in.Experiment.Workload) {
		return true
	}
	if plan := s.in.Plans[v.Name]; plan != nil && tracerName(v) != spec.NoTracer && plan.Sampling < 1 {
		return true
	}
	return v.Tracer != nil && slices.ContainsFunc(v.Tracer.Settings, func(setting spec.Setting) bool {
		choice := setting.Choices[v.Settings[setting.Name]]
		return choice.Rationed || choice.Partial
	})
}

// increments are what each variant with known steps adds to the one of its tracer
// that runs the most of them without all; to the baseline where there is none.
func (s *study) increments() []finding.Increment {
	var out []finding.Increment
	for _, at := range s.cells() {
		how := s.loopOf(at)
		if how == searching {
			continue
		}
		for i, v := range s.variants[1:] {
			steps, known := stepsOf(v)
			if !known || len(steps) == 0 {
				continue
			}
			over, added := s.before(i+1, steps)
			if len(added) == len(spec.Steps) && !s.stepped(i+1) {
				continue // that is what the tracer costs, which is told already
			}
			for _, name := range incrementMetrics(how) {
				m, _ := s.named(name, at)
				if one, ok := s.increment(m, pair{variant: v.Name, against: over}, at); ok {
					one.Tracer, one.Steps = tracerName(v), added
					out = append(out, one)
				}
			}
		}
	}
	return out
}

// stepped reports whether another variant of the same tracer runs other steps.
func (s *study) stepped(i int) bool {
	steps, _ := stepsOf(s.variants[i])
	return slices.ContainsFunc(s.variants, func(other spec.Variant) bool {
		theirs, known := stepsOf(other)
		return known && tracerName(other) == tracerName(s.variants[i]) && !slices.Equal(theirs, steps)
	})
}

func incrementMetrics(how loop) []string {
	if how == saturating {
		return []string{metric.TimePerCall, metric.CPUPerOperation}
	}
	return []string{metric.CPUPerOperation}
}

// before is the variant that steps are held against, and the steps that it does not
// run. That is the one which the variant names, or the nearest that is named by those. Where
// none of them runs fewer steps, it is one of the same tracer with as many steps as may be, and
// of those the one that is most alike.
func (s *study) before(i int, steps []string) (over string, added []string) {
	v := s.variants[i]
	for _, j := range s.namedBefore(i) {
		if s.fewer(j, i, steps) {
			theirs, _ := stepsOf(s.variants[j])
			return s.variants[j].Name, without(steps, theirs)
		}
	}
	over, added = s.baseline, steps
	found, fewest := false, 0
	for j, other := range s.variants {
		if !s.fewer(j, i, steps) {
			continue
		}
		theirs, _ := stepsOf(other)
		left, apart := without(steps, theirs), differing(v, other)
		if !found || len(left) < len(added) || len(left) == len(added) && apart < fewest {
			found, over, added, fewest = true, other.Name, left, apart
		}
	}
	return over, added
}

// fewer reports whether variant j is of the tracer of variant i and runs some of these steps,
// and not all.
func (s *study) fewer(j, i int, steps []string) bool {
	theirs, known := stepsOf(s.variants[j])
	return j != i && known && tracerName(s.variants[j]) == tracerName(s.variants[i]) && len(theirs) > 0 && len(theirs) < len(steps) && within(theirs, steps)
}

// namedBefore are the variant that variant i is held against, the one that this is held
// against, and so on, nearest first.
func (s *study) namedBefore(i int) []int {
	var out []int
	for {
		name := s.variants[i].Against
		i = slices.IndexFunc(s.variants, func(v spec.Variant) bool { return name != "" && v.Name == name })
		if i < 0 || slices.Contains(out, i) {
			return out
		}
		out = append(out, i)
	}
}

func within(few, many []string) bool { return len(without(few, many)) == 0 }

func without(list, taken []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(taken, s) })
}

// differing counts the settings in which two variants of a tracer differ.
func differing(a, b spec.Variant) int {
	n := 0
	for name, value := range a.Settings {
		if b.Settings[name] != value {
			n++
		}
	}
	for name := range b.Settings {
		if _, has := a.Settings[name]; !has {
			n++
		}
	}
	return n
}

// increment is one metric of one pair.
func (s *study) increment(m measure, p pair, at cell.At) (finding.Increment, bool) {
	samples := s.samples(m, p, at)
	if len(samples) == 0 || estimate.AllZero(samples) {
		return finding.Increment{}, false
	}
	c := s.newClaim(m, p, at, samples)
	c.estimate(s.confidence(estimate.Confidence), s.quick())
	if s.duet() && m.Timed() {
		c.Absolute, c.Relative = bare(c.Absolute), bare(c.Relative)
	}
	one := finding.Increment{
		Operation: c.Operation, Parameter: c.Parameter, Variant: p.variant, Over: p.against, Metric: m.Name, Unit: m.Unit,
		Before: c.Baseline, Value: c.Value, Absolute: c.Absolute, Relative: c.Relative, Blocks: c.Blocks,
	}
	for _, name := range []string{p.variant, p.against} {
		if lost := 1 - s.share(name, at); lost > 1-finding.Lossless {
			one.Note = name + " lost " + finding.FormatValue(lost, "1") + " of its spans"
			break
		}
	}
	return one, true
}
