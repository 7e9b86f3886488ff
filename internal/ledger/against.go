// This file lets runs speak against their calibration: what its few operations made, thousands need not make.

package ledger

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// mostAlike is the share of an operation's traces that have to be of one size, so the larger ones are first ones.
const mostAlike = 0.9

// against replaces what calibrations taught of operations by what all runs show where they made fewer spans: the calibration was
// of first ones, each in a worker or with a cache of its own. A loss looks otherwise: it takes whole traces, or roots too.
func against(t Tracing, runs []Run) map[string]PerOperation {
	out := maps.Clone(t.Spans)
	if t.none() || t.random() || t.Decides || t.Buffers > 0 {
		return out
	}
	for name, per := range t.Spans {
		if per.How != Inferred || per.Later || per.Roots == nil || len(per.Services) > 1 {
			continue
		}
		var all record.Shapes
		operations, plain := uint64(0), true
		for _, run := range runs {
			begun := run.begun(t)
			for _, s := range run.Phases {
				if _, level := t.Spans[s.Level]; s.Started == 0 || s.Level != name && (level || s.Operation != name) {
					continue
				}
				s.Sink, _ = s.Sink.OfOperations(begun)
				plain = plain && s.everyRoot(per)
				operations, all = operations+s.Started, record.Counts{Shapes: all}.Plus(record.Counts{Shapes: s.Sink.Shapes}).Shapes
			}
		}
		if shown, is := per.shownBy(all, operations); plain && is {
			out[name] = shown
		}
	}
	return out
}

// everyRoot reports whether the root of every trace of a stretch came, and no span of these is reported as left out or lost.
func (s Stretch) everyRoot(per PerOperation) bool {
	if s.Completed < s.Started || s.Resent > 0 || !s.Sink.Whole() || len(s.Hops) > 0 || len(s.Sink.Services) > 1 {
		return false
	}
	if s.Sink.Merged+s.Sink.Suppressed+s.Sink.Rejected > 0 || s.Sink.Absent > 0 || len(s.Sink.Shapes) != len(per.Roots) {
		return false
	}
	for root, sizes := range s.Sink.Shapes {
		traces, _ := s.Sink.Shapes.Traces(root)
		negative := slices.ContainsFunc(slices.Collect(maps.Values(sizes)), func(n int64) bool { return n < 0 })
		if _, own := per.Roots[root]; !own || root == record.NoRoot || negative || traces == 0 || traces%int64(s.Started) != 0 {
			return false
		}
	}
	return s.Sink.Traces == tracesOf(s.Started, per)
}

// shownBy returns the number of spans that the traces of so many operations show; false if it is no less than was learnt, or
// may be a loss.
func (p PerOperation) shownBy(all record.Shapes, operations uint64) (PerOperation, bool) {
	if operations == 0 || operations < p.Agreed {
		return p, false
	}
	out := p
	out.Low, out.Roots, out.Services, out.Cold, out.Agreed, out.Shown = 0, map[string]int{}, nil, cold{}, operations, true
	for root := range p.Roots {
		traces, _ := all.Traces(root)
		usual := 0
		for size, n := range all[root] {
			if n > all[root][usual] {
				usual = size
			}
		}
		for size := range all[root] {
			if size < usual || size > p.Roots[root] {
				return p, false
			}
			if size > usual {
				out.Cold.add(root, size)
			}
		}
		alike := float64(all[root][usual]) / float64(traces)
		if alike < mostAlike || alike < 1 && !p.exact() { // a number that varies explains those too
			return p, false
		}
		out.Roots[root] = usual
		out.Low += float64(usual) * float64(traces) / float64(operations)
	}
	out.High = out.Low
	made, came := p.High*float64(operations), float64(all.Spans())
	roots := float64(operations) * p.traces()
	byChance := math.Pow(1-roots/made, made-came) // that a loss of so many takes no root
	return out, out.High < p.High && byChance < overlooked
}

// besides takes what came of a stretch beyond what was expected for what it is where its traces show that: spans beside the
// whole traces of all operations, or a number that varies. Neither proves a loss.
func (l *line) besides(s Stretch, per PerOperation) {
	more := -l.missing.high
	if !l.known || more <= 0 || per.Roots == nil || !tells(s.Sink, 1) {
		return
	}
	operations, largest := 0.0, 0
	complete := per.exact() && s.Started == s.Completed && s.Resent == 0
	for root, sizes := range s.Sink.Shapes {
		most, own := per.Roots[root]
		for size, n := range sizes {
			largest = max(largest, size)
			if own && root != record.NoRoot {
				if per.How == Declared && size > most { // the number is wrong
					return
				}
				operations += float64(n) * float64(most)
				complete = complete && n > 0 && size >= most
			}
		}
	}
	switch room := float64(largest)*float64(tracesOf(s.Started, per)) - l.expected.high; {
	case complete && operations == per.Low*float64(s.Started):
		l.spans[besides] += more
		l.widen(exactly(more))
	case s.Sink.Traces <= tracesOf(s.Started, per):
		l.varies = true
		l.widen(between{more, math.Max(more, room)})
	default:
		return
	}
	l.exact = false
}

// ofOthers reports whether traces of other operations may be among a stretch's: by their ids or, if the ids do not show
// it, because more traces came than its operations begin.
func (s Stretch) ofOthers(more bool) bool {
	var own uint64
	for root := range s.Sink.Own {
		traces, _ := s.Sink.Own.Traces(root)
		own += uint64(max(0, traces))
	}
	return own > s.Started+s.Resent || own < s.Started && more
}

// CameLate reports whether spans of an operation may have come with those of another one in any run.
func CameLate(t Tracing, runs ...Run) bool {
	for _, run := range runs {
		begun := run.begun(t)
		for _, s := range run.Phases {
			s.Sink, _ = s.Sink.OfOperations(begun)
			if s.ofOthers(seen(s.Sink) > tracesOf(s.Started+s.Resent, t.per(s))) {
				return true
			}
		}
	}
	return false
}

// lateIn returns the stretches of a calibration whose spans may have come with a later one, and those later ones: more traces
// came there than its operations begin, and fewer before. An operation begins one trace with the id that the load generator
// chose; traces with further ids are of others. Without ids it is unknown.
func lateIn(phases []Stretch, found []PerOperation) map[int]bool {
	late := map[int]bool{}
	for j, s := range phases {
		if !s.ofOthers(found[j].Traces > 1) {
			continue
		}
		for i := range phases[:j] {
			if found[i].known() && found[i].Traces < 1 {
				late[i], late[j] = true, true
			}
		}
	}
	return late
}

// varied adds how rare larger traces are over all runs, for operations of which the calibration or the runs show some.
func varied(t Tracing, spans map[string]PerOperation, runs []Run) map[string]PerOperation {
	if t.none() {
		return spans
	}
	t.Spans = spans
	many, all, top := map[string]float64{}, map[string]float64{}, map[string]int{}
	for _, run := range runs {
		begun := run.begun(t)
		for _, s := range run.Phases {
			name, per := s.Level, t.per(s)
			if _, level := spans[name]; !level || name == "" {
				name = s.Operation
			}
			if !per.exact() || per.How != Inferred || per.Roots == nil || per.Later || per.Shown {
				continue
			}
			own, _ := s.Sink.OfOperations(begun)
			if !tells(own, 1) {
				continue
			}
			traces, _, most := own.Shapes.Larger(per.Roots, per.Cold.in(s))
			many[name], all[name] = many[name]+float64(traces), all[name]+float64(own.Traces)
			top[name] = max(top[name], most)
		}
	}
	out := maps.Clone(spans)
	for name, traces := range all {
		per := out[name]
		if per.Above = max(per.Above, top[name]); per.Above > 0 {
			per.share = math.Min(1, (many[name]+chanced(many[name]))/traces)
			out[name] = per
		}
	}
	return out
}
