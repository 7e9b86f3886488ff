// Package finding owns the words in which a result is told: the findings
// document that is written as findings.json and that every report shows.
// It is a leaf beside record: analysis makes it, report reads it.
package finding

import "time"

// Schema is the version of the findings document.
const Schema = 3

// Document is all that came of one experiment.
type Document struct {
	Schema      int            `json:"schema"`
	Tool        string         `json:"tool"` // version of tracetax
	Created     time.Time      `json:"created"`
	Results     string         `json:"results"`    // the results folder
	Experiment  Experiment     `json:"experiment"` // as resolved
	Environment map[string]any `json:"environment"`
	Summary     string         `json:"summary,omitempty"` // one sentence of 25 words at most, where so few can tell it
	FullSummary string         `json:"full_summary"`      // one sentence with all of it
	Quick       bool           `json:"quick"`             // figures only: no intervals, no verdicts
	Warnings    []Warning      `json:"warnings"`
	Findings    []Finding      `json:"findings"`
	Curves      []Curve        `json:"curves"`
	Sweeps      []Sweep        `json:"sweeps,omitempty"`
	Searches    []Search       `json:"searches,omitempty"`
	Increments  []Increment    `json:"increments,omitempty"`
	Lossy       []Lossy        `json:"lossy,omitempty"`
	LossUnknown []LossUnknown  `json:"loss_unknown,omitempty"`
	Suppressed  []Suppressed   `json:"suppressed,omitempty"`
	Untraced    []Untraced     `json:"untraced,omitempty"`
	Ledgers     []Ledger       `json:"ledgers"`
	Answers     []Answers      `json:"answers,omitempty"`
	Runs        Runs           `json:"runs"`
	Repeat      []string       `json:"repeat"` // commands that repeat the experiment
}

// Experiment is what was compared, in words for a reader; the file that repeats
// it is experiment.yaml in the results folder.
type Experiment struct {
	Name       string             `json:"name"`
	Workload   string             `json:"workload"`
	Operations []string           `json:"operations"`
	Variants   []Variant          `json:"variants"`            // the first is the baseline
	Load       string             `json:"load"`                // e.g. "500 operations/s for 20s, open loop"
	Blocks     int                `json:"blocks"`              // asked for; at least, where Most is set
	Most       int                `json:"most,omitempty"`      // at most, where the experiment stops at a precision
	Precision  float64            `json:"precision,omitempty"` // half-width to stop at, 0.02 is ±2 %
	Metric     string             `json:"metric,omitempty"`    // of which metric
	Pilot      []string           `json:"pilot,omitempty"`     // where a relative rate came from, a sentence an operation
	Warmup     string             `json:"warmup,omitempty"`    // how long it was and where that came from, where pilots found it
	Faults     []string           `json:"faults,omitempty"`    // what was made to go wrong on purpose
	Duet       bool               `json:"duet,omitempty"`      // both variants ran at the same time
	Rates      map[string]float64 `json:"rates,omitempty"`     // operations/s that a relative rate came to, by operation
	LeftOut    []LeftOut          `json:"left_out,omitempty"`  // variants that could not run here
	Published  []Published        `json:"published,omitempty"` // a study's own figures, to stand beside these
	Claims     []Claim            `json:"claims,omitempty"`    // what that study found
	Seed       uint64             `json:"seed"`
	File       string             `json:"file"` // the resolved experiment, YAML
}

// LeftOut is a variant that was asked for and could not run here.
type LeftOut struct {
	Variant string `json:"variant"`
	Reason  string `json:"reason"`
}

// Published is one figure of the study that is repeated.
type Published struct {
	Source    string            `json:"source"`
	Operation string            `json:"operation"`
	Variant   string            `json:"variant"`
	Metric    string            `json:"metric"`
	Parameter map[string]string `json:"parameter,omitempty"`
	Value     float64           `json:"value"` // in the metric's unit
	Spread    float64           `json:"spread,omitempty"`
	Note      string            `json:"note,omitempty"`
}

// Variant is one thing compared.
type Variant struct {
	Steps       []string          `json:"steps,omitempty"`   // of tracing that it runs, where its tracer says so
	Partial     bool              `json:"partial,omitempty"` // it leaves out steps, traces or spans on purpose: what it costs is the cost of a part
	On          []string          `json:"on,omitempty"`      // the workload's processes that it was put on, where it chose some
	Name        string            `json:"name"`
	Tracer      string            `json:"tracer"`
	Settings    map[string]string `json:"settings,omitempty"`
	To          string            `json:"to,omitempty"`      // the backend that they are stored in; "" is the sink
	Via         []string          `json:"via,omitempty"`     // hops that its spans pass through, in the order of their way
	Against     string            `json:"against,omitempty"` // another pair, besides the baseline
	Description string            `json:"description,omitempty"`
	Runtime     string            `json:"runtime,omitempty"` // the virtual machine that its processes ran on, where that can be told

	Instrumented []string `json:"instrumented,omitempty"` // the libraries that its tracer said it instrumented, where it says so
}

// Finding is one metric of one variant against another, on one operation.
type Finding struct {
	Operation  string            `json:"operation"` // "" for metrics of the whole run, such as startup_time
	Variant    string            `json:"variant"`
	Against    string            `json:"against"`
	Parameter  map[string]string `json:"parameter,omitempty"`
	Metric     string            `json:"metric"`
	Role       string            `json:"role,omitempty"`    // "" for all roles but load and sink
	Service    string            `json:"service,omitempty"` // with a role: of which process of the workload, and of what stands beside it; "" for all
	Unit       string            `json:"unit"`              // "s", "bytes", "1" (a share), "1/s" or "count"
	Better     string            `json:"better"`            // "lower", "higher" or ""
	Baseline   float64           `json:"baseline"`          // centre of the baseline's blocks
	Value      float64           `json:"value"`             // centre of the variant's blocks
	Absolute   *Interval         `json:"absolute"`          // difference, in Unit; nil where it can't be given
	Relative   *Interval         `json:"relative"`          // ratio − 1; nil where the baseline is zero
	Blocks     int               `json:"blocks"`            // pairs that the intervals rest on
	Headline   bool              `json:"headline,omitempty"`
	Uncompared bool              `json:"uncompared,omitempty"` // values only: each side did other work, such as at a rate found for it
	Amount     bool              `json:"amount,omitempty"`     // the difference answers and not the ratio: the baseline's operations do nothing
	Verdict    Verdict           `json:"verdict"`
	Samples    []Sample          `json:"samples"`         // every block
	Notes      []Reason          `json:"notes,omitempty"` // what is to be known beside it
	Note       string            `json:"note,omitempty"`  // the same in words
}

// Charged says whom the cost is charged to: "sidecar of shop"; "" for all roles but load and sink.
func (f Finding) Charged() string { return charged(f.Role, f.Service) }

func charged(role, service string) string {
	if service == "" {
		return role
	}
	return role + " of " + service
}

// ByRatio reports whether the ratio is what answers: there is one, and it is over
// something.
func (f Finding) ByRatio() bool { return f.Relative != nil && !f.Amount }

// Shown is the interval that answers: the ratio's or the difference's. It is nil where
// there is neither.
func (f Finding) Shown() *Interval {
	if f.ByRatio() {
		return f.Relative
	}
	return f.Absolute
}

// Interval is an estimate with its two-sided 95 % interval. Low and High are
// nil where there are too few blocks for one.
type Interval struct {
	Estimate float64  `json:"estimate"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
}

// Sample is one block's pair of values.
type Sample struct {
	Block    int     `json:"block"`
	Baseline float64 `json:"baseline"`
	Value    float64 `json:"value"`

	BaselineWithin *Range `json:"baseline_within,omitempty"` // where it is only known to lie: the bracket of a search
	ValueWithin    *Range `json:"value_within,omitempty"`
}

// Range is the two rates between which the answer of a search lies.
type Range struct {
	Low  float64  `json:"low"`
	High *float64 `json:"high"` // nil: none is known that is too much
}

// Kind of verdict.
type Kind string

// The verdicts. Costs, Saves and NoDifference are given where there is no budget.
const (
	None         Kind = ""              // figures only
	Costs        Kind = "costs"         // the interval excludes zero, on the side of worse
	Saves        Kind = "saves"         // the interval excludes zero, on the side of better
	NoDifference Kind = "no-difference" // the interval holds zero; Bound says how large a difference could have hidden
	Within       Kind = "within"        // the whole interval is within the budget
	Over         Kind = "over"          // the whole interval is over the budget
	CannotTell   Kind = "cannot-tell"   // more blocks are needed, or the question has no answer: Reasons say which
	Overloaded   Kind = "overloaded"    // a variant could not hold the rate: no comparison at the same work
)

// Verdict is a finding in words. Its interval is corrected for the number of
// claims made together (Claims), so it may be wider than the finding's own.
type Verdict struct {
	Kind       Kind     `json:"kind"`
	Text       string   `json:"text"`                 // in words, e.g. "costs 12.1 % (10.9 to 13.4)"
	Claims     int      `json:"claims,omitempty"`     // corrected for so many
	Confidence float64  `json:"confidence,omitempty"` // of the corrected interval
	Joint      bool     `json:"joint,omitempty"`      // by a joint test of all claims, for want of corrected intervals; low to high is then the finding's own
	Reasons    []Reason `json:"reasons,omitempty"`    // why it is not another, or what stands beside it
	Estimate   *float64 `json:"estimate,omitempty"`   // centre of the corrected interval
	Low        *float64 `json:"low,omitempty"`        // corrected interval, relative where there is one
	High       *float64 `json:"high,omitempty"`
	Bound      *float64 `json:"bound,omitempty"`       // NoDifference: the interval's larger end
	Budget     *float64 `json:"budget,omitempty"`      // the limit it was held against
	MoreBlocks int      `json:"more_blocks,omitempty"` // CannotTell: about so many more would settle it
}

// Curve is a variant's latency by percentile on one operation: the centre over
// its runs. Points that too few values support are left out.
type Curve struct {
	Operation string            `json:"operation"`
	Variant   string            `json:"variant"`
	Parameter map[string]string `json:"parameter,omitempty"`
	Points    []Point           `json:"points"`
}

// Point of a latency curve.
type Point struct {
	Percentile float64 `json:"percentile"` // 0 to 100
	Seconds    float64 `json:"seconds"`
	Low        float64 `json:"low"` // smallest and largest over the runs
	High       float64 `json:"high"`
}
