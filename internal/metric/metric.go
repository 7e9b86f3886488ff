// Package metric owns the table of what is measured: one row each, which the experiment file, the analysis, comparisons,
// studies and every report read. It is a leaf. It must not know how a metric is read in a run: that is the analysis's,
// by the names of this table.
package metric

import (
	"slices"
	"strings"
)

// Nature is the kind of a metric.
type Nature int

// The natures.
const (
	Cost    Nature = iota // what a program takes
	Latency               // of the latency distribution: needs the same rate on both sides
	Clock                 // by the clock on the wall: not in the order woven, whose programs share their CPUs
	Count                 // of what was done or arrived, which costs nobody anything
	Fit                   // of a line through what was measured
	Loss                  // of spans: counted by the ledger, in no run by itself
)

// Regimes are ways in which operations are made to happen, as a set.
type Regimes uint

// The regimes.
const (
	Open        Regimes = 1 << iota // at a given rate
	Closed                          // by a number of connections kept busy
	Search                          // at the rates of a search for the capacity
	Unthrottled                     // by the workload itself, one after the other
	FixedRate                       // by the workload itself, at a given rate

	Requests = Open | Closed
	Driven   = Unthrottled | FixedRate
	All      = Requests | Driven | Search
)

// Has reports whether a set has a regime.
func (r Regimes) Has(one Regimes) bool { return r&one != 0 }

// Which way is better.
const (
	Lower  = "lower"
	Higher = "higher"
)

// Side is a table of metrics that are of little use without each other.
type Side string

// The sides.
const (
	Line    Side = "the line of what is added, over depth"
	Waiting Side = "waiting, and what arrived"
	Heap    Side = "heap"
)

// Row is one metric.
type Row struct {
	Name   string
	Title  string // for a reader; "": the name, with spaces
	Short  string // the head of a column of a side, or of what is read together in saturation
	Unit   string
	Better string // Lower or Higher; "": neither
	Nature Nature
	Note   string // for a reader, in the regimes Noted

	In         Regimes         // measured there, by the analysis's reading of that name
	Headline   Regimes         // the answer is made of it there
	Verdict    Regimes         // it has a verdict there
	Uncompared Regimes         // each side's is of other work there: there is no difference to take
	Noted      Regimes         // the note is of these; none: of all
	Swept      map[Regimes]int // drawn over levels there, in this order

	WholeRun   bool    // not of an operation
	OfLoad     bool    // of the run, and of what was asked of it: memory
	Charged    bool    // of each role too
	Parts      bool    // of each role too, where there are helpers such as a sidecar
	PointOnly  bool    // an estimate without an interval
	Percentile float64 // latency: at which the generator's lag is looked at; 0 is the mean

	Main      bool    // the short tables show it
	Spare     bool    // between two that matter more: the first to go where there is little room
	Levels    Regimes // a table over the levels shows it there, as it does the headline
	Saturated int     // its place among what is read together in saturation; 0: it is not

	Claimed bool     // a comparison gives it a verdict without being asked
	Budget  []string // short words of it in a budget
	Limited bool     // a budget may name it
	Named   bool     // a study's figures and claims may name it, as they may what a budget may name
	Stops   bool     // a precision to stop at may name it, as it may what a budget may name
	Cause   Cause    // zero: it is none
	Side    Side     // the table in which it stands with others
	Beside  []string // what must be read with it in a study: without the delivered spans, an agent that throws spans away looks cheap
}

// Notes returns the note of a metric in a regime, "" where it has none.
func (r Row) Notes(how Regimes) string {
	if r.Noted != 0 && !r.Noted.Has(how) {
		return ""
	}
	return r.Note
}

// Of returns the row of a metric, false where the table has none.
func Of(name string) (Row, bool) {
	i := slices.IndexFunc(Table, func(r Row) bool { return r.Name == name })
	if i < 0 {
		return Row{Name: name}, false
	}
	return Table[i], true
}

// Must returns the row of a metric that the table has.
func Must(name string) Row {
	row, known := Of(name)
	if !known {
		panic("no metric " + name)
	}
	return row
}

// Title returns a metric's name for a reader: "latency p75" for latency_p75.
func Title(name string) string {
	if row, _ := Of(name); row.Title != "" {
		return row.Title
	}
	return strings.ReplaceAll(name, "_", " ")
}

// Timed reports whether a metric is of how long things take, by the clock on the wall.
func (r Row) Timed() bool { return r.Nature == Latency || r.Nature == Clock || r.Nature == Fit }

// Where returns the names of the rows for which it is so, in the order of the table.
func Where(is func(Row) bool) []string {
	var names []string
	for _, r := range Table {
		if is(r) {
			names = append(names, r.Name)
		}
	}
	return names
}

// Swept are the names of what is drawn over levels in a regime, in order.
func Swept(how Regimes) []string {
	names := Where(func(r Row) bool { return r.Swept[how] > 0 })
	slices.SortFunc(names, func(a, b string) int { return Must(a).Swept[how] - Must(b).Swept[how] })
	return names
}

// OfSide are the metrics of a side, in the order in which a reader wants them.
func OfSide(side Side) []Row {
	names := Where(func(r Row) bool { return r.Side == side })
	slices.SortFunc(names, func(a, b string) int { return Rank(a) - Rank(b) })
	var rows []Row
	for _, name := range names {
		rows = append(rows, Must(name))
	}
	return rows
}

// InSaturation are the names of what is read together in saturation, in order: an agent that throws spans away is fast in
// the first two.
func InSaturation() []string {
	names := Where(func(r Row) bool { return r.Saturated > 0 })
	slices.SortFunc(names, func(a, b string) int { return Must(a).Saturated - Must(b).Saturated })
	return names
}

// Limits are the short words that a budget may use, and what they mean.
func Limits() map[string]string {
	words := map[string]string{}
	for _, r := range Table {
		for _, word := range r.Budget {
			words[word] = r.Name
		}
	}
	return words
}

// Rank is the place of a metric in the order in which a reader wants them. Those that this order leaves out follow in the
// table's; unknown ones come last.
func Rank(name string) int {
	if i := slices.Index(shown, name); i >= 0 {
		return i
	}
	if i := slices.IndexFunc(Table, func(r Row) bool { return r.Name == name }); i >= 0 {
		return len(shown) + i
	}
	return len(shown) + len(Table)
}

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
	FirstOperationTime = "first_operation_time"
	BenchmarkTimeMean  = "benchmark_time_mean"
	BenchmarkTimeP50   = "benchmark_time_p50"
	BenchmarkTimeP99   = "benchmark_time_p99"
	InitTime           = "init_time"
	PlatformTime       = "platform_time"
	CPUAfterAnswer     = "cpu_after_answer"
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
	Capacity, CPUPerOperation, TimePerCall, TimePerCallP50, "time_per_call_p90", "time_per_call_p99", "time_per_call_max", BlockedTime,
	LatencyMean, LatencyP50, "latency_p75", "latency_p90", LatencyP95, LatencyP99, "latency_p999", "latency_max",
	BenchmarkTimeMean, BenchmarkTimeP50, BenchmarkTimeP99, InitTime, PlatformTime, CPUAfterAnswer,
	Throughput, "operations_completed", MemoryMean, MemoryPeak, "allocation_per_operation", "gc_count", "gc_time", "heap_peak", "heap_live",
	"context_switches", ExportPerOperation, ExportRequests, StartupTime, FirstOperationTime, "idle_cpu", CPUUtilisation, CPUPerSpan, CPUPerKeptTrace, KeptShare,
	DeliveredShare, DeliveredRate, Slope, Base, R2, "time_per_call_slope", "time_per_call_base", "time_per_call_r2",
}
