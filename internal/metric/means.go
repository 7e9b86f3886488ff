package metric

// Means says what a metric is in one run, or how it is made of others; "" of one that the table does not have.
func Means(name string) string { return means[name] }

const ofRun = "Anonymous and shared memory of the whole run, summed over all but load generator and sink; by role and service too where there are helpers (sidecar, collector, backend). None of a search. "

// means is by name: what a schema and a reader of findings.json are told.
var means = map[string]string{
	Capacity: "The rate found, in operations/s; only where every search of both sides found one. Where the probes of a search contradict each other its block does not count; with over a fifth of such blocks there is no capacity.",

	TimePerCall:         "Of self-driving workloads: all durations over the calls made. The headline; an amount where the operation is empty. Read it beside CPU, delivered_share and delivered_rate.",
	TimePerCallP50:      "Of self-driving workloads, only unthrottled: median of the durations.",
	"time_per_call_p90": "Likewise the 90th percentile.",
	"time_per_call_p99": "Likewise the 99th percentile.",

	CPUPerOperation: "(CPU seconds from the start of the window until the sink is quiet and the processes are calm − idle rate × drain) / operations started; the idle rate is read before the first phase and after the last, and where the two differ by over 1 % of this, or it is not known, nothing is taken off of any variant. Role \"\": all but load generator and sink. Also by role (those two without verdict) and, without verdict, by role and service, where something stands beside some of several services or a variant is on some. Values below zero are kept.",
	BlockedTime:     "Time of the operations less CPU time of the threads that make them (never below 0), per operation; only unthrottled.",
	CPUUtilisation:  "The CPU seconds of cpu_per_operation per second of window.",
	Throughput:      "Operations completed per second, until the last one's end. No verdict at a fixed rate.",

	"operations_completed": "Operations completed in the window. No verdict.",

	LatencyMean:    "Mean latency, from the intended start; none in a closed loop, and none of a run with time-outs.",
	LatencyP50:     "Median latency, from the intended start; none in a closed loop. A quantile needs 20 values above it in each run, and no time-outs among them.",
	"latency_p75":  "Likewise the 75th percentile.",
	"latency_p90":  "Likewise the 90th percentile.",
	LatencyP95:     "Likewise the 95th percentile.",
	LatencyP99:     "Likewise the 99th percentile.",
	"latency_p999": "Likewise the 99.9th percentile.",
	"latency_max":  "Largest latency; without an interval, and none of a run with time-outs.",

	"context_switches": "Per operation, less the idle rate over the drain, as of cpu_per_operation.",
	ExportPerOperation: "Bytes at the sink, still compressed, over operations started.",
	ExportRequests:     "Requests that the sink accepted, of spans or of anything else, over operations started; a stream is one. None through a hop, whose own they would be. No verdict.",
	KeptShare:          "Traces of which something came over operations started, where something decides on them and each begins one; not given over 1 % lost. No verdict.",
	DeliveredRate:      "Spans delivered per second of window.",

	"allocation_per_operation": "As the language tells: bytes allocated per operation.",
	"gc_count":                 "As the language tells: collections per million operations.",
	"gc_time":                  "As the language tells: seconds of collections per operation.",
	"heap_peak":                "As the language tells: most in use between batches.",
	"heap_live":                "As the language tells: in use after a full collection behind the window.",

	MemoryMean: ofRun + "Mean over the last window's load.",
	MemoryPeak: ofRun + "Peak from ready until the last spans have come: an upper bound, since the peaks of several processes need not coincide.",

	"idle_cpu":             "CPU seconds per second before the first phase, all but load generator and sink.",
	StartupTime:            "First fork to the last process ready.",
	"first_operation_time": "Duration of the first operation after the start.",

	CPUPerSpan:      "Added CPU over added spans to be delivered (spans × sampled share), both per operation. Absolute only; not given where either side is lossy, or where no span may be added.",
	CPUPerKeptTrace: "Added CPU per operation over the added kept_share, by role too where there are helpers. Absolute only, no verdict; not given over 1 % lost.",
	DeliveredShare:  "Delivered over expected spans. A budget for lost is judged here, from the ledger, warm-up included.",
	LostShare:       "Lost over expected spans: what a budget for lost and a claim of a study are about.",

	Slope:                 "Of a sweep over call depth: slope of a least-squares line in each block through variant − baseline of time_per_call. The headline; a level has a verdict only against a budget.",
	Base:                  "Where that line begins.",
	R2:                    "How well that line fits.",
	"time_per_call_slope": "Slope of such a line through time_per_call itself, of both sides.",
	"time_per_call_base":  "Where that line begins.",
	"time_per_call_r2":    "How well that line fits.",
}
