package metric

import "slices"

// Means returns the meaning of a metric in one run; "" for one that the table does not have.
func Means(name string) string { return means[name] }

// means has the meanings by name, for schemas and readers of findings.json.
var means = map[string]string{
	Capacity: "The rate found, in operations/s, where every search of both sides found one. A block whose probes contradict each other does not count; with over a fifth of these there is no capacity.",

	TimePerCall:         "Self-driving: all durations over the calls made. The headline; an amount where the operation is empty. Read it beside CPU, delivered_share and delivered_rate.",
	TimePerCallP50:      "Self-driving, unthrottled: median of the durations.",
	"time_per_call_p90": "Likewise the 90th percentile.",
	"time_per_call_p99": "Likewise the 99th percentile.",
	"time_per_call_max": "Likewise the longest, where a full queue makes a call wait; no interval.",

	CPUPerOperation: "(CPU from the start of the window until sink and processes are calm − idle rate × drain) / operations started. Nothing is taken off where idle rates before and after differ by over 1 % of this, or are unknown. Role \"\": all but load generator and sink. Also by role (load generator and sink without verdict), and by role and service without verdict. Values below zero are kept.",
	BlockedTime:     "Unthrottled: time of the operations less CPU time of the threads that make them, per operation; never below 0.",
	CPUUtilisation:  "CPU of cpu_per_operation per second of window.",
	Throughput:      "Operations completed per second, until the last one's end. No verdict at a fixed rate.",

	"operations_completed": "Completed in the window. No verdict.",

	LatencyMean:    "Mean latency from the intended start; none in a closed loop or with time-outs.",
	LatencyP50:     "Median latency from the intended start; none in a closed loop. A quantile needs 20 values above it in each run, and no time-outs among them.",
	"latency_p75":  "Likewise the 75th percentile.",
	"latency_p90":  "Likewise the 90th percentile.",
	LatencyP95:     "Likewise the 95th percentile.",
	LatencyP99:     "Likewise the 99th percentile.",
	"latency_p999": "Likewise the 99.9th percentile.",
	"latency_max":  "Largest latency; no interval, and none with time-outs.",

	BenchmarkTimeMean: "Mean time of the work itself, where answers tell it (Server-Timing: benchmark;dur=). Compared in a closed loop too.",
	BenchmarkTimeP50:  "Likewise the median; a quantile needs 20 values above it in each run.",
	BenchmarkTimeP99:  "Likewise the 99th percentile.",
	InitTime:          "Functions (init;dur=): mean time from the fork of an environment until it asks for its first invocation; of those started in the window.",
	PlatformTime:      "Functions: latency_mean less benchmark_time_mean: client, platform and the runtime's client.",
	CPUAfterAnswer:    "Functions (after;dur=): mean CPU of an environment's process from its answer to its next invocation. Part of cpu_per_operation.",

	"context_switches": "Per operation, less the idle rate, as cpu_per_operation.",
	ExportPerOperation: "Bytes at the sink, still compressed, over operations started.",
	ExportRequests:     "Requests that the sink accepted, of spans or anything else, over operations started; a stream is one. None through a hop. No verdict.",
	KeptShare:          "Traces of which something came over operations started, where something decides on them and each begins one; none with over 1 % lost. No verdict.",
	DeliveredRate:      "Spans delivered per second of window.",

	"allocation_per_operation": "As the language tells: bytes allocated per operation.",
	"gc_count":                 "As the language tells: collections per million operations.",
	"gc_time":                  "As the language tells: seconds of collections per operation.",
	"heap_peak":                "As the language tells: most in use between batches.",
	"heap_live":                "As the language tells: in use after a full collection behind the window.",

	MemoryMean: "Anonymous and shared memory of all but load generator and sink, mean over the last window's load; by role and service too where there are helpers. None of a search.",
	MemoryPeak: "The same memory: peak from ready until the last spans have come; of several processes an upper bound.",

	"idle_cpu":         "CPU seconds per second before the first phase, of all but load generator and sink.",
	StartupTime:        "First fork to the last process ready.",
	FirstOperationTime: "Duration of the first operation after the start, and after the setup where there is one.",

	CPUPerSpan:      "Added CPU over added spans to be delivered, per operation. An amount; none where a side is lossy, or may add no span.",
	CPUPerKeptTrace: "Added CPU over the added kept_share, per operation, by role too where there are helpers. An amount, no verdict; none with over 1 % lost.",
	DeliveredShare:  "Delivered over expected spans. A budget for lost is judged here, from the ledger, warm-up included.",
	LostShare:       "Lost over expected spans, for a budget for lost and claims of a study.",

	Slope:                 "Of a sweep over depth: slope of a least-squares line in each block through variant − baseline of time_per_call. The headline; a level has a verdict only against a budget.",
	Base:                  "Where that line begins.",
	R2:                    "How well that line fits.",
	"time_per_call_slope": "Slope of such a line through time_per_call itself, of both sides.",
	"time_per_call_base":  "Where that line begins.",
	"time_per_call_r2":    "How well that line fits.",
}

// saturationNote is why a loop without a rate may compare durations.
const saturationNote = "in saturation, unthrottled: the work of a call is fixed, so that its duration may be compared; read it beside CPU per operation, delivered share and delivered rate"

// Table lists all metrics, in the order in which a run is read.
var Table = slices.Concat([]Row{
	{Name: Capacity, Unit: "1/s", Better: Higher, In: Search, Headline: Search, Verdict: All, Main: true, Claimed: true, Named: true, Stops: true},
	{Name: TimePerCall, Saturated: 1, Levels: Driven, Short: "wall per call", Unit: "s", Better: Lower, Nature: Clock, Note: saturationNote, Noted: Unthrottled,
		In: Driven, Headline: Unthrottled, Verdict: All, Swept: map[Regimes]int{Unthrottled: 1, FixedRate: 2}, Main: true, Claimed: true, Limited: true,
		Beside: []string{TimePerCall, CPUPerOperation, DeliveredShare, DeliveredRate, BlockedTime, CPUPerSpan, Slope, Base, R2,
			"allocation_per_operation", "gc_count", "gc_time", "heap_peak", "heap_live"}},
	{Name: TimePerCallP50, Unit: "s", Better: Lower, Nature: Clock, In: Unthrottled, Verdict: All, Percentile: 50},
	{Name: "time_per_call_p90", Unit: "s", Better: Lower, Nature: Clock, In: Unthrottled, Verdict: All, Percentile: 90},
	{Name: "time_per_call_p99", Unit: "s", Better: Lower, Nature: Clock, In: Unthrottled, Verdict: All, Percentile: 99},
	{Name: "time_per_call_max", Unit: "s", Better: Lower, Nature: Clock, In: Unthrottled, PointOnly: true},
	{Name: CPUPerOperation, Saturated: 2, Levels: Driven, Title: "CPU per operation", Short: "CPU per call", Unit: "s", Better: Lower,
		Note: "at the rate found for each, which is not the same: no comparison of the same work", Noted: Search,
		In: All, Headline: Open | Closed | FixedRate, Verdict: All &^ Search, Uncompared: Search,
		Swept: map[Regimes]int{Open: 1, Closed: 2, Unthrottled: 2, FixedRate: 1}, Charged: true, Main: true, Claimed: true, Limited: true, Budget: []string{"cpu"}},
	{Name: BlockedTime, Saturated: 3, Title: "blocked time per op", Short: "blocked", Unit: "s", Better: Lower, Nature: Clock,
		Note: "per operation: its time less the CPU time of the calling threads, so what they wait for locks, for a queue, for the collector of garbage or for a CPU",
		In:   Unthrottled, Verdict: All, Named: true, Side: Waiting},
	{Name: CPUUtilisation, Title: "CPU utilisation", Unit: "1", Better: Lower, Note: "all CPU of the operations, also after the window, per second of the window",
		In: Requests | Driven, Verdict: All, Limited: true},
	{Name: Throughput, Levels: Closed, Unit: "1/s", Better: Higher, Nature: Clock, Note: "open loop: the offered rate, as long as it is held", Noted: Open | FixedRate,
		In: Requests | Driven, Verdict: Closed | Unthrottled, Swept: map[Regimes]int{Open: 4, Closed: 1, Unthrottled: 3, FixedRate: 3}, Claimed: true, Named: true, Stops: true},
	{Name: "operations_completed", Unit: "count", Better: Higher, Nature: Count, Note: "in the window of one run", In: Requests, Named: true},
	{Name: LatencyMean, Unit: "s", Better: Lower, Nature: Latency, In: Open, Verdict: All, Limited: true, Budget: []string{"mean", "latency"}},
	{Name: LatencyP50, Levels: Open, Unit: "s", Better: Lower, Nature: Latency, In: Open, Verdict: All, Percentile: 50, Swept: map[Regimes]int{Open: 2}, Main: true, Claimed: true, Limited: true, Budget: []string{"p50"},
		Beside: []string{LatencyP50, LatencyMean, "latency_p75", LatencyP95, LatencyP99, CPUUtilisation, "operations_completed"}},
	{Name: "latency_p75", Unit: "s", Better: Lower, Nature: Latency, In: Open, Verdict: All, Percentile: 75, Limited: true, Budget: []string{"p75"}},
	{Name: "latency_p90", Unit: "s", Better: Lower, Nature: Latency, In: Open, Verdict: All, Percentile: 90, Limited: true, Budget: []string{"p90"}},
	{Name: LatencyP95, Spare: true, Unit: "s", Better: Lower, Nature: Latency, In: Open, Verdict: All, Percentile: 95, Main: true, Claimed: true, Limited: true, Budget: []string{"p95"}},
	{Name: LatencyP99, Levels: Open, Unit: "s", Better: Lower, Nature: Latency, In: Open, Verdict: All, Percentile: 99, Swept: map[Regimes]int{Open: 3}, Main: true, Claimed: true, Limited: true, Budget: []string{"p99"}},
	{Name: "latency_p999", Title: "latency p99.9", Unit: "s", Better: Lower, Nature: Latency, In: Open, Verdict: All, Percentile: 99.9, Limited: true, Budget: []string{"p999"}},
	{Name: "latency_max", Unit: "s", Better: Lower, Nature: Latency, In: Open, PointOnly: true, Limited: true, Budget: []string{"max"}},
	{Name: BenchmarkTimeMean, Title: "benchmark time", Unit: "s", Better: Lower, Nature: Clock, Note: "the work itself, as the program measures it", In: Requests, Verdict: All, Main: true, Limited: true},
	{Name: BenchmarkTimeP50, Unit: "s", Better: Lower, Nature: Clock, In: Requests, Verdict: All, Percentile: 50, Limited: true},
	{Name: BenchmarkTimeP99, Unit: "s", Better: Lower, Nature: Clock, In: Requests, Verdict: All, Percentile: 99, Limited: true},
	{Name: InitTime, Unit: "s", Better: Lower, Nature: Clock, Note: "from the fork of an environment to its first request for an invocation", In: Requests, Verdict: All, Main: true, Limited: true},
	{Name: PlatformTime, Unit: "s", Better: Lower, Nature: Clock, Note: "client time less benchmark time", In: Open, Verdict: All, Limited: true},
	{Name: CPUAfterAnswer, Title: "CPU after the answer", Unit: "s", Better: Lower, Note: "per invocation, until the next one; part of CPU per operation", In: Requests, Verdict: All, Main: true, Limited: true},
	{Name: "context_switches", Title: "context switches per op", Unit: "count", Better: Lower, Note: "per operation", In: Requests | Driven, Verdict: All, Limited: true},
	{Name: ExportPerOperation, Title: "export per op", Unit: "bytes", Better: Lower, In: Requests | Driven, Verdict: All, Main: true, Claimed: true, Limited: true},
	{Name: ExportRequests, Title: "export requests per op", Unit: "count", Better: Lower, Nature: Count, In: Requests | Driven, Named: true},
	{Name: KeptShare, Unit: "1", Nature: Count, Note: "traces that came, over operations", In: Requests, Named: true},
	{Name: DeliveredRate, Saturated: 5, Short: "spans", Unit: "1/s", Better: Higher, Nature: Count, In: Requests | Driven, Named: true, Side: Waiting},
	{Name: "allocation_per_operation", Title: "allocation per op", Short: "allocated per op", Unit: "bytes", Better: Lower, In: Driven, Verdict: All, Limited: true, Side: Heap},
	{Name: "gc_count", Title: "GC count per million ops", Short: "GC per million", Unit: "count", Better: Lower, Note: "per million operations", In: Driven, Verdict: All, Named: true, Side: Heap},
	{Name: "gc_time", Title: "GC time per op", Short: "GC time per op", Unit: "s", Better: Lower, Nature: Clock, Note: "per operation", In: Driven, Verdict: All, Named: true, Side: Heap},
	{Name: "heap_peak", Short: "peak", Unit: "bytes", Better: Lower, Note: "the most seen between batches of operations", In: Driven, Verdict: All, Named: true, Side: Heap},
	{Name: "heap_live", Short: "live", Unit: "bytes", Better: Lower, Note: "after a full collection behind the window", In: Driven, Verdict: All, Named: true, Side: Heap},
	{Name: MemoryMean, Unit: "bytes", Better: Lower, Note: "under the load of the last window, when every operation has been made",
		In: All &^ Search, Verdict: All, WholeRun: true, OfLoad: true, Parts: true, Limited: true},
	{Name: MemoryPeak, Unit: "bytes", Better: Lower, Note: "the most in the life of the processes, once they were ready",
		In: All &^ Search, Verdict: All, WholeRun: true, OfLoad: true, Parts: true, Main: true, Claimed: true, Limited: true, Budget: []string{"memory"}},
	{Name: "idle_cpu", Title: "idle CPU", Unit: "1", Better: Lower, In: All, Verdict: All, WholeRun: true, Main: true, Named: true},
	{Name: StartupTime, Title: "start-up time", Unit: "s", Better: Lower, Nature: Clock, In: All, Verdict: All, WholeRun: true, Main: true, Claimed: true, Limited: true, Budget: []string{"startup"}},
	{Name: FirstOperationTime, Title: "first operation", Unit: "s", Better: Lower, Nature: Clock, In: All, Verdict: All, WholeRun: true, Limited: true},

	// These the analysis makes of several others, or of the ledger.
	{Name: CPUPerSpan, Levels: Driven, Title: "CPU per span", Unit: "s", Better: Lower, Verdict: All, Main: true, Named: true},
	{Name: CPUPerKeptTrace, Title: "CPU per kept trace", Unit: "s", Better: Lower, Main: true, Named: true},
	{Name: DeliveredShare, Saturated: 4, Short: "delivered", Unit: "1", Better: Higher, Nature: Count, Named: true, Side: Waiting},
	{Name: LostShare, Unit: "1", Better: Lower, Nature: Loss, Limited: true, Budget: []string{"lost"}},
	{Name: Slope, Short: "each further call", Unit: "s", Better: Lower, Nature: Fit, Verdict: All, Main: true, Named: true, Side: Line},
	{Name: Base, Short: "beside", Unit: "s", Better: Lower, Nature: Fit, Verdict: All, Main: true, Named: true, Side: Line},
	{Name: R2, Title: "r²", Short: "R²", Unit: "1", Nature: Fit, Named: true, Side: Line},
	{Name: "time_per_call_slope", Unit: "s", Better: Lower, Nature: Fit},
	{Name: "time_per_call_base", Unit: "s", Better: Lower, Nature: Fit},
	{Name: "time_per_call_r2", Title: "time per call r²", Unit: "1", Nature: Fit},
}, causes)
