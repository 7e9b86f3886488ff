package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
)

// Plan has all that one run of a variant needs: everything merged, with only those
// placeholders left that are known at the run ({port}, {sink.…}, {tmp}, {build},
// {workload}, {tracer}).
type Plan struct {
	Workload   string
	Variant    string
	Language   string            // of its tracer; ""
	InPods                       // of its traced processes
	Processes  []program.Process // wrapped, with the tracer's and the variant's environment and arguments, and those that the tracer brings; in the order of their start
	Operations []program.Operation
	Setup      []program.Setup // requests before anything is measured
	Build      program.Build
	Plain      program.Build             // of the processes that are not traced, where the variant chooses which are (on:); empty: Build is theirs too
	Spans      map[string]program.Number // declared spans per operation name; absent: learnt
	Says       []program.Saying          // of the tracer
	Packets    program.Packets           // what its processes say of packets; zero: it captures none
	Tells      string                    // pattern of the lines in which the tracer names what it instruments; ""
	Misses     string                    // pattern of the lines in which it names what it does not instrument though it is there; ""
	Silent     bool                      // no span reaches the sink, by intent
	Decides    bool                      // the tracer leaves out traces by what they turn out to be, and says how many spans
	Sampling   float64                   // sampled share, 0 to 1; 1 where the tracer has no such setting
	Draws      bool                      // the sampler takes its share of what the caller decided to sample: the load generator asks for all
	Follows    bool                      // the sampler leaves a trace at what its caller decided, so that the load generator chooses which are sampled
	Undeclared bool                      // the program traces by itself, and nobody says which share its sampler takes: Sampling is 1
	Delay      time.Duration             // longest time that the tracer holds a finished span back
	MayDelay   time.Duration             // longest time that it can hold one back: Delay, or what a program's variables say, or what SDKs do where nobody says
	Buffers    int                       // spans that the tracer may keep, however long, until a buffer is full
	Settle     time.Duration
	Startup    time.Duration // about how much longer the program takes to start and to stop with the tracer
	Via        []string      // processes that are hops, in the order of a span's way
	To         string        // the process that is the backend; "": spans go to the sink
	Renames    bool          // a hop may give spans other names: those that were learnt without it tell nothing there
	Passing    time.Duration // longest time that all hops and the backend together hold a span back
	Secrets    []string      // values that no file and no screen may show

	Driver   program.Driver    // how the operations are made
	Verify   []string          // command that checks the workload's answers; nil: none
	Prepare  []string          // command before the run; nil: none
	Cleanup  []string          // command after it, whatever became of it; nil: none
	Connects time.Duration     // at most so long the run waits until the sink has heard of the tracer; 0: it does not wait
	Files    map[string]string // folders with files of spans by their format, which are read when the processes have ended
	Steps    []string          // of tracing that the variant runs; nil where its tracer does not say
}

// From a variant to what is to be started: everything merged into a Plan.

// Plan merges the workload, the variant's tracer with its settings, and the
// variant itself. In the environment of a traced process the later wins:
// workload, tracer, its settings, variant; what a tracer or a setting appends stands
// behind what is there, unless the variant has the variable. ${env:NAME} is filled in here; the
// error names those that are not set.
func (e *Experiment) Plan(v Variant) (*Plan, error) {
	t := v.Tracer
	p := &Plan{
		Workload:   e.Workload.Name,
		Variant:    v.Name,
		Language:   t.Language,
		InPods:     v.InPods.clone(),
		Operations: program.CloneOperations(e.Operations),
		Setup:      program.CloneSetup(e.Setup),
		Build:      e.Workload.BuildFor(t.Name),
		Spans:      declaredSpans(e.Operations, t.Name, e.Load.Depth),
		Says:       slices.Clone(t.Says),
		Tells:      t.Tells,
		Misses:     t.Misses,
		Sampling:   1,
		Settle:     t.Settle,
		Startup:    t.Startup,
		Driver:     e.Workload.Driver,
		Verify:     slices.Clone(e.Workload.Verify),
		Prepare:    slices.Clone(e.Workload.Prepare),
		Cleanup:    slices.Clone(e.Workload.Cleanup),
		Connects:   t.Connects,
		Buffers:    t.Buffers,
		Steps:      v.Steps(),
	}
	if v.LeavesOut(e.Workload) {
		p.Spans = onlyNone(p.Spans) // how many of them are of which process nobody said
		if plain := e.Workload.BuildFor(program.NoTracer); !sameBuild(plain, p.Build) {
			p.Plain = plain
		}
	}
	if of, ok := v.capturing(); ok {
		p.Packets = of.Tracer.Packets
	}
	p.addHops(v)
	processes, err := e.placed(v)
	if err != nil {
		return nil, err
	}
	p.Processes = append(p.Processes, processes...)
	p.behaviour(v)
	if t.Name == program.NoTracer && !p.Silent && p.NamesSink() {
		// An unknown way of tracing may make spans.
		if p.Spans = declaredSpans(e.Operations, "", e.Load.Depth); v.LeavesOut(e.Workload) {
			p.Spans = onlyNone(p.Spans)
		}
	}
	p.MayDelay = p.mayDelay(v)
	p.sampler(v, e.Workload)
	f := filler{variant: v.Name}
	f.plan(p)
	return p, f.err
}

func sameBuild(a, b program.Build) bool {
	return slices.EqualFunc(a.Run, b.Run, slices.Equal[[]string]) && maps.Equal(a.Env, b.Env)
}

// onlyNone are the declared numbers of spans that hold for a part of the processes as well: none.
func onlyNone(spans map[string]program.Number) map[string]program.Number {
	maps.DeleteFunc(spans, func(_ string, n program.Number) bool { return n != program.Number{} })
	return spans
}

// Steps are the steps of tracing that the variant runs, of the list Steps; nil where
// its tracer says of none of its choices which they leave.
func (v Variant) Steps() []string {
	if v.Tracer == nil {
		return nil
	}
	told := false
	left := slices.Clone(program.Steps)
	for _, s := range v.Tracer.Settings {
		for _, c := range s.Choices {
			told = told || c.Steps != nil
		}
		if chosen := s.Choices[v.Settings[s.Name]].Steps; chosen != nil {
			left = slices.DeleteFunc(left, func(step string) bool { return !slices.Contains(chosen, step) })
		}
	}
	if !told {
		return nil
	}
	return left
}

// behaviour works out what the tracer is to do with spans, from its settings.
func (p *Plan) behaviour(v Variant) {
	immediate := false
	p.Delay = max(p.Delay, v.Tracer.Delay)
	for _, s := range v.Tracer.Settings {
		value := v.Settings[s.Name]
		choice := s.Choices[value]
		p.Silent, p.Decides = p.Silent || choice.Silent, p.Decides || choice.Decides
		immediate = immediate || choice.Immediate
		for format, folder := range choice.Files {
			if p.Files == nil {
				p.Files = map[string]string{}
			}
			p.Files[format] = folder
		}
		if choice.Learnt {
			p.Spans = onlyNone(p.Spans)
		}
		if choice.Rationed {
			for name, n := range p.Spans {
				p.Spans[name] = program.Number{Low: 0, High: n.High}
			}
		}
		switch s.Meaning {
		case program.MeaningSampling:
			if share, err := program.ParseShare(value); err == nil {
				p.Sampling *= share
			}
		case program.MeaningDelay:
			if d, err := time.ParseDuration(value); err == nil {
				p.Delay = max(p.Delay, d)
			}
		}
	}
	// Without a tracer there are no spans, unless the variant turns on the
	// program's own way of tracing.
	if v.Untraced() || v.Tracer.Captures() {
		p.Silent = true
	}
	if immediate || p.Silent {
		p.Delay = 0
	}
}

// The default delay of OpenTelemetry's SDKs, and the variable that sets it, in milliseconds.
const (
	usualDelay    = 5 * time.Second
	delayVariable = "OTEL_BSP_SCHEDULE_DELAY"
)

// mayDelay is the longest time that what the plan runs can hold a span back. A tracer's setting says it, or a variable that
// overrides it; of a way of tracing that says nothing it is what SDKs do.
func (p *Plan) mayDelay(v Variant) time.Duration {
	if p.Silent || !p.NamesSink() {
		return 0
	}
	told, immediate := p.Buffers > 0 || v.Tracer.Delay > 0, false // a full buffer is sent, whenever that is
	units := map[string]time.Duration{delayVariable: time.Millisecond}
	for _, s := range v.Tracer.Settings {
		told = told || s.Meaning == program.MeaningDelay
		immediate = immediate || s.Choices[v.Settings[s.Name]].Immediate
		for name, text := range s.Env {
			if s.Meaning == program.MeaningDelay {
				units[name] = delayUnit(text)
			}
		}
	}
	most, overridden := p.Delay, false
	for _, process := range p.Processes {
		for name, unit := range units {
			value, set := process.Env[name]
			if n, err := strconv.ParseFloat(value, 64); set && err == nil && n >= 0 && unit > 0 && n*float64(unit) <= float64(time.Hour) {
				overridden = true
				most = max(most, time.Duration(n*float64(unit)))
			}
		}
	}
	switch {
	case immediate:
		return 0
	case !told && !overridden:
		return usualDelay
	}
	return most
}

// delayUnit is the unit of a variable that a setting of a duration fills in.
func delayUnit(text string) time.Duration {
	switch text {
	case "{value.ms}":
		return time.Millisecond
	case "{value.s}":
		return time.Second
	}
	return 0
}

// declaredSpans are the spans per operation that the workload declares for a
// tracer. A mix has as few as the least and as many as the most of its parts. What is
// declared is of the operation's own depth: where the load says another, it is learnt.
func declaredSpans(operations []program.Operation, tracer string, depth int) map[string]program.Number {
	out := map[string]program.Number{}
	for _, o := range withParts(operations) {
		elsewhere := depth > 0 && o.Drive["depth"] != strconv.Itoa(depth)
		if n, ok := o.Declared(tracer); ok && (!elsewhere || n == program.Number{}) {
			out[o.Name] = n
		}
	}
	return out
}

// withParts are operations, and those of the mixes among them.
func withParts(operations []program.Operation) []program.Operation {
	out := slices.Clone(operations)
	for _, o := range operations {
		if len(o.Mix) > 0 {
			out = append(out, o.Parts()...)
		}
	}
	return out
}

// Which variants make as many spans as each other.

// SameSpans reports whether two variants make the same spans, whatever becomes of them: the
// same tracer, attached in the same way, in whose settings nothing differs that may change
// what makes spans.
func SameSpans(a, b Variant) bool {
	if a.TracerName() != b.TracerName() || !slices.Equal(a.On, b.On) || !maps.Equal(a.Env, b.Env) || !slices.Equal(a.Args, b.Args) ||
		a.Image != b.Image || !a.InPods.equal(b.InPods) {
		return false
	}
	if a.Tracer == nil {
		return true
	}
	return !slices.ContainsFunc(a.Tracer.Settings, func(s program.Setting) bool {
		return makesSpans(s) && a.Settings[s.Name] != b.Settings[s.Name]
	})
}

// makesSpans reports whether a setting may change what makes spans. Sampling and delays,
// limits and queues, and where spans go, whether they are sent at all included, say what
// becomes of them; of every other choice or text it is not known, and so it may.
func makesSpans(s program.Setting) bool {
	if s.Meaning != "" || s.Kind != "choice" && s.Kind != "text" {
		return false
	}
	for _, c := range s.Choices {
		if c.Silent || namesSink(c.Env) || namesSink(c.Append) {
			return false
		}
	}
	return !namesSink(s.Env) && !namesSink(s.Append)
}

func namesSink(texts map[string]string) bool {
	for _, text := range texts {
		if strings.Contains(text, sinkMark) {
			return true
		}
	}
	return false
}
