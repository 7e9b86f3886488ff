// This file tells the traces of operations from those of a program's other work, by the names
// of their roots. A background span must not stand in for one that was lost.

package ledger

import (
	"math"

	"github.com/tracetax/tracetax/internal/record"
)

// begun returns the names of the roots that the operations of a calibration's stretch begin, each
// with the most spans of such a trace: those of which there is one, or some, an operation. nil is:
// not known, because no name is like that, or what is left may be of the operations too (a name
// for every operation). None is: all that came is known to come at other times too.
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
				return nil // it may be of the operations, some of which lost theirs
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
	rest, _ := s.Sink.Apart(record.Begun{ByID: true})
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

// certainly is in how many stretches a root has to come at a time of its own, so that it is none
// of any operation of them.
const certainly = 2

// sure reports whether a root is a timer's or the like, so that operations of which nothing else
// came make no span. That there are fewer than operations does not show it: a tracer that takes a
// part of the operations looks the same. Nor does the stop alone: exports may be late.
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
