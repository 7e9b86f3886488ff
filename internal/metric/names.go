package metric

// The names that other packages use.
const (
	CPUPerOperation    = "cpu_per_operation"
	CPUPerSpan         = "cpu_per_span"
	CPUPerKeptTrace    = "cpu_per_kept_trace"
	KeptShare          = "kept_share"
	CPUUtilisation     = "cpu_utilisation"
	Capacity           = "capacity"
	TimePerCall        = "time_per_call"
	TimePerCallP50     = "time_per_call_p50"
	Throughput         = "throughput"
	LatencyMean        = "latency_mean"
	LatencyP50         = "latency_p50"
	LatencyP95         = "latency_p95"
	LatencyP99         = "latency_p99"
	MemoryMean         = "memory_mean"
	MemoryPeak         = "memory_peak"
	ExportPerOperation = "export_bytes_per_operation"
	ExportRequests     = "export_requests_per_operation"
	StartupTime        = "startup_time"
	BlockedTime        = "blocked_time"
	DeliveredShare     = "delivered_share"
	DeliveredRate      = "delivered_rate"
	LostShare          = "lost_share"
	Slope              = "slope"
	Base               = "base"
	R2                 = "r2"
)

// shown is the order in which a reader wants them. A metric that is not in here comes behind these.
var shown = []string{
	Capacity, CPUPerOperation, TimePerCall, TimePerCallP50, "time_per_call_p90", "time_per_call_p99", BlockedTime,
	LatencyMean, LatencyP50, "latency_p75", "latency_p90", LatencyP95, LatencyP99, "latency_p999", "latency_max",
	Throughput, "operations_completed", MemoryMean, MemoryPeak, "allocation_per_operation", "gc_count", "gc_time", "heap_peak", "heap_live",
	"context_switches", ExportPerOperation, ExportRequests, StartupTime, "first_operation_time", "idle_cpu", CPUUtilisation, CPUPerSpan, CPUPerKeptTrace, KeptShare,
	DeliveredShare, DeliveredRate, Slope, Base, R2, "time_per_call_slope", "time_per_call_base", "time_per_call_r2",
}
