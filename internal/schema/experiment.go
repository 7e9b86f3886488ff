// This file has the keys of an experiment.

package schema

// Experiment is what is started, measured and compared. Placeholders such as {port} are filled in in run, env, args,
// ready, dir, requests and headers; see docs/experiment-file.md.
type Experiment struct {
	Name        Text                       `json:"name"`                                          // name of the results; default: the file's name
	Description Text                       `json:"description"`                                   // a line for 'tracetax list'
	Workload    WorkloadOrName             `json:"workload"`                                      // a name ('tracetax list workloads'), or your own program
	Workloads   []WorkloadOrName           `json:"workloads"`                                     // instead of workload: a list to run over
	Operations  Texts                      `json:"operations"`                                    // which to measure, each in a phase of its own; default: all
	Mix         map[string]Share           `json:"mix"`                                           // instead of operations: weights, as {home: 70%, checkout: 30%}; counts as one operation
	Variants    map[string]VariantOrTracer `json:"variants" jsonschema:"required"`                // what is compared, at least two; the first is the baseline
	Load        Load                       `json:"load"`                                          // how operations are made
	Design      Design                     `json:"design"`                                        // how many runs
	Budget      map[string]Share           `json:"budget"`                                        // how much each metric may exceed the baseline, as {cpu: 5%, p99: 10%, lost: 0}: cpu, p50, p75, p90, p95, p99, p999, max, mean, memory, startup, lost (a share of the spans due), or a metric's own name. A run ends with status 3 over the budget, with 4 where that is inconclusive
	Sink        string                     `json:"sink" jsonschema:"enum=checking,enum=counting"` // checking: finds duplicate and orphan spans; counting: only counts; default: checking
	Faults      Faults                     `json:"faults"`                                        // what goes wrong on purpose; default: nothing
	Samples     bool                       `json:"samples"`                                       // true: keep every duration; only of self-driving workloads; default: false
	Published   Texts                      `json:"published"`                                     // a CSV file beside this one with a study's figures, or its lines
	Claims      []Claim                    `json:"claims"`                                        // what that study found
}

// Variant is the workload with a tracer and its settings, under a name of yours. Without keys its name is that of a tracer.
type Variant struct {
	Tracer      Text            `json:"tracer"`      // 'tracetax list tracers'; otel means otel-LANGUAGE in the workload's language
	Settings    map[string]Text `json:"settings"`    // of the tracer: 'tracetax show TRACER'
	On          Texts           `json:"on"`          // which processes are traced; default: all that are traced
	Env         Environment     `json:"env"`         // environment variables of the traced processes; wins over those of process, tracer and settings
	Args        Command         `json:"args"`        // words after the command of the traced processes
	Via         HopOrHops       `json:"via"`         // a hop that its spans pass through, or a list in the order of a span's way
	To          HopOrName       `json:"to"`          // a backend instead of the sink
	Against     Text            `json:"against"`     // a variant to compare with, besides the baseline
	Faults      Faults          `json:"faults"`      // its own faults, instead of the experiment's of that name
	Description Text            `json:"description"` // a line for the report
}

// VariantOrTracer is a variant, or the name of its tracer; nothing: its own name is that of the tracer.
type VariantOrTracer string

// Hop is a service that spans pass through. Its other keys are settings of the service.
type Hop struct {
	Service Text        `json:"service"` // name of the service; default: the hop's own name
	Tap     Text        `json:"tap"`     // on: a tap before it counts what goes to it; default: off
	Config  Text        `json:"config"`  // a configuration of your own, a file beside this one
	Program Text        `json:"program"` // a program of the PATH in place of the one that the service builds, as otelcol-contrib
	Env     Environment `json:"env"`     // its environment variables
	CPUs    Text        `json:"cpus"`    // how many CPUs it may use
	Memory  Size        `json:"memory"`  // how much memory it may use
}

// HopOrName is the name of a service, or one hop by its name: {collector: mine.yaml}, {collector: {keep: errors}}.
type HopOrName string

// HopOrHops is a hop, or several in a row.
type HopOrHops string

// Load is how operations are made.
type Load struct {
	Rate        OneOrMoreRates   `json:"rate"`                                             // open loop: a fixed rate, whether or not the program keeps up; default: the workload's, or 100/s without connections or capacity. Choose one that every variant can hold
	Connections OneOrMoreNumbers `json:"connections"`                                      // closed loop: each connection makes one operation at a time. With a rate or a search: the most that may be open, default 256
	Capacity    Capacity         `json:"capacity"`                                         // every run searches for the rate that reaches a goal
	Arrivals    string           `json:"arrivals" jsonschema:"enum=constant,enum=poisson"` // constant: evenly spaced; poisson: at random; default: constant
	Warmup      Text             `json:"warmup"`                                           // load before the window: 3s; auto (at most 30 s) or auto..60s: pilots find it; default: 3s
	WarmupAll   Duration         `json:"warmup_all"`                                       // load of all operations in turn before the first warm-up; default: the workload's, or 0s
	Duration    Duration         `json:"duration"`                                         // the measured window of a phase, or a search's probe; default: 10s. Make it five times as long as a tracer holds spans, or longer
	Timeout     Duration         `json:"timeout"`                                          // longest time of an operation; default: 5s
	Idle        Duration         `json:"idle"`                                             // time without load at first, to measure idle CPU; default: 1s
	Streams     int              `json:"streams"`                                          // gRPC: calls at a time on a connection; default: 1
	Calls       int              `json:"calls"`                                            // self-driving: most operations of the window; what comes first, calls or duration, ends it
	Depth       OneOrMoreNumbers `json:"depth"`                                            // self-driving: call depth; default: the workload's
	Threads     OneOrMoreNumbers `json:"threads"`                                          // self-driving: threads that call; default: 1
	Busy        Duration         `json:"busy"`                                             // self-driving: how long the innermost call works; default: 0s
}

// Capacity is a search for the rate that reaches one goal: cpu, a percentile of the latency, or lost.
type Capacity struct {
	CPU        Share    `json:"cpu"`                                         // goal: the rate at which the role app uses that share of its CPU
	P50        Duration `json:"p50"`                                         // goal: the highest rate with that latency within the limit
	P75        Duration `json:"p75"`                                         // likewise
	P90        Duration `json:"p90"`                                         // likewise
	P95        Duration `json:"p95"`                                         // likewise
	P99        Duration `json:"p99"`                                         // likewise
	P999       Duration `json:"p999"`                                        // likewise
	Lost       Text     `json:"lost"`                                        // goal, 0: the highest rate without a lost span
	Method     string   `json:"method" jsonschema:"enum=fit,enum=staircase"` // fit: few probes, a line through them, a check of its prediction; staircase: steps until the goal is passed; default: fit
	From       Rate     `json:"from"`                                        // first rate; default: the operation's or workload's rate, 50/s; in a staircase, the step
	Max        Rate     `json:"max"`                                         // a rate that is never exceeded; default: what the generator can do
	Step       Rate     `json:"step"`                                        // of a staircase, needed there
	Confirm    Duration `json:"confirm"`                                     // of lost: length of a last probe that confirms the rate; default: duration
	Resolution Share    `json:"resolution"`                                  // relative bracket at which a bisection ends; default: 2%
}

// Design is how many runs are made, and how.
type Design struct {
	Blocks    Text   `json:"blocks"`                                                // a block is a run of each variant, in random order; an interval needs 6. 8..30: least and most with a precision; default: 10, or 8..30
	Precision Text   `json:"precision"`                                             // stop when the interval is that narrow: 2%, or 2% of latency_p99; default: all blocks
	Order     string `json:"order" jsonschema:"enum=windows,enum=woven,enum=apart"` // windows: all variants of a block live at once, and have the load in turn; woven: all have it at once, without verdicts on time; apart: one run after the other; default: windows, or apart where variants cannot live beside each other
	Seed      Text   `json:"seed"`                                                  // of the random orders; default: drawn, and kept in the results
	Quick     bool   `json:"quick"`                                                 // true: what 'run --quick' writes, of a load and blocks that it has cut down; default: false
	Unpiloted Text   `json:"unpiloted"`                                             // what 'run --quick' writes, with quick: the relative rate, as 50% of slowest, that the declared rates stand in for
}

// Faults are what goes wrong by a known amount, to show what a tracer does then, or to check the results.
type Faults struct {
	SinkLoses     Share    `json:"sink-loses"`                                                  // share of spans that the sink accepts and throws away
	SinkLate      Duration `json:"sink-late"`                                                   // wait before each answer of the sink, at most 1m
	SinkGone      string   `json:"sink-gone" jsonschema:"enum=away,enum=silent,enum=resetting"` // away refuses connections, silent accepts and never reads, resetting resets them
	GeneratorLate Duration `json:"generator-late"`                                              // how late every operation is made, at most 10s
}

// Claim is what a study found, as a range in which intervals are to lie.
type Claim struct {
	Name       Text   `json:"name" jsonschema:"required"`                                              // what it is called; needed
	Text       Text   `json:"text" jsonschema:"required"`                                              // what it says; needed
	Metric     Text   `json:"metric" jsonschema:"required"`                                            // of findings.json; needed. The range of lost_share is of the share itself
	Of         string `json:"of" jsonschema:"enum=cost,enum=ratio"`                                    // cost over the baseline; ratio, less one, of two variants, workloads or operations, the first over the second, or of the metric over the one beside; default: cost
	Beside     Text   `json:"beside"`                                                                  // of a ratio: a metric of findings.json whose cost the metric's cost is held against, the metric over this one
	Variants   Texts  `json:"variants"`                                                                // what it is about; default: all but the baseline
	Workloads  Texts  `json:"workloads"`                                                               // likewise
	Operations Texts  `json:"operations"`                                                              // likewise
	Over       string `json:"over" jsonschema:"enum=operations,enum=workloads,enum=variants,enum=all"` // geometric mean over operations, workloads, variants or all; default: each by itself
	Some       bool   `json:"some"`                                                                    // true: one is enough; default: false
	Above      Share  `json:"above"`                                                                   // relative range, from: 0 (no difference), 5%, -0.1
	Below      Share  `json:"below"`                                                                   // relative range, to; one of both is needed
}
