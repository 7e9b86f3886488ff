// This file has how the runs fared, and what is to be known of them.

package finding

import (
	"slices"

	"github.com/tracetax/tracetax/internal/metric"
)

// Warning is the harness accusing itself: what it saw, and what to do.
type Warning struct {
	Code     string `json:"code"`            // from a closed list, see docs/warnings.md
	Severity string `json:"severity"`        // "note", "warning" or "spoiled"
	Text     string `json:"text"`            // what was seen, in words
	Advice   string `json:"advice"`          // what to do
	Where    string `json:"where,omitempty"` // operation, variant or block
	From     string `json:"from,omitempty"`  // code of another warning that may be why this one is there
}

// Runs counts the runs that the findings rest on.
type Runs struct {
	Good       int      `json:"good"`                 // runs with a usable result
	Failed     int      `json:"failed"`               // runs without one
	Blocks     int      `json:"blocks"`               // whole blocks
	Sittings   int      `json:"sittings,omitempty"`   // that the blocks lie in, apart in time: from 6 on each counts as one block; absent: one
	Nodes      int      `json:"nodes,omitempty"`      // of a cluster, on which the blocks were made: from 6 on each counts as one block, unless these end at a precision; absent: none, or one
	Generators int      `json:"generators,omitempty"` // of a cluster, in pods of their own, that shared the load of each run: what CPU they use is not known; absent: one process
	Stopped    string   `json:"stopped,omitempty"`    // why no more blocks were made, where their number was not fixed
	Stop       *Reason  `json:"stop,omitempty"`       // the same as a code with figures
	Dropped    []string `json:"dropped,omitempty"`    // blocks left out, and why
	Spoilt     []Reason `json:"spoilt,omitempty"`     // the same as codes with figures
	Failure    []string `json:"failures,omitempty"`   // why runs failed: a cause in full where it first occurs

	Variants []VariantRuns `json:"variants,omitempty"` // the same by variant
}

// VariantRuns has the runs of one variant.
type VariantRuns struct {
	Variant string `json:"variant"` // name of the variant
	Good    int    `json:"good"`    // runs with a usable result
	Failed  int    `json:"failed"`  // attempts
	Blocks  int    `json:"blocks"`  // that count: a good run beside a good baseline
	Dropped int    `json:"dropped"` // blocks left out because this variant's run was spoiled
}

// Answers are those that an operation of a variant got in all measured windows, by their status: of operations for which
// several are right, as where some fail on purpose.
type Answers struct {
	Operation string            `json:"operation"`           // the operation; "" for the whole run
	Parameter map[string]string `json:"parameter,omitempty"` // the level of what was varied between phases, as {"connections": "4"}; levels are never mixed
	Variant   string            `json:"variant"`             // name of the variant
	Statuses  map[int]uint64    `json:"statuses"`            // how many answers it got, by status
}

// This file has what is of the load of a whole run: what was left undone on any of its operations
// counts there.

// IsOfLoad reports whether a metric is of the whole run, and of what all its operations made it
// do. Others of the whole run are of its start.
func IsOfLoad(name string) bool {
	row, _ := metric.Of(name)
	return row.OfLoad
}

// LostOf is what a variant lost of the spans of what a finding is about, as Lost has it: at the
// worst of all operations where it is of the load of the whole run. It is nil where nothing was.
func (d *Document) LostOf(f *Finding, variant string) *Lossy {
	if !IsOfLoad(f.Metric) {
		return d.Lost(f.Operation, f.Parameter, variant)
	}
	var worst *Lossy
	for i := range d.Lossy {
		if l := &d.Lossy[i]; l.Variant == variant && (worst == nil || l.LostShare > worst.LostShare) {
			worst = l
		}
	}
	return worst
}

// LostShareOf is the share of its spans that LostOf tells of; 0 where it is nil.
func (d *Document) LostShareOf(f *Finding, variant string) float64 {
	if l := d.LostOf(f, variant); l != nil {
		return l.LostShare
	}
	return 0
}

// UnknownLossOf is what nobody knows of what a variant lost of the spans of what a finding is about, as UnknownLoss has
// it: at the worst of all operations where it is of the load of the whole run.
func (d *Document) UnknownLossOf(f *Finding, variant string) *LossUnknown {
	if !IsOfLoad(f.Metric) {
		return d.UnknownLoss(f.Operation, f.Parameter, variant)
	}
	var worst *LossUnknown
	for i := range d.LossUnknown {
		if l := &d.LossUnknown[i]; l.Variant == variant && (worst == nil || l.LostMost > worst.LostMost) {
			worst = l
		}
	}
	return worst
}

// LostMostOf is the share of its spans that a variant may have lost of what a finding is about: for sure, or unknown to
// anybody.
func (d *Document) LostMostOf(f *Finding, variant string) float64 {
	most := d.LostShareOf(f, variant)
	if unknown := d.UnknownLossOf(f, variant); unknown != nil {
		most = max(most, unknown.LostMost)
	}
	return most
}

// UntracedIn reports whether no span came of a variant of what a finding is about, or, where it
// is of the load of the whole run, of any of its operations.
func (d *Document) UntracedIn(f *Finding, variant string) bool {
	if !IsOfLoad(f.Metric) {
		return d.IsUntraced(variant, f.Operation)
	}
	return slices.ContainsFunc(d.Untraced, func(u Untraced) bool { return u.Variant == variant })
}

// This file has the words of self-driving workloads: what each step of
// tracing adds, and which variants lost too many spans to be ranked.

// Increment is what further steps of tracing add: one variant of a tracer over another
// one that runs fewer of its steps, within blocks.
type Increment struct {
	Operation string            `json:"operation"`           // the operation; "" for the whole run
	Parameter map[string]string `json:"parameter,omitempty"` // the level of what was varied between phases, as {"connections": "4"}; levels are never mixed
	Tracer    string            `json:"tracer"`              // name of the tracer
	Steps     []string          `json:"steps"`               // that Variant runs and Over does not
	Variant   string            `json:"variant"`             // the variant that runs more of the steps
	Over      string            `json:"over"`                // the variant that runs fewer
	Metric    string            `json:"metric"`              // name of the metric
	Unit      string            `json:"unit"`                // of the values: "s", "bytes", "1" (a share: 0.05 is 5 %; CPU seconds a second are shares of one CPU), "1/s" or "count"
	Before    float64           `json:"before"`              // centre of Over's blocks
	Value     float64           `json:"value"`               // centre of Variant's blocks
	Absolute  *Interval         `json:"absolute"`            // what the steps add, in Unit
	Relative  *Interval         `json:"relative"`            // likewise, over Before; nil where that is zero
	Blocks    int               `json:"blocks"`              // pairs that the intervals rest on
	Stages    []string          `json:"stages,omitempty"`    // of tracing, in which a profile sees these steps
	Profiled  *Interval         `json:"profiled,omitempty"`  // what these stages add by profiles of both variants, in Unit
	Disagree  bool              `json:"disagree,omitempty"`  // the two differ by over a fifth of what the steps add, and beyond chance
	Notes     []Reason          `json:"notes,omitempty"`     // what is to be known beside it
	Note      string            `json:"note,omitempty"`      // the same in words
}

// ServiceCost is the CPU per operation of one service: a process of the workload with all that stands beside it, or what stands
// by itself, as a collector. Those of a pair add up to the CPU per operation over all roles, but for the centres. It has no verdict.
type ServiceCost struct {
	Operation string            `json:"operation"`           // the operation
	Parameter map[string]string `json:"parameter,omitempty"` // the level of what was varied between phases, as {"connections": "4"}; levels are never mixed
	Variant   string            `json:"variant"`             // name of the variant
	Against   string            `json:"against"`             // the variant that it is compared with
	Service   string            `json:"service"`             // its name; "" for all that the short tables do not name
	Others    int               `json:"others,omitempty"`    // how many these are
	Roles     []string          `json:"roles"`               // of its processes
	Baseline  Number            `json:"baseline"`            // s: centre of Against's blocks (Hodges–Lehmann); null where that is below zero: less than when it is idle
	Value     Number            `json:"value"`               // s: centre of Variant's blocks, likewise
	Absolute  *Interval         `json:"absolute"`            // s: difference; null where the two cannot be compared
	Blocks    int               `json:"blocks"`              // pairs that the interval rests on
}

// Call is the number of calls from one process to another in an operation, by the workload's topology.
type Call struct {
	Operation string  `json:"operation"` // the operation; of a mix the average
	From      string  `json:"from"`      // name of the process that calls
	To        string  `json:"to"`        // name of the process that is called
	Low       float64 `json:"low"`       // calls per operation
	High      float64 `json:"high"`      // the same
}

// Lossy is a variant which lost over 1 % of its spans on an operation: in its window, of a
// search at the rate that it found, and unthrottled, made by the workload itself, also in the
// warm-up or by a limit of its own. It is excluded from the ranking: what it costs is the cost of less work.
type Lossy struct {
	Operation string            `json:"operation"`           // the operation; "" for the whole run
	Parameter map[string]string `json:"parameter,omitempty"` // the level of what was varied between phases, as {"connections": "4"}; levels are never mixed
	Variant   string            `json:"variant"`             // name of the variant
	LostShare float64           `json:"lost_share"`          // share of its spans that it lost, 0 to 1
	Part      string            `json:"part,omitempty"`      // what that is the share of: "in the window" (without the warm-up) or "at the rate found"; "": all of the phase, or of the run
	Spans     int64             `json:"spans"`               // that were lost
	Where     []LostAt          `json:"where"`               // places where they were lost, the most first
	Metric    string            `json:"metric,omitempty"`    // the headline, that Cost is of
	Cost      *Interval         `json:"cost,omitempty"`      // relative, of the headline: the least that it costs, had it sent all spans; absent where no ratio answers, and where the baseline lost spans or may have
	Added     *Interval         `json:"added,omitempty"`     // likewise as an amount, in Unit, where no ratio answers
	Unit      string            `json:"unit,omitempty"`      // of Added
	Text      string            `json:"text"`                // the same in words
}

// The places where spans are lost.
const (
	LostByLimit  = "limit"    // of the tracer's own
	LostInQueue  = "queue"    // of the tracer
	LostInStream = "stream"   // to the receiver
	LostAtStop   = "stop"     // still with the tracer
	LostOnWay    = "hop"      // on the way, by its own word
	LostAtSink   = "receiver" //
	LostNowhere  = "unknown"  // the place is not reported
)

// LostPlaces are all of them, in the order of a span's way.
var LostPlaces = []string{LostByLimit, LostInQueue, LostInStream, LostAtStop, LostOnWay, LostAtSink, LostNowhere}

// LostAt is the number of spans lost at one place.
type LostAt struct {
	Place string  `json:"place"` // "limit" (of the tracer's own), "queue" (of the tracer), "stream" (to the receiver), "stop" (still with the tracer), "hop" (on the way, by its own word), "receiver" or "unknown"
	Spans int64   `json:"spans"` // how many were lost there
	Share float64 `json:"share"` // of all that should have arrived
}

// This file has the words of sweeps and of searches for a capacity.

// Sweep is a metric of one variant on one operation over a parameter that was
// varied between phases: throughput against connections, say.
type Sweep struct {
	Operation string       `json:"operation"`      // the operation; "" for the whole run
	Variant   string       `json:"variant"`        // name of the variant
	Parameter string       `json:"parameter"`      // what was varied: "connections", "rate", "depth" or "threads"
	Metric    string       `json:"metric"`         // name of the metric
	Unit      string       `json:"unit"`           // of the values: "s", "bytes", "1" (a share: 0.05 is 5 %; CPU seconds a second are shares of one CPU), "1/s" or "count"
	Points    []SweepPoint `json:"points"`         // one a level; none where a run cannot give it, nor for the latency of a variant that could not hold the rate
	Knee      *Knee        `json:"knee,omitempty"` // from where on more brings little more; absent where none was found, or noise hides it
}

// SweepPoint is the centre over the blocks that count, with its 95 % interval
// where there are enough.
type SweepPoint struct {
	X    float64  `json:"x"`    // the level
	Y    float64  `json:"y"`    // centre over the blocks
	Low  *float64 `json:"low"`  // lower end of the 95 % interval; null with too few blocks
	High *float64 `json:"high"` // upper end, likewise
}

// Knee is from where on more of the parameter brings little more of the metric.
type Knee struct {
	X     float64  `json:"x"`               // the first level from which every larger one surely brings less than a tenth more a doubling
	First bool     `json:"first,omitempty"` // X is the first level: the knee may lie below
	After *float64 `json:"after,omitempty"` // it lies between this level and X, where that is not known better
	Under float64  `json:"under"`           // what a doubling brings from there on is under this share
	Last  float64  `json:"last"`            // up to this level
	Gain  Interval `json:"gain"`            // what it brings there
	Text  string   `json:"text"`            // the same in words
}

// KindLossless is the kind of a search for the highest rate without loss: above it probes lose spans by design.
const KindLossless = "lossless"

// Search is how the searches for a capacity went, for one variant on one operation,
// all blocks together. The capacity itself is a Finding.
type Search struct {
	Operation string            `json:"operation"`           // the operation; "" for the whole run
	Variant   string            `json:"variant"`             // name of the variant
	Parameter map[string]string `json:"parameter,omitempty"` // the level of what was varied between phases, as {"connections": "4"}; levels are never mixed
	Kind      string            `json:"kind"`                // of the goal: "cpu", "latency" or "lossless"
	Target    float64           `json:"target"`              // a share for cpu, seconds for latency, lost spans for lossless
	Goal      string            `json:"goal"`                // e.g. "75 % of the app's CPU"
	Method    string            `json:"method"`              // "fit"
	Rate      *Interval         `json:"rate"`                // operations/s: centre over the blocks; nil where a search met a limit, or too few were steady
	Outcomes  []string          `json:"outcomes"`            // by block: "found", "saturated", "by-generator", "above-max", "below-least", "no-spans" or "unsteady"
	Repeated  int               `json:"repeated,omitempty"`  // searches that were made twice, because the first ended unsteady
	Held      float64           `json:"held,omitempty"`      // operations/s: the least, over the blocks, of the highest that passed; 0: there is none
	Failed    float64           `json:"failed,omitempty"`    // operations/s: the lowest that a search ended with as not passing; 0: there is none
	Below     int               `json:"below,omitempty"`     // blocks in which a probe at Held or a lower rate did not pass, whatever their search ended with
	LostShare *float64          `json:"lost_share"`          // of the spans at the rates found, over the blocks, for sure; nil: not known, or lost on purpose
	Binding   string            `json:"binding"`             // what keeps it from more: the most frequent first, with counts where they differ
	Linear    int               `json:"linear"`              // searches whose fit held, the CPU in proportion to the rate
	Base      *float64          `json:"base,omitempty"`      // of those: centre of the share of the CPU at no load
	Demand    *float64          `json:"demand,omitempty"`    // of those: centre of the share of the CPU that one operation/s takes
	Seconds   float64           `json:"seconds"`             // centre of the length of a search
	Points    []SearchPoint     `json:"points"`              // every probe of every block
	Text      string            `json:"text"`                // one sentence
	Ended     string            `json:"-"`                   // why no rate was found, which Text has behind the goal; "" where one was, and in a document that was read
}

// SearchPoint is one probe.
type SearchPoint struct {
	Block       int     `json:"block"`             // number of the block, from 1
	Purpose     string  `json:"purpose"`           // "probe", "verify" or "bisect"
	Rate        float64 `json:"rate"`              // operations/s asked for
	Utilisation float64 `json:"utilisation"`       // share of the app's CPU that was used
	Seconds     float64 `json:"seconds,omitempty"` // the latency looked at, for a latency goal
	Lost        float64 `json:"lost,omitempty"`    // spans that were lost
	Passed      bool    `json:"passed"`            // the goal was met
	Why         string  `json:"why,omitempty"`     // what failed, in words
}
