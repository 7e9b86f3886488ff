// What does not go together in an experiment though each part is right.

package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/metric"
)

// misfit is a part of an experiment that does not go with another.
type misfit struct {
	at   []string // keys from the top of the file, as far as they are there
	text string
	// Whether a choice among the variants may still mend it: a file is then right
	// as long as one is made.
	choice bool
}

// Check says what does not go together in the experiment, nil if all does.
// Whoever changes an experiment after it was read asks it.
func (e *Experiment) Check() error {
	var all []error
	for _, m := range e.misfits() {
		all = append(all, errors.New(m.text))
	}
	if all == nil {
		return e.CheckWindow()
	}
	return errors.Join(all...)
}

func (e *Experiment) misfits() []misfit {
	return slices.Concat(e.ownRates(), e.protocols(), e.stopping(), e.orders(), e.warmups(), e.configFiles(), e.hops(), e.compiled(), e.misplaced(), e.unheard())
}

// ownRates finds operations whose own rate would stand against what the load varies.
func (e *Experiment) ownRates() []misfit {
	l := e.Load
	if len(l.Rates) == 0 && len(l.Levels) == 0 {
		return nil
	}
	var out []misfit
	for _, o := range e.Operations {
		if o.Rate > 0 {
			out = append(out, misfit{at: []string{"load"}, text: fmt.Sprintf(
				"operation %q has a rate of its own, %s, which this load (%s) could not vary; leave it out of the operation",
				printable(o.Name), formatRate(o.Rate), l.Summary())})
		}
	}
	return out
}

// protocols finds what only gRPC has.
func (e *Experiment) protocols() []misfit {
	if e.Load.Streams == 0 || slices.ContainsFunc(e.Operations, Operation.overGRPC) {
		return nil
	}
	return []misfit{{at: []string{"load", "streams"}, text: "streams are calls at a time on one connection of gRPC, but no operation is over gRPC; leave streams out"}}
}

// overGRPC reports whether the operation, or a part of the mix, is a gRPC call.
func (o Operation) overGRPC() bool {
	return o.GRPC || slices.ContainsFunc(o.Mix, func(s Share) bool { return s.Operation.GRPC })
}

// stopping finds a precision of a metric that the load does not have.
func (e *Experiment) stopping() []misfit {
	d := e.Design
	if d.Most == 0 {
		return nil
	}
	at := []string{"design", "precision"}
	switch searched := e.Load.Capacity != nil; {
	case searched && d.Metric != metric.Capacity:
		return []misfit{{at: at, text: fmt.Sprintf("the load searches for a capacity, so that each run has a rate of its own and %s cannot be compared; write precision: %s of %s",
			d.Metric, formatShare(d.Precision), metric.Capacity)}}
	case !searched && d.Metric == metric.Capacity:
		return []misfit{{at: at, text: "there is no capacity without load: {capacity: {cpu: 75%}} or the like; name another metric"}}
	case e.Regime() == metric.Unthrottled && isLatency(d.Metric):
		return []misfit{{at: at, text: fmt.Sprintf("no latencies are compared where a workload goes as fast as it can, so that there is no precision of %s; give the load a rate, or write of %s",
			d.Metric, metric.TimePerCall)}}
	case e.Regime() == metric.Closed && isLatency(d.Metric):
		return []misfit{{at: at, text: fmt.Sprintf("no latencies are compared in a closed loop, so that there is no precision of %s; give the load a rate, or write of %s",
			d.Metric, metric.Throughput)}}
	case !e.Load.Closed() && d.Metric == metric.Throughput:
		return []misfit{{at: at, text: fmt.Sprintf("the throughput at a rate is that rate for every variant; write of %s, or load: {connections: 4}", metric.CPUPerOperation)}}
	}
	return nil
}

// check complains of what does not go together, at the place in the file, as far
// as no choice among the variants may mend it; n is the whole file.
func (s *source) check(n *node, e *Experiment) {
	if len(s.problems) > 0 {
		return // what is wrong by itself may be all that does not go together
	}
	for _, m := range e.misfits() {
		if m.choice {
			continue // Check asks after the choice
		}
		s.fail(n.place(m.at), "%s", m.text)
	}
	if len(s.problems) > 0 {
		return
	}
	if err := e.CheckWindow(); err != nil {
		s.fail(n.place([]string{"load"}), "%v", err)
	}
}

// What is wrong with a file or a command line, and where.

// Problem is one thing that is wrong in a file, or in a flag of the command line.
type Problem struct {
	File    string // as the user named it; "" where a flag is at fault
	Line    int    // from 1
	Column  int    // from 1, in characters
	Flag    string // e.g. "--variant 'otel:tracer=x'"; "" where a file is at fault
	Text    string // what is wrong, and the nearest right word
	Excerpt string // the line with a caret below it; "" where there is none
}

// Where is the place as file:line:column, or the flag.
func (p *Problem) Where() string {
	if p.Flag != "" {
		return p.Flag
	}
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Error is the place, the text and the excerpt, without a final newline.
func (p *Problem) Error() string {
	s := p.Where() + ": " + p.Text
	if p.Excerpt != "" {
		s += "\n" + p.Excerpt
	}
	return s
}

// Problems is everything that is wrong in a file, in the order of the file.
type Problems []*Problem

// Error has all problems, one after the other.
func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.Error()
	}
	return strings.Join(texts, "\n")
}

// maxProblems is how many problems are told at once: more hide the first.
const maxProblems = 20

// source is a text being read; it collects what is wrong with it.
type source struct {
	file        string
	lines       []string
	open        func(name string) ([]byte, error)   // reads a file beside this one; nil where there is no such place
	folder      string                              // the folder of that place; "" where there is none
	files       fs.FS                               // instead of it: the folder of a built-in workload
	services    func(name string) (*Service, error) // looks a service up; nil where there is no catalog
	shared      func() (map[string]fs.FS, error)    // the folders that workloads share; nil likewise
	nodeFolders func() (map[string]fs.FS, error)    // likewise, for the program of a topology
	reading
	bodies   int // bytes of request bodies so far
	problems Problems
}

// place is where something stands: a line and column, or a flag.
type place struct {
	line, column int
	flag         string
}

func (s *source) fail(at place, format string, args ...any) {
	if len(s.problems) > 50*maxProblems {
		return
	}
	p := &Problem{Text: fmt.Sprintf(format, args...), Flag: at.flag}
	if at.flag == "" {
		p.File, p.Line, p.Column = s.file, at.line, at.column
		p.Excerpt = s.excerpt(at)
	}
	for _, q := range s.problems {
		if *p == *q {
			return
		}
	}
	s.problems = append(s.problems, p)
}

// err is nil if nothing is wrong.
func (s *source) err() error {
	if len(s.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(s.problems, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if len(s.problems) > maxProblems {
		more := len(s.problems) - maxProblems
		s.problems = append(s.problems[:maxProblems], &Problem{File: s.file, Text: fmt.Sprintf("and %d more", more)})
	}
	return s.problems
}

// maxExcerpt is the longest line that is shown.
const maxExcerpt = 160

func (s *source) excerpt(at place) string {
	if at.line < 1 || at.line > len(s.lines) {
		return ""
	}
	line := []rune(strings.TrimRight(s.lines[at.line-1], "\r"))
	if len(line) > maxExcerpt || at.column < 1 || at.column > len(line)+1 {
		return ""
	}
	number := fmt.Sprintf("%5d | ", at.line)
	gap := make([]rune, at.column-1)
	for i := range gap {
		gap[i] = ' '
		if line[i] == '\t' {
			gap[i] = '\t'
		}
	}
	return number + printable(string(line)) + "\n" + strings.Repeat(" ", len(number)-2) + "| " + string(gap) + "^"
}

// printable replaces control characters, so that a file cannot write to the
// terminal by way of an error.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0)) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// IsProblem reports whether err is about a wrong file or a wrong flag, as
// opposed to a failure to read one. The command line then exits with status 2.
func IsProblem(err error) bool {
	var ps Problems
	var p *Problem
	var unknown *UnknownError
	return errors.As(err, &ps) || errors.As(err, &p) || errors.As(err, &unknown)
}
