package metric

import (
	"strings"

	"github.com/tracetax/tracetax/internal/profile"
)

// Cause is a part of CPU per operation by what profiles saw. Tasks, or stages, or all of tracing, add up to it with program,
// runtime and other processes.
type Cause struct {
	Axis Axis
	Wait bool   // of the time that callers take or wait, rather than of CPU
	Name string // of the stage or the task; "" of other axes
}

// Axis says what a cause is a part of.
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
	return Where(func(r Row) bool { return r.Cause.Axis == axis && !r.Cause.Wait })
}

// Waits is the name of what callers wait for by a cause; "" where that is not read.
func Waits(cause string) string {
	row, _ := Of(cause)
	of := row.Cause
	of.Wait = true
	for _, r := range Table {
		if r.Cause == of {
			return r.Name
		}
	}
	return ""
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
		out = append(out, row)
	}
	both := func(name, title, share string, axis Axis, of string) {
		add("cpu_"+name, "CPU "+title, "CPU per operation × the share of the samples that "+share+" has.", Cause{Axis: axis, Name: of})
		if axis == Task || axis == Stage || axis == Tracing {
			add("wait_"+name, "wait "+title, "time per operation that threads of the program are in "+share+", running or waiting.", Cause{Axis: axis, Name: of, Wait: true})
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
	add(CPUUnseen, "CPU that is not seen", "CPU per operation that profilers of interpreters do not see: native code and the kernel, other threads.", Cause{Axis: Unseen})
	add(CPUBesides, "CPU of other processes", "CPU per operation of processes that are not profiled: what a tracer brings, collectors, databases.", Cause{Axis: Besides})
	return out
}
