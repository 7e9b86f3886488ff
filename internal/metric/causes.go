package metric

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/profile"
)

// Cause is a part of CPU per operation by what profiles saw. Tasks, or stages, or all of tracing, add up to it with program,
// runtime and other processes.
type Cause struct {
	Axis  Axis
	Wait  bool   // of the time that callers take or wait, rather than of CPU
	Alloc bool   // of bytes that are allocated
	Name  string // of the stage or the task; "" of other axes
}

// Axis is the whole that a cause is a part of.
type Axis int

// The axes.
const (
	NoCause Axis = iota // the metric is none
	Stage               // a stage of tracing; profile.NoRule has no rule for its stage
	Task                // a task of tracing; profile.NoRule has no rule for its task
	Tracing             // all stages, or all tasks
	Callers             // of this, in threads of the program
	Program             // of the program, with code that a tracer weaves into it
	Runtime             // collectors of garbage, compilers
	Unseen              // of processes that are profiled, and in no sample
	Besides             // processes that were not profiled: what tracers bring, databases
	Start               // a part of a start, from the first fork to the first answer; "" is all of it
)

// Names of causes.
const (
	CPUTracing = "cpu_tracing"
	CPUCallers = "cpu_tracing_callers"
	CPUProgram = "cpu_program"
	CPURuntime = "cpu_runtime"
	CPUUnseen  = "cpu_unseen"
	CPUBesides = "cpu_other_processes"
	CPUNoRule  = "cpu_no_rule"  // for its task
	CPUNoStage = "cpu_no_stage" // no rule for its stage
)

// IsCause reports whether a metric is a cause.
func (r Row) IsCause() bool { return r.Cause.Axis != NoCause }

// Causes are the names of the causes of an axis, in the order in which they are shown.
func Causes(axis Axis) []string {
	return Where(func(r Row) bool { return r.Cause.Axis == axis && !r.Cause.Wait && !r.Cause.Alloc })
}

// Waits is the name of what callers wait for by a cause; "" where that is not read.
func Waits(cause string) string { return besides(cause, Cause{Wait: true}) }

// Allocates is the name of the bytes that a cause allocates; "" where that is not read.
func Allocates(cause string) string { return besides(cause, Cause{Alloc: true}) }

func besides(cause string, of Cause) string {
	row, _ := Of(cause)
	of.Axis, of.Name = row.Cause.Axis, row.Cause.Name
	for _, r := range Table {
		if r.Cause == of {
			return r.Name
		}
	}
	return ""
}

// StartRest is the rest of a start, in no part.
const StartRest = "rest"

// startTitles are the titles of parts of a start that differ from their names.
var startTitles = map[string]string{
	"": "all, from the first fork to the first answer", StartRest: "all else, also waiting", profile.LoadingProgram: "loading the program", profile.LoadingTracer: "loading the tracer",
	profile.SetUp: "the tracer's set-up", profile.OfProgram: "the program", profile.OfRuntime: "the runtime",
	profile.Beside: "beside it, CPU of the runtime's and the tracer's threads",
}

// StartName is the metric of a part of a start.
func StartName(part string) string {
	return strings.TrimSuffix("profiled_start_"+strings.ReplaceAll(part, "-", "_"), "_")
}

// causes are the rows of all of them.
var causes = causeRows()

func causeRows() []Row {
	var out []Row
	add := func(name, title, mean string, of Cause) {
		row := Row{Name: name, Title: title, Unit: "s", Better: Lower, In: Requests | Driven, Verdict: All, Named: true, Cause: of}
		means[name] = "Of a profiled experiment: " + mean
		if of.Wait {
			row.Nature = Clock
		}
		if of.Alloc {
			row.Unit = "bytes"
		}
		out = append(out, row)
	}
	both := func(name, title, share string, axis Axis, of string) {
		add("cpu_"+name, "CPU "+title, "CPU per operation × the share of the samples that "+share+" has.", Cause{Axis: axis, Name: of})
		if axis == Task || axis == Stage || axis == Tracing {
			add("wait_"+name, "wait "+title, "time per operation that threads of the program are in "+share+", running or waiting.", Cause{Axis: axis, Name: of, Wait: true})
		}
		if axis == Task || axis == Stage || axis == Tracing || axis == Program {
			add("alloc_"+name, "allocated "+title, "bytes per operation that "+share+" allocates (Java).", Cause{Axis: axis, Name: of, Alloc: true})
		}
	}
	word := func(name string) string { return strings.ReplaceAll(name, "-", "_") }
	for _, name := range profile.Tasks {
		both("task_"+word(name), "by task: "+name, "the task "+name+" of tracing", Task, name)
	}
	both("no_rule", "by task: no rule", "tracing without a rule for its task", Task, profile.NoRule)
	for _, name := range profile.Stages {
		both("stage_"+word(name), "by stage: "+name, "the stage "+name+" of tracing", Stage, name)
	}
	both("no_stage", "by stage: no rule", "tracing without a rule for its stage", Stage, profile.NoRule)
	both("tracing", "of tracing", "tracing", Tracing, "")
	both("tracing_callers", "of tracing in callers", "tracing, in the program's own threads alone,", Callers, "")
	both("program", "of the program", "the program, with code that a tracer weaves into it,", Program, "")
	both("runtime", "of the runtime", "the runtime (collector of garbage, compiler)", Runtime, "")
	for _, name := range append(slices.Clone(profile.StartParts), StartRest, "", profile.Beside) {
		title := cmp.Or(startTitles[name], strings.ReplaceAll(name, "-", " "))
		row := Row{Name: StartName(name), Title: "start: " + title, Unit: "s", Better: Lower, Nature: Clock, In: All, Verdict: All, WholeRun: true, Named: true, Cause: Cause{Axis: Start, Name: name}}
		means[row.Name] = "Of an explained start, in the blocks in which it is profiled: " + title + ", in seconds."
		out = append(out, row)
	}
	add(CPUUnseen, "CPU that is not seen", "CPU per operation that profilers of interpreters do not see: native code and the kernel, other threads.", Cause{Axis: Unseen})
	add(CPUBesides, "CPU of other processes", "CPU per operation of processes that are not profiled: what a tracer brings, collectors, databases.", Cause{Axis: Besides})
	return out
}
