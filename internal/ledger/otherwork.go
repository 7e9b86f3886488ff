// Other work: the names of roots separate its traces from those of operations. A background span
// must not hide a lost one.

package ledger

import (
	"math"

	"github.com/tracetax/tracetax/internal/record"
)

// begun returns the root names of the operations in a calibration's stretch: those with a whole
// number of traces per operation. Each has the size of its largest trace, in spans. nil: unknown,
// because no name is like that, or the other traces may be of the operations too (a name for
// every operation). Empty: all that came also comes at other times.
func begun(s Stretch, elsewhere map[string]timing) map[string]int {
	if !s.Sink.Whole() {
		return nil
	}
	if len(s.Sink.Shapes) > 0 && onlyPassing(s.Sink.Shapes, elsewhere) {
		return map[string]int{}
	}
	if !tells(s.Sink, s.Started) {
		return nil
	}
	roots, others := map[string]int{}, int64(0)
	for root, sizes := range s.Sink.Shapes {
		traces, _ := s.Sink.Shapes.Traces(root)
		switch {
		case root == record.OtherRoot:
			return nil
		case root != record.NoRoot && (elsewhere[root].sure() || elsewhere[root].stretches >= certainly && 2*traces < int64(s.Started)):
		case root != record.NoRoot && (elsewhere[root] != timing{} || traces%int64(s.Started) != 0):
			if 2*traces >= int64(s.Started) {
				return nil // they may be of operations, after losses
			}
			others += traces
		default:
			for size := range sizes {
				roots[root] = max(roots[root], size)
			}
		}
	}
	if len(roots) == 0 || others > 0 && others%int64(s.Started) == 0 {
		return nil
	}
	return roots
}

// byID returns what begun does, of operations all of whose traces have ids that the load generator chose: whatever else comes is
// of other work. It is false where some of them have other ids: then as many come as operations, or in one export of them.
func byID(s Stretch, elsewhere map[string]timing) (map[string]int, bool) {
	var own int64
	roots := map[string]int{}
	for root, sizes := range s.Sink.Own {
		for size, n := range sizes {
			own += n
			roots[root] = max(roots[root], size)
		}
	}
	if !s.Chosen || !s.Sink.Whole() || own == 0 || own%int64(s.Started) != 0 {
		return nil, false
	}
	rest, _ := s.Sink.OfOperations(record.Begun{ByID: true})
	for root := range s.Sink.Shapes {
		all, _ := s.Sink.Shapes.Traces(root)
		kept, _ := rest.Shapes.Traces(root)
		if others := all - kept; others > 0 && others%int64(s.Started) == 0 && elsewhere[root] == (timing{}) {
			return nil, false
		}
	}
	return roots, true
}

// timing is when the traces of a root come, beside operations.
type timing struct {
	stretches int  // in which there is not one, or some, an operation
	more      bool // in one of these there are more than operations
	after     bool // some came when no operation was made any more
}

// certainly is in how many stretches a root has to come at a time of its own, so it is none
// of any operation of them.
const certainly = 2

// sure reports whether a root is a timer's or the like: operations without other roots then make no
// span. Fewer roots than operations do not prove it: a tracer that samples looks the same. Nor does
// the stop alone: exports may be late.
func (t timing) sure() bool {
	return t.stretches >= 1 && t.after || t.stretches >= certainly && t.more
}

func onlyPassing(shapes record.Shapes, elsewhere map[string]timing) bool {
	for root := range shapes {
		if !elsewhere[root].sure() {
			return false
		}
	}
	return true
}

// passing returns the names of roots that come at times of their own: not the same number an
// operation, or after the last.
func passing(r *record.Record) map[string]timing {
	run, roots := FromRecord(r), map[string]timing{}
	sum := run.Start.Sink.Spans + run.Stop.Sink.Spans
	if r.Unasked != nil {
		sum += r.Unasked.Sink.Spans
	}
	for _, s := range run.Phases {
		sum += s.Sink.Spans
		for root := range s.Sink.Shapes {
			traces, _ := s.Sink.Shapes.Traces(root)
			if root != record.NoRoot && s.Sink.Whole() && s.Started > 0 && traces%int64(s.Started) != 0 {
				one := roots[root]
				one.stretches++
				one.more = one.more || traces > int64(s.Started)
				roots[root] = one
			}
		}
	}
	if sum != r.Life.Spans {
		return roots // what a tracer held back until the stop was found out otherwise
	}
	for root := range run.Stop.Sink.Shapes {
		if traces, _ := run.Stop.Sink.Shapes.Traces(root); root != record.NoRoot && traces > 0 {
			one := roots[root]
			one.after = true
			roots[root] = one
		}
	}
	return roots
}

// separate takes the spans of other work off the line of a stretch. Where there is such work, a
// trace whose root did not come may be of it: then it is not sure whether its spans stand in for
// others that were lost.
func (l *line) separate(c record.Counts, others map[string]int64, begun record.Begun) {
	l.background = others
	if _, own := begun.Roots[record.NoRoot]; own || begun.ByID || len(others) == 0 || !l.known {
		return
	}
	_, rootless := c.Shapes.Traces(record.NoRoot)
	_, more := c.Shapes.Traces(record.OtherRoot)
	if unclear := math.Max(0, float64(rootless+more)); unclear > 0 {
		l.widen(between{0, unclear})
		l.exact = false
	}
}

// This file counts the spans of a program's other work.

func (p *page) addBackground(of map[string]int64) {
	for root, spans := range of {
		if p.background == nil {
			p.background = map[string]int64{}
		}
		p.background[root] += spans
	}
}

// otherWork returns the number of spans of other work.
func (l *line) otherWork() float64 {
	sum := 0.0
	for _, spans := range l.background {
		sum += float64(spans)
	}
	return sum
}

// This file moves spans that came during a later operation to their own: a tracer buffered them, or
// held them longer than known, or its first export took long.

// moveBuffered gives what came of one stretch beyond what was expected to the stretches before
// it that miss spans, at most holds for each stretch, the oldest first. The last line is the
// start, which was first: the spans of its requests, then those that the program made besides.
// Nothing is moved that may as well be a number which varies.
func moveBuffered(lines []line, holds, besides float64) { move(lines, holds, besides, false) }

// moveUnsure does so with spans that may have been held back: a tracer takes longer than known on a busy machine.
// The number of spans may vary instead: as many may be lost.
func moveUnsure(lines []line) { move(lines, math.Inf(1), 0, true) }

func move(lines []line, holds, besides float64, unsure bool) {
	inTime := make([]*line, 0, len(lines))
	inTime = append(inTime, &lines[len(lines)-1])
	for i := range lines[:len(lines)-1] {
		inTime = append(inTime, &lines[i])
	}
	start := inTime[0]
	besides = math.Max(0, besides+math.Min(0, start.missing.high)) // less those that came in time
	for i, l := range inTime {
		left := math.Min(holds, -l.missing.high)
		give := func(to *line, most float64) float64 {
			spans := math.Min(left, most)
			if spans <= 0 || !l.known || !to.known {
				return 0
			}
			to.arrived(spans)
			l.arrived(-spans)
			if left -= spans; unsure {
				to.missing.high += spans
				to.crossed, to.moved, l.moved = true, to.moved-spans, l.moved+spans
			}
			return spans
		}
		for j, before := range inTime[:i] {
			give(before, before.missing.low)
			if j == 0 {
				besides -= give(start, besides)
			}
		}
	}
}

// moveCold books what came of an operation beyond the expectation on the start, as much as
// that misses spans: the first export of a process takes long on a busy machine, and what it
// brings comes while later operations are made. The last line is the start.
func moveCold(lines []line) {
	start := &lines[len(lines)-1]
	if !start.known {
		return
	}
	for i := range lines[:len(lines)-1] {
		l := &lines[i]
		if spans := math.Min(-l.missing.high, start.missing.low); l.known && spans > 0 {
			start.arrived(spans)
			l.arrived(-spans)
		}
	}
}

// arrived adds spans that came at another time than the others.
func (l *line) arrived(spans float64) {
	l.spans[Delivered] += spans
	l.spans[cameLate] += math.Max(0, spans)
	l.moved += spans
	l.missing = l.missing.less(spans)
	l.exact = false
}

// Besides returns the number of spans that the program made in calibration runs beside those of
// operations, the fewest of any run: its start (to Kieker, loading the traced
// class and making its object are calls of it too). spans are what was learnt in these runs, by
// operation and by operation at its level. It is 0 where a number is not known, or varies.
func Besides(calibrations []record.Record, spans map[string]PerOperation) int {
	t, fewest := Tracing{Spans: spans}, math.Inf(1)
	for i := range calibrations {
		c := &calibrations[i]
		if c.Failed() {
			continue
		}
		run := FromRecord(c)
		asked, known := 0.0, true
		add := func(per PerOperation, times uint64) {
			asked += per.Low * float64(times)
			known = known && (times == 0 || per.exact())
		}
		for _, s := range run.Phases {
			add(t.per(s), s.Started)
		}
		add(t.Spans[record.ProbeOperation], run.Start.Started)
		if run.First != "" {
			add(t.Spans[run.First], 1)
		}
		for _, work := range c.Start.Once {
			add(t.Spans[work], 1)
		}
		if run.Start.Setup > 0 {
			add(t.Spans[record.SetupOperation], 1)
		}
		if !known {
			return 0
		}
		fewest = math.Min(fewest, float64(c.Life.Sum()-min(c.Life.Sum(), c.Unasked.Spans()))-asked)
	}
	if math.IsInf(fewest, 1) || fewest < 0 {
		return 0
	}
	return int(fewest)
}

// Conclusions from a sink's counts: whether ids were checked, the number of traces, and whether all
// operations made the same ones.

// checked reports whether ids were checked, so duplicates are known. An
// empty count has nothing to check.
func checked(c record.Counts) bool {
	return c.Spans == 0 || c.Checking && c.Evicted == 0 && c.Unchecked == 0
}

// unchecked returns the number of spans whose ids were not checked: duplicates among them look
// like other spans.
func unchecked(c record.Counts) uint64 {
	if c.Checking && c.Evicted == 0 {
		return c.Unchecked
	}
	return c.Spans
}

// seen is the number of traces with a span that arrived: by trace id where ids
// were checked, otherwise by root.
func seen(c record.Counts) uint64 {
	if c.Traces > 0 && checked(c) {
		return c.Traces
	}
	return c.Roots
}

// tells reports whether the shapes of traces can be those of so many operations: each begins one
// trace or more.
func tells(c record.Counts, operations uint64) bool {
	return c.Whole() && c.Traces >= operations && operations > 0
}

// alike reports whether so many operations all made the same traces: every size has a whole number
// of traces per operation. Where the shapes show no operations, the sum has to do.
func alike(c record.Counts, operations uint64) bool {
	if !tells(c, operations) {
		return !c.Whole() || c.Traces <= 1 // some began a trace and some did not, or all are in one
	}
	traces := map[int]int64{}
	for _, sizes := range c.Shapes {
		for size, n := range sizes {
			traces[size] += n
		}
	}
	for _, n := range traces {
		if n%int64(operations) != 0 {
			return false
		}
	}
	return true
}

// deviation is the standard deviation of the spans of an operation between traces.
func deviation(c record.Counts, operations float64) float64 {
	if !c.Whole() || c.Traces == 0 || operations <= 0 {
		return 0
	}
	without := math.Max(0, operations-float64(c.Traces)) // operations that began none
	mean := float64(c.Sum()) / (float64(c.Traces) + without)
	squares := without * mean * mean
	for _, sizes := range c.Shapes {
		for size, n := range sizes {
			squares += float64(n) * (float64(size) - mean) * (float64(size) - mean)
		}
	}
	return math.Sqrt(squares / operations)
}

// single reports whether all traces have so many spans.
func single(shapes record.Shapes, size int) bool {
	for _, sizes := range shapes {
		for n, traces := range sizes {
			if n != size && traces != 0 {
				return false
			}
		}
	}
	return true
}
