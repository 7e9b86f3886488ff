// This file has the words of a replication: several results of one experiment, beside what
// a published study found. `tracetax replicate --json` writes it.

package finding

import (
	"time"
)

// ReplicationSchema is the version of the replication document.
const ReplicationSchema = 3

// Replication is what several results say together, and how a published study compares.
type Replication struct {
	Schema     int                     `json:"schema"`
	Tool       string                  `json:"tool"` // version of tracetax
	Created    time.Time               `json:"created"`
	Name       string                  `json:"name"` // of the experiment
	Summary    string                  `json:"summary"`
	Results    []ReplicationResult     `json:"results"`
	Series     []Series                `json:"series,omitempty"` // of published figures
	Tables     []ReplicationTable      `json:"tables"`
	Rankings   []Ranking               `json:"rankings,omitempty"`
	Means      []ReplicationMean       `json:"means,omitempty"`
	Ratios     []ReplicationRatio      `json:"ratios,omitempty"`
	Claims     []ClaimResult           `json:"claims,omitempty"`
	Lossy      []ReplicationLossy      `json:"lossy,omitempty"`
	Suppressed []ReplicationSuppressed `json:"suppressed,omitempty"`
	Increments []ReplicationStep       `json:"increments,omitempty"`
	Sweeps     []ReplicationSweep      `json:"sweeps,omitempty"`
	Searches   []ReplicationSearch     `json:"searches,omitempty"`
	LeftOut    []ReplicationLeft       `json:"left_out,omitempty"`
	Warnings   []Warning               `json:"warnings"`
	Methods    []string                `json:"methods"` // how the figures were made, a sentence each

	Tracers map[string]string `json:"tracers,omitempty"` // of the variants: in the first of the results that has it
}

// ReplicationResult is one of the results.
type ReplicationResult struct {
	Results  string    `json:"results"`
	Workload string    `json:"workload"`
	Load     string    `json:"load"`
	Tool     string    `json:"tool"`
	Runtimes []string  `json:"runtimes,omitempty"` // what the programs said of their version: "java: openjdk 17.0.15"
	Created  time.Time `json:"created"`
	Blocks   int       `json:"blocks"`
	Quick    bool      `json:"quick,omitempty"` // with shorter windows and a shorter warm-up than the experiment asks for
	Summary  string    `json:"summary"`
}

// Series is one set of published figures: a source, and what is remarked on them.
type Series struct {
	Name   string `json:"name"` // what its columns are called
	Source string `json:"source"`
	Note   string `json:"note,omitempty"`
}

// ReplicationTable is one metric of one workload.
type ReplicationTable struct {
	Workload string            `json:"workload"`
	Metric   string            `json:"metric"`
	Unit     string            `json:"unit"`
	Better   string            `json:"better"`
	Baseline string            `json:"baseline"`
	Amount   bool              `json:"amount,omitempty"` // what is added answers, and not the ratio
	Rows     []ReplicationCell `json:"rows"`             // by operation and level, in it the variants, the baseline first
}

// ReplicationCell is one variant on one operation.
type ReplicationCell struct {
	Operation  string            `json:"operation"`
	Parameter  map[string]string `json:"parameter,omitempty"`
	Variant    string            `json:"variant"`
	Value      *Interval         `json:"value"`                // centre over the blocks, with its interval
	Cost       *Interval         `json:"cost"`                 // over the baseline, ratio − 1; nil for the baseline, and where there is no ratio
	Added      *Interval         `json:"added"`                // over the baseline, in the metric's unit; nil for the baseline
	Blocks     int               `json:"blocks"`               // that the cost rests on
	Lossy      bool              `json:"lossy,omitempty"`      // it lost over 1 % of its spans: not ranked
	Suppressed float64           `json:"suppressed,omitempty"` // share of its spans that it did not send, by a limit of the tracer's own
	Reason     *Reason           `json:"reason,omitempty"`     // why its interval does not answer the question
	Published  []PublishedCell   `json:"published,omitempty"`
}

// PublishedCell is what a study says of the same.
type PublishedCell struct {
	Series int      `json:"series"` // index into Replication.Series
	Value  float64  `json:"value"`
	Spread float64  `json:"spread,omitempty"`
	Cost   *float64 `json:"cost,omitempty"`   // over the study's own baseline, ratio − 1
	Added  *float64 `json:"added,omitempty"`  // likewise as an amount, instead of Cost, where that is what answers
	Within *bool    `json:"within,omitempty"` // whether that lies in our interval
}

// Ranking is the order of the variants by what they cost on one operation: the
// cheapest first.
type Ranking struct {
	Workload  string            `json:"workload"`
	Operation string            `json:"operation"`
	Parameter map[string]string `json:"parameter,omitempty"`
	Metric    string            `json:"metric"`
	Places    []RankPlace       `json:"places"`
	Taus      []Tau             `json:"taus,omitempty"`
	Swapped   []string          `json:"swapped,omitempty"` // pairs whose order is surely another than the published one
}

// RankPlace is one variant in the order.
type RankPlace struct {
	Variant   string    `json:"variant"`
	Rank      int       `json:"rank"` // 1 is the cheapest
	Cost      *Interval `json:"cost"`
	Groups    string    `json:"groups,omitempty"`    // letters: two variants that share one cannot be told apart
	Published []int     `json:"published,omitempty"` // rank in each series, 0 where it is not in it
}

// Tau is how far the order agrees with a published one.
type Tau struct {
	Series   int     `json:"series"`
	Tau      float64 `json:"tau"` // Kendall's τ-b: 1 is the same order, −1 the opposite
	Variants int     `json:"variants"`
}

// ReplicationMean is the mean cost of a variant over operations, or of one operation over
// workloads.
type ReplicationMean struct {
	Metric     string      `json:"metric"`
	Unit       string      `json:"unit"`
	Workload   string      `json:"workload"`            // "" over all workloads
	Operation  string      `json:"operation,omitempty"` // "" over all operations
	Variant    string      `json:"variant"`
	Operations int         `json:"operations"`        // that it is a mean of, each workload's by itself
	Cells      []string    `json:"cells"`             // these, as "workload, operation"
	Without    []string    `json:"without,omitempty"` // those of the experiment that it is not a mean of, likewise
	Baseline   float64     `json:"baseline"`          // mean of the baseline's centres, in Unit
	Value      float64     `json:"value"`             // likewise of the variant's
	Arithmetic float64     `json:"arithmetic"`        // mean of the relative changes, as studies give it
	Geometric  *Interval   `json:"geometric"`         // mean ratio − 1, with its interval over blocks
	Blocks     int         `json:"blocks"`
	Published  []SeriesFig `json:"published,omitempty"` // arithmetic, over the same operations

	// OfMeans is the studies' own way: the arithmetic mean of the values over all operations,
	// over that of the baseline, less 1. It weighs operations by how large their values are.
	OfMeans *Interval `json:"of_means"`
	// PublishedOfMeans is what was published as a mean over all operations. It is left out
	// where ours lacks one of them.
	PublishedOfMeans []PublishedCell `json:"published_of_means,omitempty"`
}

// SeriesFig is one figure of a published series.
type SeriesFig struct {
	Series int     `json:"series"`
	Value  float64 `json:"value"`
}

// The things that a ratio of ratios is between.
const (
	BetweenVariants  = "variants"
	BetweenWorkloads = "workloads"
)

// ReplicationRatio is how many times as much one thing costs as another: a ratio of the
// ratios to the baseline, as a mean over the operations that both have.
type ReplicationRatio struct {
	Between    string    `json:"between"`
	Metric     string    `json:"metric"`
	Over       string    `json:"over"`     // variant or workload
	Under      string    `json:"under"`    // what it is held against
	Workload   string    `json:"workload"` // BetweenVariants: in which
	Variant    string    `json:"variant"`  // BetweenWorkloads: of which
	Operations int       `json:"operations"`
	Ratio      *Interval `json:"ratio"` // − 1
	Blocks     int       `json:"blocks"`
}

// ClaimKind says what became of a claim.
type ClaimKind string

// What can become of a claim.
const (
	Confirmed ClaimKind = "confirmed"
	Refuted   ClaimKind = "refuted"
	Open      ClaimKind = "cannot tell"
)

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
	Some      bool     `json:"some,omitempty"`       // one is enough
	Above     *float64 `json:"above,omitempty"`      // the relative range, from
	Below     *float64 `json:"below,omitempty"`      // the relative range, to
}

// ClaimResult is what the results say of a claim.
type ClaimResult struct {
	Claim
	Kind    ClaimKind     `json:"kind"`
	Said    string        `json:"said"`            // one sentence
	Needs   []string      `json:"needs,omitempty"` // workloads that it is about and that there is no result of
	Figures []ClaimFigure `json:"figures"`         // that it rests on
}

// ClaimFigure is one of the intervals that a claim rests on.
type ClaimFigure struct {
	Workload  string            `json:"workload,omitempty"`  // "" where it is a mean over them
	Operation string            `json:"operation,omitempty"` // likewise
	Parameter map[string]string `json:"parameter,omitempty"`
	Variant   string            `json:"variant,omitempty"` // likewise
	Interval  *Interval         `json:"interval"`          // relative, 95 % by itself
	Wide      *Interval         `json:"wide,omitempty"`    // corrected for the number of figures
	Holds     ClaimKind         `json:"holds"`             // by itself, at 95 %
	Blocks    int               `json:"blocks"`
	Reason    *Reason           `json:"reason,omitempty"` // why it cannot be told, or what is to be known of it
}

// ReplicationLossy is a variant that is excluded from the ranking.
type ReplicationLossy struct {
	Workload string `json:"workload"`
	Lossy
}

// ReplicationStep is what steps of tracing add on one workload.
type ReplicationStep struct {
	Workload string `json:"workload"`
	Increment
}

// ReplicationSweep is a curve of one workload.
type ReplicationSweep struct {
	Workload string `json:"workload"`
	Sweep
}

// ReplicationSearch is the search for a rate of one variant on one workload.
type ReplicationSearch struct {
	Workload string `json:"workload"`
	Search
}

// ReplicationLeft is a variant that could not run.
type ReplicationLeft struct {
	Workload string `json:"workload"`
	LeftOut
}

// This file has the words of a comparison: what changed between results of one
// experiment. `tracetax compare --json` writes it.

// ComparisonSchema is the version of the comparison document.
const ComparisonSchema = 3

// Comparison says what changed from one result to one or more others.
type Comparison struct {
	Schema    int       `json:"schema"`
	Tool      string    `json:"tool"` // version of tracetax
	Created   time.Time `json:"created"`
	Mode      string    `json:"mode"`             // "results", or "variants" of one result
	Base      Side      `json:"base"`             // before
	News      []Side    `json:"news"`             // after: one or more
	Filter    string    `json:"filter,omitempty"` // as the user wrote it
	Elsewhere bool      `json:"elsewhere"`        // made on different machines: ratios and ranks only
	Summary   string    `json:"summary"`          // one sentence
	Warnings  []Warning `json:"warnings"`
	Changes   []Change  `json:"changes"`
	Ranks     []Rank    `json:"ranks,omitempty"` // Elsewhere: the order of the variants
}

// Side is one of the results.
type Side struct {
	Name     string    `json:"name"` // what its column is called
	Results  string    `json:"results"`
	Tool     string    `json:"tool"`
	Created  time.Time `json:"created"`
	Workload string    `json:"workload"`
	Load     string    `json:"load"`
	Blocks   int       `json:"blocks"`
	Changed  []string  `json:"changed,omitempty"` // what is set differently than in Base
}

// What a change is of.
const (
	OfCost     = "cost"     // of a variant's cost over its baseline, on one operation
	OfMean     = "geomean"  // of the geometric mean of the costs over the operations
	OfBaseline = "baseline" // of the baseline itself: the machine's drift is in it
)

// Change is what changed in one metric of one variant on one operation.
type Change struct {
	Of        string            `json:"of"`        // OfCost, OfMean or OfBaseline
	New       int               `json:"new"`       // index into News
	Operation string            `json:"operation"` // "" for metrics of the whole run, and for means
	Variant   string            `json:"variant"`
	Against   string            `json:"against,omitempty"` // what the cost is over
	Parameter map[string]string `json:"parameter,omitempty"`
	Metric    string            `json:"metric"`
	Role      string            `json:"role,omitempty"`
	Service   string            `json:"service,omitempty"` // as of Finding
	Unit      string            `json:"unit"`
	Better    string            `json:"better"`
	Headline  bool              `json:"headline,omitempty"`
	Before    Cost              `json:"before"`
	After     Cost              `json:"after"`
	Absolute  *Interval         `json:"absolute"` // change of the absolute cost, in Unit; nil where it can't be given
	Relative  *Interval         `json:"relative"` // ratio of the ratios − 1; nil where there is no ratio
	Verdict   Verdict           `json:"verdict"`  // Costs: costs more than before; Saves: costs less
	Note      string            `json:"note,omitempty"`
}

// Cost is what one of the results says by itself.
type Cost struct {
	Value    float64   `json:"value"`    // centre of the variant's blocks; 0 for means and where machines differ
	Absolute *Interval `json:"absolute"` // over the baseline
	Relative *Interval `json:"relative"`
	Amount   bool      `json:"amount,omitempty"` // as a Finding has it
	Blocks   int       `json:"blocks"`
}

// Rank is the place of a variant among all by one metric on one operation, in each
// of the results: 1 is the cheapest.
type Rank struct {
	Operation string            `json:"operation"`
	Parameter map[string]string `json:"parameter,omitempty"`
	Metric    string            `json:"metric"`
	Variant   string            `json:"variant"`
	Places    []int             `json:"places"` // Base first; 0 where it is not known
}
