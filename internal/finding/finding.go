// Package finding owns the words in which a result is told: the findings
// document that is written as findings.json and that every report shows.
// It is a leaf beside record: analysis makes it, report reads it.
package finding

import (
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/quote"
)

// Schema is the version of the findings document.
const Schema = 3

// Document is all that came of one experiment.
type Document struct {
	Schema      int            `json:"schema"`                 // version of this format, 3; tracetax refuses another
	Tool        string         `json:"tool"`                   // version of tracetax that analysed; environment.tool is the one that measured
	Created     time.Time      `json:"created"`                // when it was analysed
	Results     string         `json:"results"`                // the results folder
	Experiment  Experiment     `json:"experiment"`             // what was compared
	Environment map[string]any `json:"environment"`            // the machine, the versions of what ran and digests of what was built, as in environment.json
	Summary     string         `json:"summary"`                // one sentence: what tracing costs, what was not compared, whether budgets were kept, which variants lost spans. It says "adds" or "saves" only where the interval excludes zero; otherwise the bound, or "inconclusive" and the interval where the bound is over 25 %; without intervals, the figures
	Quick       bool           `json:"quick"`                  // with shorter windows and a shorter warm-up than the experiment asks for
	Warnings    []Warning      `json:"warnings"`               // what the harness saw that bears on the figures, and what to do
	Findings    []Finding      `json:"findings"`               // one metric of one variant against another on one operation each
	Curves      []Curve        `json:"curves"`                 // latency by percentile
	Sweeps      []Sweep        `json:"sweeps,omitempty"`       // metrics over the levels of what was varied between phases
	Searches    []Search       `json:"searches,omitempty"`     // searches for a capacity
	Services    []ServiceCost  `json:"services,omitempty"`     // CPU per operation by service, where the program under test has several processes; of each operation the service first to which a variant adds most
	Calls       []Call         `json:"calls,omitempty"`        // who calls whom, where the workload is a graph of services
	Increments  []Increment    `json:"increments,omitempty"`   // what further steps of tracing add; each interval is 95 % by itself, without a verdict
	Causes      []Causes       `json:"causes,omitempty"`       // of a profiled experiment: what the amounts of causes rest on
	Profiles    []Profile      `json:"profiles,omitempty"`     // of a profiled experiment: the profiles behind the causes that have amounts
	Lossy       []Lossy        `json:"lossy,omitempty"`        // variants that lost over 1 % of their spans: excluded from the ranking
	LossUnknown []LossUnknown  `json:"loss_unknown,omitempty"` // variants that may have lost over 1 % more of their spans than they lost for sure
	Suppressed  []Suppressed   `json:"suppressed,omitempty"`   // variants with over 1 % of the spans suppressed by the tracer's own limit
	Untraced    []Untraced     `json:"untraced,omitempty"`     // operations from which no span came though some should have
	Elsewhere   []Elsewhere    `json:"elsewhere,omitempty"`    // variants that traced, or tried to, and not for the sink: what they are compared by is not what tracing costs
	Decisions   []Decision     `json:"decisions,omitempty"`    // of operations at a rate: how much each way of tracing shows, and what it costs
	Ledgers     []Ledger       `json:"ledgers"`                // where every span went; see docs/ledger.md
	Packets     []Packets      `json:"packets,omitempty"`      // of variants that capture packets, how many they did
	Proxied     []Proxied      `json:"proxied,omitempty"`      // of variants whose proxies count the calls that pass them, how many they did
	Answers     []Answers      `json:"answers,omitempty"`      // of operations with several right statuses, how many of each a variant got
	Runs        Runs           `json:"runs"`                   // how many runs the findings rest on, and what became of the others
	Repeat      []string       `json:"repeat"`                 // commands that repeat the experiment; first the one that continues it, where it was interrupted
}

// Experiment is what was compared, in words for a reader; the file that repeats
// it is experiment.yaml in the results folder.
type Experiment struct {
	Name       string             `json:"name"`                // of the experiment
	Workload   string             `json:"workload"`            // of the workload
	Operations []string           `json:"operations"`          // those that were measured, in the order of the file
	Variants   []Variant          `json:"variants"`            // what was compared; the first is the baseline
	Load       string             `json:"load"`                // e.g. "500 operations/s for 20s, open loop"
	Blocks     int                `json:"blocks"`              // asked for; at least, where Most is set
	Most       int                `json:"most,omitempty"`      // at most, where the experiment stops at a precision
	Precision  float64            `json:"precision,omitempty"` // half-width to stop at, 0.02 is ±2 %
	Metric     string             `json:"metric,omitempty"`    // the one that the experiment is about
	Pilot      []string           `json:"pilot,omitempty"`     // where a relative rate came from, a sentence an operation
	Warmup     string             `json:"warmup,omitempty"`    // how long it was and where that came from, where pilots found it
	Faults     []string           `json:"faults,omitempty"`    // what was made to go wrong on purpose
	Order      string             `json:"order,omitempty"`     // how the load went through the variants of a block: windows, woven or apart
	Rates      map[string]float64 `json:"rates,omitempty"`     // operations/s that a relative rate came to, by operation
	LeftOut    []LeftOut          `json:"left_out,omitempty"`  // variants that could not run here
	Shadowed   []Shadowed         `json:"shadowed,omitempty"`  // packages that a tracer replaces by other versions
	Published  []Published        `json:"published,omitempty"` // a study's own figures, to stand beside these
	Claims     []Claim            `json:"claims,omitempty"`    // what that study found
	Seed       uint64             `json:"seed"`                // of the random orders
	File       string             `json:"file"`                // the resolved experiment, YAML
}

// LeftOut is a variant that was asked for and could not run here.
type LeftOut struct {
	Variant string `json:"variant"` // name of the variant
	Reason  string `json:"reason"`  // why it could not run
}

// Shadowed is a package of a program that its tracer replaces by another version, in the variant alone: what that changes is
// part of what the variant costs. Package is "" where it could not be found out what is replaced, for the reason in Unknown.
type Shadowed struct {
	Variant string `json:"variant"`           // name of the variant
	Process string `json:"process"`           // name of the process
	Package string `json:"package,omitempty"` // as the registry calls it
	Own     string `json:"own,omitempty"`     // version that the program has without the tracer
	Tracer  string `json:"tracer,omitempty"`  // version that it has with the tracer
	Unknown string `json:"unknown,omitempty"` // the reason, if it is unknown
}

// Published is one figure of the study that is repeated.
type Published struct {
	Source    string            `json:"source"`              // authors, title, year
	Operation string            `json:"operation"`           // the operation; "" for the whole run
	Variant   string            `json:"variant"`             // name of the variant
	Metric    string            `json:"metric"`              // name of the metric
	Parameter map[string]string `json:"parameter,omitempty"` // the level of what was varied between phases, as {"connections": "4"}; levels are never mixed
	Value     float64           `json:"value"`               // in the metric's unit
	Spread    float64           `json:"spread,omitempty"`    // standard deviation, where the study gives it
	Note      string            `json:"note,omitempty"`      // a remark
}

// Claim is what a study found, as a predicate on intervals. config.Claim says what its
// fields mean.
type Claim struct {
	Name      string   `json:"name"`                 // what it is called
	Text      string   `json:"text"`                 // what it says
	Metric    string   `json:"metric"`               // name of the metric
	Of        string   `json:"of"`                   // "cost" over the baseline, or "ratio" of the first over the second, less one
	Beside    string   `json:"beside,omitempty"`     // of a ratio: the metric whose cost the metric's cost is held against
	Variants  []string `json:"variants,omitempty"`   // that it is about; none: all but the baseline
	Workloads []string `json:"workloads,omitempty"`  // that it is about; none: all
	Operation []string `json:"operations,omitempty"` // that it is about; none: all
	Over      string   `json:"over,omitempty"`       // the geometric mean over "operations", "workloads", "variants" or "all"; "": each by itself
	Above     *float64 `json:"above,omitempty"`      // the relative range, from
	Below     *float64 `json:"below,omitempty"`      // the relative range, to
}

// Variant is one thing compared.
type Variant struct {
	Steps       []string          `json:"steps,omitempty"`       // of tracing that it runs, where its tracer says so
	Partial     bool              `json:"partial,omitempty"`     // it leaves out steps, traces or spans on purpose: what it costs is the cost of a part
	On          []string          `json:"on,omitempty"`          // the workload's processes that it was put on, where it chose some
	Name        string            `json:"name"`                  // of the variant, as the experiment has it
	Tracer      string            `json:"tracer"`                // name of the tracer; "none" adds nothing
	Settings    map[string]string `json:"settings,omitempty"`    // of the tracer, defaults included
	To          string            `json:"to,omitempty"`          // the backend that they are stored in; "" is the sink
	Via         []string          `json:"via,omitempty"`         // hops that its spans pass through, in the order of their way
	Against     string            `json:"against,omitempty"`     // another pair, besides the baseline
	Description string            `json:"description,omitempty"` // a line for the report
	Runtime     string            `json:"runtime,omitempty"`     // the virtual machine that its processes ran on, where that can be told

	Instrumented []string `json:"instrumented,omitempty"` // the libraries that its tracer said it instrumented, where it says so
	Missed       []string `json:"missed,omitempty"`       // the libraries that its tracer said it did not instrument, though the program has them
}

// Finding is one metric of one variant against another, on one operation.
type Finding struct {
	Operation  string            `json:"operation"`            // the operation; "" for the whole run, as for startup_time
	Variant    string            `json:"variant"`              // name of the variant
	Against    string            `json:"against"`              // the variant that it is compared with: the baseline, or what the experiment says
	Parameter  map[string]string `json:"parameter,omitempty"`  // the level of what was varied between phases, as {"connections": "4"}; levels are never mixed
	Metric     string            `json:"metric"`               // name of the metric
	Role       string            `json:"role,omitempty"`       // whose processes used it; "" for all roles but load and sink
	Service    string            `json:"service,omitempty"`    // with a role: a process of the workload and those beside it; "" for all
	Unit       string            `json:"unit"`                 // of the values: "s", "bytes", "1" (a share: 0.05 is 5 %; CPU seconds a second are shares of one CPU), "1/s" or "count"
	Better     string            `json:"better"`               // which way is better: "lower", "higher" or ""
	Baseline   Number            `json:"baseline"`             // centre of Against's blocks (Hodges–Lehmann); null where it is unknown
	Value      Number            `json:"value"`                // centre of Variant's blocks, likewise; a delivered share is that of all blocks together
	Absolute   *Interval         `json:"absolute"`             // difference, in Unit; null where it cannot be given
	Relative   *Interval         `json:"relative"`             // ratio − 1, from log-ratios within blocks; null where a value is zero or below
	Blocks     int               `json:"blocks"`               // pairs that the intervals rest on: a block counts where both sides and the baseline have a good run in it
	Headline   bool              `json:"headline,omitempty"`   // the answer rests on it: CPU per operation over all roles; the capacity in a search; time per call or its slope
	Uncompared bool              `json:"uncompared,omitempty"` // values only: each side did other work, such as at a rate found for it
	Amount     bool              `json:"amount,omitempty"`     // the difference answers and not the ratio: the baseline's operations do nothing
	Verdict    Verdict           `json:"verdict"`              // what the interval comes to
	Samples    []Sample          `json:"samples"`              // both values of each block that counts
	Scatter    *Scatter          `json:"scatter,omitempty"`    // of CPU per operation in the order windows: what more blocks, or more windows, would bring
	Notes      []Reason          `json:"notes,omitempty"`      // what is to be known beside it
	Note       string            `json:"note,omitempty"`       // the same in words
}

// Scatter is the scatter of the log-ratios behind an interval.
type Scatter struct {
	Blocks     float64 `json:"blocks"`      // standard deviation of those of blocks
	Rounds     float64 `json:"rounds"`      // of those of rounds of windows, within blocks
	Windows    float64 `json:"windows"`     // of a run, on average
	FromRounds float64 `json:"from_rounds"` // share of the blocks' variance that the rounds' makes: more windows lessen it, and only more blocks the rest
}

// Charged says which role and service the cost is charged to: "sidecar of shop"; "" for all roles but load and sink.
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
	Estimate float64  `json:"estimate"` // the centre
	Low      *float64 `json:"low"`      // lower end of the 95 % interval; null with under 6 blocks
	High     *float64 `json:"high"`     // upper end, likewise
}

// Sample is one block's pair of values.
type Sample struct {
	Block    int     `json:"block"`    // number of the block, from 1
	Baseline float64 `json:"baseline"` // Against's value
	Value    float64 `json:"value"`    // Variant's value

	BaselineWithin *Range `json:"baseline_within,omitempty"` // where Against's value is only known to lie: the bracket of a search, or a cost per span of an unsure number; intervals cover both ends
	ValueWithin    *Range `json:"value_within,omitempty"`    // where Variant's value is only known to lie
}

// Range is the two rates between which the answer of a search lies.
type Range struct {
	Low  float64  `json:"low"`  // the lower end
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
	Kind       Kind     `json:"kind"`                  // which verdict it is
	Text       string   `json:"text"`                  // in words, e.g. "costs 12.1 % (10.9 to 13.4)"
	Claims     int      `json:"claims,omitempty"`      // number of claims that the interval is corrected for (Bonferroni): those made together over all operations and pairs, on budgets, on the headline, or on all other metrics and roles
	Confidence float64  `json:"confidence,omitempty"`  // of the corrected interval
	Joint      bool     `json:"joint,omitempty"`       // by a joint test of all claims, for want of corrected intervals; low to high is then the finding's own
	Reasons    []Reason `json:"reasons,omitempty"`     // why it is not another, or what stands beside it
	Estimate   *float64 `json:"estimate,omitempty"`    // centre of the corrected interval
	Low        *float64 `json:"low,omitempty"`         // lower end of the corrected interval, relative where there is a ratio
	High       *float64 `json:"high,omitempty"`        // upper end, likewise
	Bound      *float64 `json:"bound,omitempty"`       // NoDifference: the interval's larger end
	Budget     *float64 `json:"budget,omitempty"`      // the limit it was held against: of the ratio, or of the amount that is added
	BudgetUnit string   `json:"budget_unit,omitempty"` // of a limit of the amount: "s" or "bytes"; of a ratio none
	MoreBlocks int      `json:"more_blocks,omitempty"` // CannotTell: about so many more would decide it
}

// Curve is a variant's latency by percentile on one operation: the centre over
// its runs. Points that too few values support are left out.
type Curve struct {
	Operation string            `json:"operation"`           // the operation; "" for the whole run
	Variant   string            `json:"variant"`             // name of the variant
	Parameter map[string]string `json:"parameter,omitempty"` // the level of what was varied between phases, as {"connections": "4"}; levels are never mixed
	Points    []Point           `json:"points"`              // by percentile; only those that every run supports
}

// Point of a latency curve.
type Point struct {
	Percentile float64 `json:"percentile"` // 0 to 100
	Seconds    float64 `json:"seconds"`    // the latency: centre over the runs
	Low        float64 `json:"low"`        // smallest over the runs
	High       float64 `json:"high"`       // largest over the runs
}

// This file has the words for a reader: what the metrics are called, and text
// from outside made plain.

// MetricName returns a metric's name for a reader: "latency p75" for latency_p75.
func MetricName(name string) string { return metric.Title(name) }

// PlainText takes the control sequences of a terminal out of a text, whole.
func PlainText(text string) string { return quote.WithoutEscapes(text) }

// This file has the words of operations without a span that should have sent some.

// Untraced is an operation of a variant that should have sent spans and sent none: what
// it costs there is not what tracing costs.
type Untraced struct {
	Variant    string     `json:"variant"`              // name of the variant
	Operation  string     `json:"operation"`            // "" where that is so of all: of the whole run
	Operations uint64     `json:"operations,omitempty"` // that were made; of "" all of them
	Causes     []NoSpanBy `json:"causes,omitempty"`     // what is known of why, the likeliest first; none: nothing is
}

// NoSpanBy is something that is known of why no span came, from codes and counts.
type NoSpanBy struct {
	Cause   NoSpanCause `json:"cause"`             // what is known
	Count   uint64      `json:"count"`             // of what Cause counts
	Of      uint64      `json:"of,omitempty"`      // of so many, where it is a part
	Process string      `json:"process,omitempty"` // where it was seen
	Names   []string    `json:"names,omitempty"`   // programs, or operations
	Log     string      `json:"log,omitempty"`     // the last line of the process's log that tells it; of a refusal the words that most senders got
	Text    string      `json:"text"`              // the same in words
}

// NoSpanCause is a code from a closed list.
type NoSpanCause string

// The causes, in the order in which they are told.
const (
	NotTold         NoSpanCause = "not-told"         // no process gets the sink's address
	OtherLanguage   NoSpanCause = "other-language"   // none of the Of programs that ran is of the tracer's language; Names are they
	NotLoaded       NoSpanCause = "not-loaded"       // Names run the program, and do not load what the tracer is attached by
	NotInherited    NoSpanCause = "not-inherited"    // Count of Of programs started without the variables that say where the sink is
	TracerFailed    NoSpanCause = "tracer-failed"    // Count lines of the log tell that something could not be loaded
	Refused         NoSpanCause = "refused"          // the sink refused Count requests or spans that it could not read, most with Log
	NotUnderstood   NoSpanCause = "not-understood"   // Count connections came to the sink, and no request that it understands
	ExportFailed    NoSpanCause = "export-failed"    // Count spans in failed exports by the tracer's own word, or lines of the log that tell of such
	Dropped         NoSpanCause = "dropped"          // the tracer says that it dropped Count spans
	OtherSignals    NoSpanCause = "other-signals"    // Count metrics and logs came, and no span
	Empty           NoSpanCause = "empty-requests"   // Count requests came that hold no span
	OnlyBefore      NoSpanCause = "only-before"      // Count spans came in the calibration, and none in the runs
	NotInstrumented NoSpanCause = "not-instrumented" // the tracer is loaded in Count of Of programs and sent nothing; of an operation: Count spans came of others
	NotConnected    NoSpanCause = "not-connected"    // nothing ever connected to the sink, and nothing says why
)

// UntracedAt is what is known of an operation of a variant that sent no span though some
// should have; of "", the whole run, where that is so of all operations. It is nil otherwise.
func (d *Document) UntracedAt(variant, operation string) *Untraced {
	i := slices.IndexFunc(d.Untraced, func(u Untraced) bool { return u.Variant == variant && u.Operation == operation })
	if i < 0 {
		return nil
	}
	return &d.Untraced[i]
}

// IsUntraced reports whether no span came of an operation of a variant that should have sent
// some; of "", the whole run, whether that is so of all operations.
func (d *Document) IsUntraced(variant, operation string) bool {
	return d.UntracedAt(variant, operation) != nil
}

// NotTracing reports whether a finding is not what tracing costs, because no span came of one
// of its sides, or one of them sent spans elsewhere.
func (d *Document) NotTracing(f *Finding) bool {
	return d.IsUntraced(f.Variant, f.Operation) || d.IsUntraced(f.Against, f.Operation) || d.OneElsewhere(f) != ""
}

// Elsewhere is a process of a variant that sent spans elsewhere than to the sink, or tried to: a baseline that does traces,
// and what another variant costs is partly that.
type Elsewhere struct {
	Variant string   `json:"variant"`       // name of the variant
	Process string   `json:"process"`       // name of the process; "" where it is one of several
	To      []string `json:"to,omitempty"`  // addresses of known receivers that it was connected to
	Log     string   `json:"log,omitempty"` // the last line of its log that tells of a failed export
	Runs    int      `json:"runs"`          // in which it was seen
	Of      int      `json:"of"`            // good runs
	Text    string   `json:"text"`          // the same in words
}

// IsElsewhere reports whether a variant sent spans elsewhere than to the sink.
func (d *Document) IsElsewhere(variant string) bool {
	return slices.ContainsFunc(d.Elsewhere, func(e Elsewhere) bool { return e.Variant == variant })
}

// OneElsewhere is the side of a finding that sent spans elsewhere, the baseline first; "" where none did.
func (d *Document) OneElsewhere(f *Finding) string {
	for _, variant := range []string{f.Against, f.Variant} {
		if d.IsElsewhere(variant) {
			return variant
		}
	}
	return ""
}
