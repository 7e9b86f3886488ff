// The cost of further steps of tracing: variants of one tracer, the one with all steps of the
// other and more, paired within blocks.

package effect

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/wording"
)

// Partial reports whether a variant leaves out steps of tracing, traces or spans on purpose. By
// default a tracer leaves out nothing.
func (s *Estimator) Partial(v config.Variant) bool {
	if steps := v.Steps(); steps != nil && len(steps) < len(program.Steps) {
		return true
	}
	if v.LeavesOut(s.Experiment.Workload) {
		return true
	}
	if plan := s.Plans[v.Name]; plan != nil && v.TracerName() != program.NoTracer && plan.Sampling < 1 {
		return true
	}
	return v.Tracer != nil && slices.ContainsFunc(v.Tracer.Settings, func(setting program.Setting) bool {
		choice := setting.Choices[v.Settings[setting.Name]]
		return choice.Rationed || choice.Partial
	})
}

// Increments returns the cost that each variant with known steps adds to the one of its tracer
// with the most of these steps; to the baseline if there is none.
func (s *Estimator) Increments() []finding.Increment {
	var out []finding.Increment
	for _, at := range s.Cells() {
		how := s.RegimeOf(at)
		if how == metric.Search {
			continue
		}
		for i, v := range s.Variants[1:] {
			steps := v.Steps()
			if len(steps) == 0 {
				continue
			}
			over, added := s.before(i+1, steps)
			if len(added) == len(program.Steps) && !s.stepped(i+1) {
				continue // that is the cost of the tracer, which has a finding
			}
			for _, name := range incrementMetrics(how) {
				m, _ := measure.Named(name, s.RegimeOf(at), at == cell.At{})
				if one, ok := s.increment(m, dataset.Pair{Variant: v.Name, Against: over}, at); ok {
					one.Tracer, one.Steps = v.TracerName(), added
					s.beside(&one, at)
					out = append(out, one)
				}
			}
		}
	}
	return out
}

// stepped reports whether another variant of the same tracer runs other steps.
func (s *Estimator) stepped(i int) bool {
	steps := s.Variants[i].Steps()
	return slices.ContainsFunc(s.Variants, func(other config.Variant) bool {
		theirs := other.Steps()
		return theirs != nil && other.TracerName() == s.Variants[i].TracerName() && !slices.Equal(theirs, steps)
	})
}

func incrementMetrics(how metric.Regimes) []string {
	if how == metric.Unthrottled {
		return []string{metric.TimePerCall, metric.CPUPerOperation}
	}
	return []string{metric.CPUPerOperation}
}

// before is the variant that steps are held against, and the steps that it does not
// run. That is the one which the variant names, or the nearest that is named by those. Where
// none of them runs fewer steps, it is one of the same tracer with as many steps as may be, and
// of those the one that is most alike.
func (s *Estimator) before(i int, steps []string) (over string, added []string) {
	v := s.Variants[i]
	for _, j := range s.namedBefore(i) {
		if s.fewer(j, i, steps) {
			theirs := s.Variants[j].Steps()
			return s.Variants[j].Name, without(steps, theirs)
		}
	}
	over, added = s.Baseline, steps
	found, fewest := false, 0
	for j, other := range s.Variants {
		if !s.fewer(j, i, steps) {
			continue
		}
		theirs := other.Steps()
		left, gap := without(steps, theirs), differing(v, other)
		if !found || len(left) < len(added) || len(left) == len(added) && gap < fewest {
			found, over, added, fewest = true, other.Name, left, gap
		}
	}
	return over, added
}

// fewer reports whether variant j is of the tracer of variant i and runs some of these steps,
// and not all.
func (s *Estimator) fewer(j, i int, steps []string) bool {
	theirs := s.Variants[j].Steps()
	return j != i && s.Variants[j].TracerName() == s.Variants[i].TracerName() && len(theirs) > 0 && len(theirs) < len(steps) && within(theirs, steps)
}

// namedBefore are the variant that variant i is held against, the one that this is held
// against, and so on, nearest first.
func (s *Estimator) namedBefore(i int) []int {
	var out []int
	for {
		name := s.Variants[i].Against
		i = slices.IndexFunc(s.Variants, func(v config.Variant) bool { return name != "" && v.Name == name })
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
func differing(a, b config.Variant) int {
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
func (s *Estimator) increment(m measure.Measure, p dataset.Pair, at cell.At) (finding.Increment, bool) {
	samples := m.Samples(s.Set, p, at)
	if len(samples) == 0 || claim.AllZero(samples) {
		return finding.Increment{}, false
	}
	c := s.newClaim(m, p, at, samples)
	c.estimate(s.Confidence)
	if s.Woven() && m.Timed() {
		c.Absolute, c.Relative = claim.Bare(c.Absolute), claim.Bare(c.Relative)
	}
	one := finding.Increment{
		Operation: c.Operation, Parameter: c.Parameter, Variant: p.Variant, Over: p.Against, Metric: m.Name, Unit: m.Unit,
		Before: float64(c.Baseline), Value: float64(c.Value), Absolute: c.Absolute, Relative: c.Relative, Blocks: c.Blocks,
	}
	for _, name := range []string{p.Variant, p.Against} {
		if s.isDark(name, at) {
			one.Notes = append(one.Notes, finding.Reason{Code: finding.WhyUntraced, Variant: name})
		} else if note := s.lossNote(name, at); note != nil {
			one.Notes = append(one.Notes, *note)
		}
	}
	one.Note = wording.Notes(one.Notes)
	return one, true
}

// stagesOf are the stages of tracing in which a profile sees what a step does.
var stagesOf = map[string][]string{
	"instrumentation": {"configuration", "instrumentation", "propagation"},
	"probe":           {"configuration", "instrumentation", "propagation"},
	"queue":           {"export"},
	"writing":         {"export"},
}

// beside sets the profiled costs of steps beside the CPU per operation that they add. The two may differ: with a step left
// out the others may cost something else, and a program that is slower when traced is in no stage.
func (s *Estimator) beside(i *finding.Increment, at cell.At) {
	pair := dataset.Pair{Variant: i.Variant, Against: i.Over}
	if !s.explained(pair, at)(metric.Cause{Axis: metric.Stage}) || i.Metric != metric.CPUPerOperation || i.Absolute == nil {
		return
	}
	whole, _ := measure.Named(i.Metric, s.RegimeOf(at), false)
	adds := addsOf(whole.Samples(s.Set, pair, at))
	found := make([]float64, len(adds))
	for _, step := range i.Steps {
		for _, stage := range stagesOf[step] {
			if !slices.Contains(i.Stages, stage) {
				i.Stages = append(i.Stages, stage)
			}
		}
	}
	for _, name := range metric.Causes(metric.Stage) {
		if !slices.Contains(i.Stages, metric.Must(name).Cause.Name) {
			continue
		}
		m, _ := measure.Named(name, s.RegimeOf(at), false)
		samples := m.Samples(s.Set, pair, at)
		if len(samples) != len(found) {
			i.Stages = nil
			return
		}
		for n, more := range addsOf(samples) {
			found[n] += more
		}
	}
	confidence := s.Confidence(claim.Confidence)
	i.Profiled = claim.Interval(stats.SignedRank(found, confidence))
	rest := stats.SignedRank(minus(adds, found), confidence)
	i.Disagree = rest.Bounded && (rest.Low > 0 || rest.High < 0) && math.Abs(rest.Center) > addedMuch*math.Abs(i.Absolute.Estimate)
}

// addsOf returns the addition in each block.
func addsOf(samples []finding.Sample) []float64 {
	base, value := claim.Sides(samples)
	return value.Minus(base).Values()
}

// The answers of two variants: if they differ, so does the work, and a difference in cost is not that of tracing.

// Smaller differences move no figure of use.
const (
	leastAnswers = 0.001 // of the answers had another status
	leastBodies  = 0.01  // of the bytes of a body
)

// workplace is a pair on a cell.
type workplace struct {
	dataset.Pair
	at cell.At
}

// OtherWork returns the difference beyond chance between the answers of a pair's variants on a cell; nil if there is none.
func (s *Estimator) OtherWork(pair dataset.Pair, at cell.At) *finding.Reason {
	where := workplace{pair, at}
	reason, known := s.otherWork[where]
	if !known {
		if reason = s.otherAnswers(pair, at); reason == nil {
			reason = s.otherBodies(pair, at)
		}
		if s.otherWork == nil {
			s.otherWork = map[workplace]*finding.Reason{}
		}
		s.otherWork[where] = reason
	}
	return reason
}

// otherAnswers compares the shares of each status by an exact test, corrected for all that are compared in the experiment.
// Counts that scatter over the blocks more than chance has it count for as much less.
func (s *Estimator) otherAnswers(pair dataset.Pair, at cell.At) *finding.Reason {
	value, base := s.PhasesOf(pair.Variant, at), s.PhasesOf(pair.Against, at)
	statuses := map[int]bool{}
	for _, p := range slices.Concat(value, base) {
		for status := range p.Load.Answers {
			statuses[status] = true
		}
	}
	chance := (1 - claim.Confidence) / float64(max(1, len(statuses)*len(s.Pairs())*len(s.Cells())))
	var most *finding.Reason
	largest := leastAnswers
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		a, n, of := answered(value, status)
		b, m, others := answered(base, status)
		if n == 0 || m == 0 {
			continue
		}
		scatter := 1.0
		if freedom := of.freedom + others.freedom; freedom > 0 {
			scatter = math.Max(1, (of.square+others.square)/float64(freedom))
		}
		less := func(count uint64) uint64 { return uint64(math.Round(float64(count) / scatter)) }
		share, other := float64(a)/float64(n), float64(b)/float64(m)
		if math.Abs(share-other) < largest || stats.SameShare(less(a), less(n), less(b), less(m)) >= chance {
			continue
		}
		largest = math.Abs(share - other)
		most = &finding.Reason{Code: finding.WhyAnswers, Variant: pair.Variant, Against: pair.Against, Figures: []finding.Figure{
			{Name: "status", Value: float64(status), Unit: "count"}, {Name: "share", Value: share, Unit: "1"}, {Name: "other", Value: other, Unit: "1"},
		}}
	}
	return most
}

// scatter returns the scatter of a share over blocks.
type scatter struct {
	square  float64
	freedom int
}

// answered counts the answers of a status, and all of them.
func answered(phases []*dataset.Phase, status int) (of, all uint64, over scatter) {
	var counts, totals []uint64
	for _, p := range phases {
		total := uint64(0)
		for _, n := range p.Load.Answers {
			total += n
		}
		counts, totals = append(counts, p.Load.Answers[status]), append(totals, total)
		of, all = of+p.Load.Answers[status], all+total
	}
	over.square, over.freedom = stats.Scatter(counts, totals)
	return of, all, over
}

// otherBodies compares the mean size of the bodies block by block: by an interval, or, where there are too few blocks for
// one, by whether all of them agree.
func (s *Estimator) otherBodies(pair dataset.Pair, at cell.At) *finding.Reason {
	var differences, value, base []float64
	for _, block := range s.BlocksOf(pair.Variant, pair.Against) {
		against, run := s.Both(pair, block)
		v, b := run.ByCell[at], against.ByCell[at]
		if v == nil || b == nil || v.Load.Completed == 0 || b.Load.Completed == 0 {
			continue
		}
		of, other := float64(v.Load.BodyBytes)/float64(v.Load.Completed), float64(b.Load.BodyBytes)/float64(b.Load.Completed)
		value, base = append(value, of), append(base, other)
		differences = append(differences, (of-other)/math.Max(1, (of+other)/2))
	}
	if len(differences) == 0 || math.Abs(stats.Center(differences)) < leastBodies || !sameSign(differences, s.Confidence(claim.Confidence)) {
		return nil
	}
	return &finding.Reason{Code: finding.WhyBodies, Variant: pair.Variant, Against: pair.Against, Figures: []finding.Figure{
		{Name: "bytes", Value: stats.Center(value), Unit: "bytes"}, {Name: "other", Value: stats.Center(base), Unit: "bytes"},
	}}
}

// sameSign reports whether differences are all above zero but for chance, or all below.
func sameSign(differences []float64, confidence float64) bool {
	if e := stats.SignedRank(differences, confidence); e.Bounded {
		return e.Low > 0 || e.High < 0
	}
	return slices.Min(differences) > 0 || slices.Max(differences) < 0
}
