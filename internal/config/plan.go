package config

import "time"

// Plan is what one run of a variant needs: everything merged, with only those
// placeholders left that are known at the run ({port}, {sink.…}, {tmp}, {build},
// {workload}, {tracer}).
type Plan struct {
	Workload   string
	Variant    string
	Language   string    // of its tracer; ""
	Processes  []Process // wrapped, with the tracer's and the variant's environment and arguments, and those that the tracer brings; in the order of their start
	Operations []Operation
	Build      Build
	Plain      Build             // of the processes that are not traced, where the variant chooses which are (on:); empty: Build is theirs too
	Spans      map[string]Number // declared spans per operation name; absent: learnt
	Says       []Saying          // of the tracer
	Tells      string            // pattern of the lines in which the tracer names what it instruments; ""
	Silent     bool              // no span reaches the sink, by intent
	Decides    bool              // the tracer leaves out traces by what they turn out to be, and says how many spans
	Sampling   float64           // sampled share, 0 to 1; 1 where the tracer has no such setting
	Draws      bool              // the sampler takes its share of what the caller decided to sample: the load generator asks for all
	Follows    bool              // the sampler leaves a trace at what its caller decided, so that the load generator chooses which are sampled
	Undeclared bool              // the program traces by itself, and nobody says which share its sampler takes: Sampling is 1
	Delay      time.Duration     // longest time that the tracer holds a finished span back
	MayDelay   time.Duration     // longest time that it can hold one back: Delay, or what a program's variables say, or what SDKs do where nobody says
	Buffers    int               // spans that the tracer may keep, however long, until a buffer is full
	Settle     time.Duration
	Startup    time.Duration // about how much longer the program takes to start and to stop with the tracer
	Via        []string      // processes that are hops, in the order of a span's way
	To         string        // the process that is the backend; "": spans go to the sink
	Renames    bool          // a hop may give spans other names: those that were learnt without it tell nothing there
	Passing    time.Duration // longest time that all hops and the backend together hold a span back
	Secrets    []string      // values that no file and no screen may show

	Self     bool              // the load is given to the operation's process in words
	Verify   []string          // command that checks the workload's answers; nil: none
	Prepare  []string          // command before the run; nil: none
	Cleanup  []string          // command after it, whatever became of it; nil: none
	Connects time.Duration     // at most so long the run waits until the sink has heard of the tracer; 0: it does not wait
	Files    map[string]string // folders with files of spans by their format, which are read when the processes have ended
	Steps    []string          // of tracing that the variant runs; nil where its tracer does not say
}
