// What a start consists of: loading code, the tracer's set-up, its first spans.

package profile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The parts of a start, in the order in which they are shown. Loading is what modules and classes take until they are loaded,
// with what they do meanwhile; it is the tracer's where the tracer loads them, also libraries that the program would load later.
const (
	LoadingProgram = "loading-program"
	LoadingTracer  = "loading-tracer"
	SetUp          = "set-up"
	FirstSpans     = "first-spans"
	FirstExport    = "first-export"
	OfProgram      = "program"
	OfRuntime      = "runtime"
	Beside         = "beside" // CPU of the threads of the runtime and of the tracer, while the program's own take the time
)

// StartParts are all of them that follow one another: with what is in no part they are the start.
var StartParts = []string{LoadingProgram, LoadingTracer, SetUp, FirstSpans, FirstExport, OfProgram, OfRuntime}

// stageParts are the parts of a start by the stage of tracing.
var stageParts = map[string]string{"configuration": SetUp, "instrumentation": FirstSpans, "propagation": FirstSpans, "export": FirstExport}

// Start sums up the samples of a start by its parts, in the profile's unit. What is of no stage is in none of them.
func (r *Rules) Start(p *Profile) map[string]int64 {
	s := r.sorter(p)
	out := map[string]int64{}
	for _, sample := range p.Samples {
		of := s.cause(sample)
		loader, staged := -1, -1
		for i, f := range sample.Stack {
			if s.frames[f].loads {
				loader = i
			}
			if i >= of.At && s.frames[f].stage != none {
				staged = i
			}
		}
		part := stageParts[of.Stage]
		switch {
		case of.Own || s.runtimeThread(sample.Thread):
			part = Beside
		case of.Owner == Runtime:
			part = OfRuntime
		case of.Owner == Program && loader >= 0:
			part = LoadingProgram
		case of.Owner == Program:
			part = OfProgram
		case loader > staged: // the innermost of both counts
			part = LoadingTracer
		}
		if part != "" {
			out[part] += sample.Value
		}
	}
	return out
}

// Imports reads the import times that Python prints (-X importtime): a line for each module, after those that it imports.
type Imports struct {
	rules *Rules
	open  []imported // whose importers have not come yet
	Lines int        // that were import times
}

// imported is a module with what it imported.
type imported struct {
	level           int
	program, tracer time.Duration
}

// Imports of a start, sorted by the rules.
func (r *Rules) Imports() *Imports { return &Imports{rules: r} }

// importLine has the time of a module itself and all, and its name, indented by how deep it is.
var importLine = regexp.MustCompile(`^import time:\s+(\d+) \|\s+\d+ \| ( *)(\S+)\s*$`)

// Line reads one; others are passed over.
func (i *Imports) Line(line string) {
	m := importLine.FindStringSubmatch(line)
	if m == nil {
		return
	}
	self, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil || self > int64(time.Hour/time.Microsecond) {
		return
	}
	i.Lines++
	one := imported{level: len(m[2])}
	for len(i.open) > 0 && i.open[len(i.open)-1].level > one.level {
		last := i.open[len(i.open)-1]
		i.open = i.open[:len(i.open)-1]
		one.program, one.tracer = one.program+last.program, one.tracer+last.tracer
	}
	took := time.Duration(self) * time.Microsecond
	if anyMatches(i.rules.tracer, Frame{Name: "<module>", File: strings.ReplaceAll(m[3], ".", "/") + "/__init__.py"}) {
		one.program, one.tracer = 0, one.program+one.tracer+took
	} else {
		one.program += took
	}
	if len(i.open) > maxDepth { // no importer has so many: it is another program's text
		i.open = slices.Delete(i.open, 0, 1)
	}
	i.open = append(i.open, one)
}

// Parts are the times of the imports of program and tracer, in nanoseconds.
func (i *Imports) Parts() map[string]int64 {
	out := map[string]int64{}
	for _, one := range i.open {
		out[LoadingProgram] += one.program.Nanoseconds()
		out[LoadingTracer] += one.tracer.Nanoseconds()
	}
	return out
}
