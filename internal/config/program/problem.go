// What is wrong in a file, and where.

package program

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// OverGRPC reports whether the operation, or a part of the mix, is a gRPC call.
func (o Operation) OverGRPC() bool {
	return o.GRPC || slices.ContainsFunc(o.Mix, func(s Share) bool { return s.Operation.GRPC })
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

// maxProblems is the most problems reported at once: more hide the first.
const maxProblems = 20

// Source is a text being read; it collects what is wrong with it.
type Source struct {
	File        string
	Lines       []string
	Open        func(name string) ([]byte, error)   // reads a file beside this one; nil where there is no such place
	Folder      string                              // the folder of that place; "" where there is none
	Files       fs.FS                               // instead of it: the folder of a built-in workload
	Services    func(name string) (*Service, error) // looks a service up; nil where there is no catalog
	shared      func() (map[string]fs.FS, error)    // the folders that workloads share; nil likewise
	NodeFolders func() (map[string]fs.FS, error)    // likewise, for the program of a topology
	Kept        []string                            // values that the experiment's setup keeps: requests of operations may name them
	Reading
	inlined  int // bytes so far of what the resolved experiment holds: bodies, configurations
	filed    int // bytes so far of bodies that stay in their files
	Problems Problems
}

// Place is where something stands: a line and column, or a flag.
type Place struct {
	Line, Column int
	Flag         string
}

func (s *Source) Fail(at Place, format string, args ...any) {
	if len(s.Problems) > 50*maxProblems {
		return
	}
	p := &Problem{Text: fmt.Sprintf(format, args...), Flag: at.Flag}
	if at.Flag == "" {
		p.File, p.Line, p.Column = s.File, at.Line, at.Column
		p.Excerpt = s.excerpt(at)
	}
	for _, q := range s.Problems {
		if *p == *q {
			return
		}
		if p.Flag != "" && q.Flag != "" && p.Text == q.Text { // of several variants the same is told once
			if !slices.Contains(strings.Split(q.Flag, ", "), p.Flag) {
				q.Flag += ", " + p.Flag
			}
			return
		}
	}
	s.Problems = append(s.Problems, p)
}

// Err is nil if nothing is wrong.
func (s *Source) Err() error {
	if len(s.Problems) == 0 {
		return nil
	}
	slices.SortStableFunc(s.Problems, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if len(s.Problems) > maxProblems {
		more := len(s.Problems) - maxProblems
		s.Problems = append(s.Problems[:maxProblems], &Problem{File: s.File, Text: fmt.Sprintf("and %d more", more)})
	}
	return s.Problems
}

// maxExcerpt is the longest line that is shown.
const maxExcerpt = 160

func (s *Source) excerpt(at Place) string {
	if at.Line < 1 || at.Line > len(s.Lines) {
		return ""
	}
	line := []rune(strings.TrimRight(s.Lines[at.Line-1], "\r"))
	if len(line) > maxExcerpt || at.Column < 1 || at.Column > len(line)+1 {
		return ""
	}
	number := fmt.Sprintf("%5d | ", at.Line)
	gap := make([]rune, at.Column-1)
	for i := range gap {
		gap[i] = ' '
		if line[i] == '\t' {
			gap[i] = '\t'
		}
	}
	return number + Printable(string(line)) + "\n" + strings.Repeat(" ", len(number)-2) + "| " + string(gap) + "^"
}

// Printable replaces control characters, so that a file cannot write to the
// terminal by way of an error.
func Printable(s string) string {
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
