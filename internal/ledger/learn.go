// This file learns how many spans an operation makes from slow runs, in which
// nothing is lost and operations do not mix.

package ledger

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// Learn returns how many spans each operation of the calibration runs made. With
// random sampling it is spans per trace, taking it that an operation is a trace.
// Phases that have a level are learnt under the name of the operation at that level
// too.
// Operations that cannot be learnt from (nothing is sampled or sent, some of
// them failed, no trace came, the sink was never quiet) are absent. So are those without spans,
// unless others show that the tracer sends its spans in time: it may buffer them.
//
// A number is one (Low = High) only where all operations made it; how many these were is in
// Agreed, because a few cannot show what is rare. Traces that the operation does not begin are
// left out, by the names of their roots.
func Learn(calibrations []record.Record, sampling float64, silent bool) map[string]PerOperation {
	if silent || sampling <= 0 {
		return nil
	}
	learnt := map[string]PerOperation{}
	for i := range calibrations {
		if calibrations[i].Failed() {
			continue
		}
		elsewhere := passing(&calibrations[i])
		run := FromRecord(&calibrations[i])
		behind, prompt := holdsBack(&calibrations[i], run), false
		found := make([]PerOperation, len(run.Phases))
		for j, s := range run.Phases {
			p, ok := learn(s, sampling, elsewhere)
			if !ok || !calibrations[i].Phases[j].Quiet || behind && !p.oneTrace(s) {
				continue
			}
			found[j] = p
			prompt = prompt || p.High > 0 && (p.exact() || run.Start.Sink.Sum() > 0)
		}
		late := map[int]bool{}
		if sampling >= 1 {
			late = lateIn(run.Phases, found)
		}
		for j, s := range run.Phases {
			p := found[j]
			if !p.known() || late[j] || p.High == 0 && s.Sink.Sum() == 0 && (!prompt || behind) {
				continue
			}
			p.Cold = coldOf(&calibrations[i], run, found, p)
			for _, name := range slices.Compact([]string{s.Operation, s.Level}) {
				one := p
				if before, seen := learnt[name]; seen {
					one = p.and(before)
				}
				learnt[name] = one
			}
			delete(learnt, "")
		}
		learnt = withFirst(learnt, run.First)
		if p, ok := learnSetup(&calibrations[i], elsewhere); ok && sampling >= 1 {
			learnt[record.SetupOperation] = p
		}
	}
	return learnt
}

// learnSetup returns how many spans the requests of a calibration's setup made together: those of the ids that they brought or, if
// there are none, all but what comes at times of its own.
func learnSetup(r *record.Record, elsewhere map[string]timing) (PerOperation, bool) {
	c := r.Start.SetupSink
	if c == nil || c.Sum() > 0 && !c.Whole() {
		return PerOperation{}, false
	}
	var own, all int64
	for root := range c.Own {
		_, spans := c.Own.Traces(root)
		own += spans
	}
	for root := range c.Shapes {
		if _, spans := c.Shapes.Traces(root); elsewhere[root] == (timing{}) {
			all += spans
		}
	}
	if own == 0 {
		own = all
	}
	return PerOperation{Low: float64(own), High: float64(own), How: Inferred, Requests: r.Start.SetupRequests}, true
}

// Declare is a number that a workload declares, with what its calibrations taught besides. Where these made another number
// they lost spans, or the number is wrong, and do not show which traces an operation makes.
func Declare(low, high float64, learnt PerOperation) PerOperation {
	p := PerOperation{Low: low, High: high, Traces: learnt.Traces, How: Declared}
	if learnt.known() && learnt.Low <= high && learnt.High >= low {
		p.Roots, p.ByID, p.Services, p.Parents, p.Cold = learnt.Roots, learnt.ByID, learnt.Services, learnt.Parents, learnt.Cold
	}
	return p
}

// and combines two calibrations.
func (p PerOperation) and(q PerOperation) PerOperation {
	sum := p
	sum.Low, sum.High = math.Min(p.Low, q.Low), math.Max(p.High, q.High)
	sum.Agreed, sum.Parents, sum.ByID = 0, p.Parents && q.Parents, p.ByID && q.ByID
	if p.Agreed > 0 && q.Agreed > 0 && sum.Low == sum.High {
		sum.Agreed = p.Agreed + q.Agreed
	}
	sum.Cold, sum.Above = p.Cold.and(q.Cold), max(p.Above, q.Above)
	sum.Services = sameServices(p.Services, q.Services)
	if p.Roots == nil || q.Roots == nil {
		sum.Roots = nil
		return sum
	}
	sum.Roots = maps.Clone(p.Roots)
	for root, most := range q.Roots {
		sum.Roots[root] = max(sum.Roots[root], most)
	}
	return sum
}

// holdsBack reports whether spans of the first operation came only when others were made: then those that came in a stretch
// need not be of it. Where what came in the stretches is not what came of the run, it was found out otherwise.
func holdsBack(r *record.Record, run Run) bool {
	first := run.Start.Sink.Sum()
	if r.Start.OnceSink != nil {
		first -= min(first, r.Start.OnceSink.Sum())
	}
	sum := run.Start.Sink.Sum() + run.Stop.Sink.Sum() + r.Unasked.Spans()
	for _, s := range run.Phases {
		sum += s.Sink.Sum()
	}
	return run.First != "" && first == 0 && sum > 0 && sum == r.Life.Sum()
}

// oneTrace reports whether every operation of a stretch made one trace, and the same spans: no others are among them.
func (p PerOperation) oneTrace(s Stretch) bool {
	return p.exact() && p.High > 0 && seen(s.Sink) == s.Started
}

func learn(s Stretch, sampling float64, elsewhere map[string]timing) (PerOperation, bool) {
	if s.Started == 0 || s.Started != s.Completed {
		return PerOperation{}, false
	}
	roots, chosen := byID(s, elsewhere)
	if !chosen {
		roots = begun(s, elsewhere)
	}
	if sampling < 1 {
		roots, chosen = nil, false
	}
	all := s.Sink
	var others map[string]int64
	s.Sink, others = s.Sink.OfOperations(record.Begun{ByID: chosen, Roots: roots})
	made, traces := float64(s.Started), float64(seen(s.Sink))/float64(s.Started)
	if sampling < 1 {
		made, traces = float64(seen(s.Sink)), 1
	}
	if made == 0 {
		return PerOperation{}, false
	}
	// What a tracer merges or leaves out by a limit of its own depends on the work at the
	// time; made they all are.
	spans := float64(s.Sink.Sum()) / made
	p := PerOperation{Low: spans, High: spans, Traces: traces, How: Inferred, Roots: roots, ByID: chosen}
	if sampling >= 1 {
		p.Services = byService(all, others, s.Started)
	}
	p.Parents = s.Sink.Checking && s.Sink.Orphans == 0
	if spans == math.Trunc(spans) && alike(s.Sink, uint64(made)) {
		p.Agreed = uint64(made)
		return p, true
	}
	if least, above, mostly := mostlyLeast(s.Sink, uint64(made)); mostly && sampling >= 1 && len(roots) == 1 {
		p.Low, p.High, p.Agreed, p.Above, p.Services = float64(least), float64(least), uint64(made), above, nil
		p.Roots = map[string]int{}
		for root := range roots {
			p.Roots[root] = least
		}
		return p, true
	}
	slack := standardErrors * math.Max(math.Max(0.5, spans/2), deviation(s.Sink, made)) / math.Sqrt(made)
	p.Low, p.High = math.Max(0, spans-slack), spans+slack
	return p, true
}

// This file knows what only the first operation of its kind makes in a process: spans of a pool that opens its connections, of
// a cache that is filled. They are a pattern, and no loss where they do not come again.

// cold has the further spans of an operation the first time in a process.
type cold struct {
	sizes   map[string]map[int]bool // of traces, by the name of their root, that are larger than all others of it
	workers map[string]map[int]bool // of traces that are as much larger as the first one of a process: of further workers, and connections of their pools
	spans   float64                 // beside such traces, at most, of any operation
}

// and combines two calibrations.
func (c cold) and(other cold) cold {
	return cold{union(c.sizes, other.sizes), union(c.workers, other.workers), math.Max(c.spans, other.spans)}
}

func (c *cold) add(root string, size int) {
	c.sizes = union(c.sizes, map[string]map[int]bool{root: {size: true}})
}

// union returns the sizes of both; nil without any.
func union(a, b map[string]map[int]bool) (out map[string]map[int]bool) {
	for _, sizes := range []map[string]map[int]bool{a, b} {
		for root, all := range sizes {
			if out == nil {
				out = map[string]map[int]bool{}
			}
			if out[root] == nil {
				out[root] = map[int]bool{}
			}
			maps.Copy(out[root], all)
		}
	}
	return out
}

// in returns the sizes of traces that are those of first ones in a stretch. Those of workers are if there are no more such traces
// than workers and connections.
func (c cold) in(s Stretch) map[string]map[int]bool {
	traces := int64(0)
	for root, sizes := range c.workers {
		for size := range sizes {
			if !c.sizes[root][size] {
				traces += max(0, s.Sink.Shapes[root][size])
			}
		}
	}
	if traces == 0 || uint64(traces) > s.Firsts {
		return c.sizes
	}
	return union(c.sizes, c.workers)
}

// withFirst returns what a calibration taught, where a trace of each operation may be as much larger as one of the first operation
// was at its first time, besides what its own first time adds: it may be the first that a worker makes, or a connection of its pool.
func withFirst(learnt map[string]PerOperation, first string) map[string]PerOperation {
	var more []int
	of := learnt[first]
	for root, sizes := range of.Cold.sizes {
		for size := range sizes {
			more = append(more, size-of.Roots[root])
		}
	}
	for name, p := range learnt {
		for root, most := range p.Roots {
			for _, by := range more {
				sizes := map[int]bool{most + by: true}
				for size := range p.Cold.sizes[root] {
					sizes[size+by] = true
				}
				if root != record.NoRoot {
					p.Cold.workers = union(p.Cold.workers, map[string]map[int]bool{root: sizes})
				}
			}
		}
		learnt[name] = p
	}
	return learnt
}

// coldOf returns the findings of a calibration on an operation's first time: traces of its roots that came before the operations
// from which the number was learnt, and spans that all operations made beyond it.
func coldOf(r *record.Record, run Run, found []PerOperation, p PerOperation) cold {
	var out cold
	for root, sizes := range run.Start.Sink.Shapes {
		most, own := p.Roots[root]
		for size, n := range sizes {
			if own && root != record.NoRoot && size > most && n > 0 {
				out.add(root, size)
			}
		}
	}
	if r.Start.OnceSink == nil || !p.exact() {
		return out
	}
	t := Tracing{Sampling: 1, Spans: map[string]PerOperation{}}
	for i, s := range run.Phases {
		t.Spans[record.Work(r.Phases[i].Operation, r.Phases[i].Parameter)] = found[i]
		if s.Operation == record.ProbeOperation && !found[i].known() {
			delete(t.Spans, s.Operation)
		}
	}
	once, _ := r.Start.OnceSink.OfOperations(t.Begun())
	made := 0.0
	for _, work := range r.Start.Once {
		if !t.Spans[work].exact() {
			return out
		}
		made += t.Spans[work].Low
	}
	roots := t.Roots() // of all operations: what makes a trace of another one larger is not beside traces
	if roots == nil {
		roots = p.Roots
	}
	_, larger, _ := once.Shapes.Larger(roots, nil)
	out.spans = math.Max(0, float64(once.Sum())-made-float64(larger))
	return out
}

// cold takes what a stretch shows of first operations for what they made: whole traces as large as those of a calibration,
// and spans beyond what is expected, as many as there were. Of fewer the rest may be missing.
func (l *line) cold(s Stretch, per PerOperation) {
	if per.exact() && per.Roots != nil && tells(s.Sink, 1) {
		for root, sizes := range per.Cold.in(s) {
			for size := range sizes {
				l.widen(exactly(float64(max(0, s.Sink.Shapes[root][size])) * float64(size-per.Roots[root])))
			}
		}
	}
	if per.Cold.spans <= 0 {
		return
	}
	came := math.Min(per.Cold.spans, math.Max(0, -l.missing.high))
	l.exact = l.exact && came == per.Cold.spans
	l.widen(between{came, per.Cold.spans})
}

// This file learns from the accounts of runs what a calibration's few operations could not show: that many
// more made the same number of spans.

// learnLater adds what runs teach of operations that the calibration did not: their spans came only after its end.
// Where every trace that came is of an operation of its own, an operation makes at most as many spans as the largest, and at
// least as many as came in the run in which the fewest did. What makes up the difference was lost, or never made.
func learnLater(t Tracing, runs []Run) map[string]PerOperation {
	out := maps.Clone(t.Spans)
	if t.none() || t.random() || t.Decides || t.Buffers > 0 {
		return out
	}
	ends, told, largest := map[string]PerOperation{}, uint64(0), 0
	for _, run := range runs {
		operations, traces := run.Start.Started+1, run.Start.Sink.Traces // the first operation is one
		for _, s := range run.Phases {
			operations, traces = operations+s.Started, traces+s.Sink.Traces
		}
		if traces > operations {
			return out
		}
		for _, s := range run.Phases {
			_, own := t.Spans[s.Operation]
			if _, level := t.Spans[s.Level]; own || level {
				continue
			}
			if s.Started == 0 || !s.Sink.Whole() {
				return out
			}
			for _, sizes := range s.Sink.Shapes {
				for size := range sizes {
					largest = max(largest, size)
				}
			}
			told += s.Sink.Sum()
			came := float64(s.Sink.Sum()) / float64(s.Started)
			per, seen := ends[s.Operation]
			if !seen {
				per = PerOperation{Low: came, How: Inferred, Later: true}
			}
			per.Low, per.High = math.Min(per.Low, came), math.Max(per.High, came)
			ends[s.Operation] = per
		}
	}
	if told == 0 {
		return out
	}
	for operation, per := range ends {
		per.High = math.Max(per.High, float64(largest))
		if out == nil {
			out = map[string]PerOperation{}
		}
		out[operation] = per
	}
	return out
}

// carried takes it that spans which came of an operation learnt later are those of others before it which had not come yet:
// as many of its own may be lost.
func carried(lines []line, run Run, t Tracing) {
	made := 0.0
	if run.First != "" {
		made = t.Spans[run.First].High
	}
	late := math.Max(0, made-float64(run.Start.Sink.Sum()))
	for i, s := range run.Phases {
		per := t.per(s)
		if !per.Later {
			continue
		}
		lines[i].widen(between{0, math.Min(late, float64(s.Sink.Sum()))})
		late = math.Max(0, late+per.High*float64(s.Started)-float64(s.Sink.Sum()))
	}
}

// Confirm returns what the tracing is meant to do with what runs teach beside the calibration:
// operations of stretches with all of their expected spans agreed too.
func Confirm(t Tracing, runs []Run) Tracing {
	if t.random() && !t.ReportsTraced(runs...) && slices.ContainsFunc(runs, func(r Run) bool { return r.Backend != "" }) {
		t.Spans = nil // without traces the number that chance kept is unknown, and with it the number of missing spans
		return t
	}
	t.Spans = learnLater(t, runs)
	t.Spans = varied(t, against(t, runs), runs)
	spans := maps.Clone(t.Spans)
	for _, run := range runs {
		for i, l := range linesOf(run, t) {
			if i >= len(run.Phases) || !l.confirms(run.Phases[i], t, run.begun(t)) {
				continue
			}
			name := run.Phases[i].Level
			if _, known := t.Spans[name]; !known || name == "" {
				name = run.Phases[i].Operation
			}
			per := spans[name]
			per.Agreed += l.operations
			if t.random() {
				s := run.Phases[i]
				per.Agreed += seen(s.Sink) + leftOut(s, t.per(s)) - l.operations
			}
			spans[name] = per
		}
	}
	t.Spans = spans
	return t
}

// confirms reports whether a stretch's operations all made what they are meant to.
func (l line) confirms(s Stretch, t Tracing, begun record.Begun) bool {
	per := t.per(s)
	if l.spans[SampledOnWay] > 0 || l.spans[DecidedOut] > 0 || l.unreported {
		return false
	}
	if t.none() || !l.known || l.varies || l.unsure > 0 || l.spans[absent] > 0 || per.Agreed == 0 || !per.exact() {
		return false
	}
	own, _ := s.Sink.OfOperations(begun)
	if per.Above > 0 {
		return tells(own, 1) && (t.random() || own.Traces == s.Started) && per.holds(own.Shapes)
	}
	if t.random() {
		return tells(own, 1) && per.traces() == 1 && single(own.Shapes, int(per.Low))
	}
	if l.missing != exactly(0) {
		return false
	}
	return l.spans[cameLate] > 0 || alike(own, s.Started)
}
