// Rules: which frames are a tracer's, and what they do.

package profile

import (
	"fmt"
	"slices"
	"strings"
)

// Stages and tasks of tracing, in the order in which they are shown. Each axis is by itself: a sample has one of each.
var (
	Stages = []string{"configuration", "instrumentation", "propagation", "export"}
	Tasks  = []string{"memory", "time", "call-tree", "metadata", "queue", "serialising", "network", "lock"}
)

// NoRule is the stage, or the task, of samples of tracing that no rule knows.
const NoRule = "no rule"

// File is a causes.yaml, of a tracer or shared by several. The tags of its keys are those of internal/config, which reads it.
//
// A pattern is a name of a frame, in which * is any text; with a file behind it in brackets, the name in those files alone:
// "start_span (opentelemetry/sdk/trace/*)". A file's pattern begins at any folder of its path. Numbers in names of threads
// are as good as *.
type File struct {
	_           struct{} `called:"rules"`
	Description string   `yaml:"description" as:"text"` // a line for its readers
	Shared      []string `yaml:"shared"`                // files of tracers/shared/causes/, without .yaml, whose rules come after these
	Tracer      []string `yaml:"tracer"`                // frames that are the tracer's: all that they call is the tracer's, up to a frame that hands over
	HandsOver   []string `yaml:"hands_over"`            // frames behind the tracer's from which on all is the program's again, also as CALLER > FRAME: "wrapped_app (trace/flask.py) > wsgi_app (flask/app.py)"; of a FRAME * any that is not the tracer's
	Between     []string `yaml:"between"`               // frames of libraries that may stand between a CALLER and its FRAME, such as "* (contextlib.py)"; they hand over nothing themselves
	Threads     []Thread `yaml:"threads"`               // threads where all is the tracer's
	Runtime     Language `yaml:"runtime"`               // what is neither the program's nor the tracer's
	Rules       []Rule   `yaml:"rules"`                 // what frames do; of a stack the innermost frame that has a rule counts, and of its rules the first
	Otherwise   Does     `yaml:"otherwise"`             // what the tracer's frames do that no rule knows; a task is better left out, as what has none is listed
	Advice      []Advice `yaml:"advice"`                // settings that make a cause smaller
}

// Does is a stage and a task of tracing.
type Does struct {
	_     struct{} `called:"what frames do"`
	Stage string   `yaml:"stage" one:"configuration instrumentation propagation export"`             // of tracing
	Task  string   `yaml:"task" one:"memory time call-tree metadata queue serialising network lock"` // of tracing
}

// Rule names the task of some frames.
type Rule struct {
	_      struct{} `called:"a rule"`
	Does   `yaml:",inline"`
	Frames []string `yaml:"frames"` // patterns; they count only in stacks that the tracer owns
}

// Thread is one of the tracer's own, or several.
type Thread struct {
	_      struct{} `called:"a thread"`
	Name   string   `yaml:"name"`   // a pattern
	Frames []string `yaml:"frames"` // or patterns of frames that only such threads have, where threads have no names, as goroutines
	Does   `yaml:",inline"`
}

// Language has the frames of a language's runtime: garbage collectors, compilers, schedulers.
type Language struct {
	_       struct{} `called:"the runtime"`
	Threads []string `yaml:"threads"` // patterns of names
	Frames  []string `yaml:"frames"`  // patterns
	Loaders []string `yaml:"loaders"` // patterns of frames that load code, for what a start consists of
}

// Advice is a setting of the tracer that makes a cause smaller.
type Advice struct {
	_       struct{} `called:"an advice"`
	Does    `yaml:",inline"`
	Over    float64           `yaml:"over" as:"shareIn" range:"1%..100%"` // share of tracing's cost from which on it is given; default: 10%
	Setting map[string]string `yaml:"setting"`                            // of the tracer, as {thread-details: off}
	Loses   string            `yaml:"loses" as:"text"`                    // which information goes
}

// Least is the share of tracing's cost from which on the advice is given.
func (a Advice) Least() float64 {
	if a.Over == 0 {
		return 0.1
	}
	return a.Over
}

// Problem is something wrong with a file, at the place that Way leads to.
type Problem struct {
	Way  []string
	Text string
}

// Check returns the errors of a file whose keys were read. A shared part needs no frames of a tracer.
func (f *File) Check(shared bool) []Problem {
	var out []Problem
	fail := func(text string, way ...string) { out = append(out, Problem{way, text}) }
	patterns := func(all []string, way ...string) {
		for i, p := range all {
			if why := wrongPattern(p); why != "" {
				fail(why, append(append([]string{}, way...), fmt.Sprintf("[%d]", i))...)
			}
		}
	}
	if !shared && len(f.Tracer) == 0 {
		fail(`rules name the tracer's frames, such as tracer: ["com.example.tracing.*"]`)
	}
	patterns(f.Tracer, "tracer")
	for i, text := range f.HandsOver {
		caller, frame, both := cutCaller(text)
		why := ""
		if both {
			why = wrongPattern(caller)
		}
		if why == "" && !(both && frame == "*") {
			why = wrongPattern(frame)
		}
		if why != "" {
			fail(why, "hands_over", fmt.Sprintf("[%d]", i))
		}
	}
	patterns(f.Between, "between")
	patterns(f.Runtime.Threads, "runtime", "threads")
	patterns(f.Runtime.Frames, "runtime", "frames")
	patterns(f.Runtime.Loaders, "runtime", "loaders")
	for i, t := range f.Threads {
		at := fmt.Sprintf("[%d]", i)
		patterns(t.Frames, "threads", at, "frames")
		switch why := wrongPattern(t.Name); {
		case t.Name == "" && len(t.Frames) == 0:
			fail("a thread of the tracer has a name, or frames that only such threads have", "threads", at)
		case t.Name != "" && why != "":
			fail(why, "threads", at, "name")
		}
	}
	for i, r := range f.Rules {
		at := fmt.Sprintf("[%d]", i)
		patterns(r.Frames, "rules", at, "frames")
		if len(r.Frames) == 0 || r.Does == (Does{}) {
			fail("a rule has frames, and the stage or the task that they serve, or both", "rules", at)
		}
	}
	for i, a := range f.Advice {
		at := fmt.Sprintf("[%d]", i)
		if a.Does == (Does{}) {
			fail("an advice names the stage or the task that it makes smaller", "advice", at)
		}
		if len(a.Setting) == 0 || a.Loses == "" {
			fail(`an advice has a setting of the tracer, and what information goes: {task: metadata, setting: {thread-details: off}, loses: "…"}`, "advice", at)
		}
	}
	return out
}

// Rules are those of one tracer, ready for use by several at a time.
type Rules struct {
	tracer, between []pattern
	runtime         []pattern
	loaders         []pattern
	runtimeThreads  []pattern
	handsOver       []handOver
	threads         []thread
	rules           []rule
	otherwise       Does
	advice          []Advice
}

type rule struct {
	Does
	frames []pattern
}

// handOver is a frame that hands over: where caller is nil whoever calls it, and where frame is nil any that is not the
// tracer's.
type handOver struct{ caller, frame *pattern }

// callerOf stands between a caller and the frame that it hands over to.
const callerOf = " > "

// MostHandsOver bounds their number over all files of some rules: a set of them is one word.
const MostHandsOver = 256

// cutCaller is the frame of a text, and its caller; without one all is the frame.
func cutCaller(text string) (caller, frame string, both bool) {
	if caller, frame, both = strings.Cut(text, callerOf); !both {
		return "", text, false
	}
	return caller, frame, true
}

type thread struct {
	Does
	name   *pattern
	frames []pattern
}

// Compile makes rules of checked files, the most important first: a tracer's, then the files that it shares. All
// have MostHandsOver frames that hand over, at most.
func Compile(files ...*File) *Rules {
	r := &Rules{}
	for _, f := range files {
		r.tracer = append(r.tracer, compile(f.Tracer)...)
		for _, text := range f.HandsOver {
			caller, frame, both := cutCaller(text)
			var one handOver
			if both {
				one.caller = compilePattern(caller)
			}
			if !both || frame != "*" {
				one.frame = compilePattern(frame)
			}
			r.handsOver = append(r.handsOver, one)
		}
		r.between = append(r.between, compile(f.Between)...)
		r.runtime = append(r.runtime, compile(f.Runtime.Frames)...)
		r.loaders = append(r.loaders, compile(f.Runtime.Loaders)...)
		for _, name := range f.Runtime.Threads {
			r.runtimeThreads = append(r.runtimeThreads, *compilePattern(normalThread(name)))
		}
		for _, t := range f.Threads {
			one := thread{Does: t.Does, frames: compile(t.Frames)}
			if t.Name != "" {
				one.name = compilePattern(normalThread(t.Name))
			}
			r.threads = append(r.threads, one)
		}
		for _, one := range f.Rules {
			r.rules = append(r.rules, rule{one.Does, compile(one.Frames)})
		}
		if r.otherwise == (Does{}) {
			r.otherwise = f.Otherwise
		}
		r.advice = append(r.advice, f.Advice...)
	}
	return r
}

// Advice returns the advice for causes of these sizes, in the order of the file.
func (r *Rules) Advice(c *Causes) []Advice {
	var out []Advice
	all := float64(c.All.Owner[Tracer])
	for _, a := range r.advice {
		stage, task := float64(c.All.Stage[a.Stage]), float64(c.All.Task[a.Task])
		if all > 0 && (a.Stage == "" || stage >= a.Least()*all) && (a.Task == "" || task >= a.Least()*all) {
			out = append(out, a)
		}
	}
	return out
}

// AllAdvice is all that may be advised, in the order of the file.
func (r *Rules) AllAdvice() []Advice { return slices.Clone(r.advice) }

// pattern matches frames by their names, and by their files where it names one.
type pattern struct {
	name glob
	file *glob
}

// split is a pattern's name, and its file.
func split(text string) (name, file string, both bool) {
	if i := strings.LastIndex(text, " ("); i > 0 && strings.HasSuffix(text, ")") {
		return text[:i], text[i+2 : len(text)-1], true
	}
	return text, "", false
}

func wrongPattern(text string) string {
	name, file, both := split(text)
	switch {
	case strings.Trim(name, "*") == "" && strings.Trim(file, "*") == "":
		return "a pattern that matches every frame says nothing; name some of it, such as com.example.* or * (example/*)"
	case both && file == "":
		return "the file in brackets is empty: write NAME (FILE), or the name alone"
	}
	return ""
}

func compile(all []string) []pattern {
	out := make([]pattern, len(all))
	for i, text := range all {
		out[i] = *compilePattern(text)
	}
	return out
}

func compilePattern(text string) *pattern {
	name, file, both := split(text)
	p := &pattern{name: newGlob(name)}
	if both {
		g := newGlob(file)
		p.file = &g
	}
	return p
}

// matches reports whether the pattern is of a frame. Beside a file the name may lack the class before it: only some versions
// of Python tell it.
func (p pattern) matches(f Frame) bool {
	if p.file == nil {
		return p.name.matches(f.Name)
	}
	return (p.name.matches(f.Name) || p.name.matches(f.Name[strings.LastIndexByte(f.Name, '.')+1:])) && p.file.below(f.File)
}

func anyMatches(all []pattern, f Frame) bool {
	for _, p := range all {
		if p.matches(f) {
			return true
		}
	}
	return false
}

// glob is a text in which * stands for any other one.
type glob struct {
	parts []string // between the stars
}

func newGlob(text string) glob { return glob{strings.Split(text, "*")} }

// matches takes the first place for each part in turn, and the end for the last: no other choice can do better.
func (g glob) matches(text string) bool {
	first, last := g.parts[0], g.parts[len(g.parts)-1]
	if len(g.parts) == 1 {
		return text == first
	}
	text, ok := strings.CutPrefix(text, first)
	if !ok {
		return false
	}
	if text, ok = strings.CutSuffix(text, last); !ok {
		return false
	}
	for _, part := range g.parts[1 : len(g.parts)-1] {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return true
}

// below reports whether the glob matches a path, from any of its folders on.
func (g glob) below(path string) bool {
	for {
		if g.matches(path) {
			return true
		}
		_, rest, found := strings.Cut(path, "/")
		if !found {
			return false
		}
		path = rest
	}
}
