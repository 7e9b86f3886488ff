// This file has the words of a replication: several results of one experiment, beside what
// a published study found. `tracetax replicate --json` writes it.

package study

import (
	"time"

	"github.com/tracetax/tracetax/internal/finding"
)

// Schema is the version of the replication document.
const Schema = 3

// Replication is what several results say together, and how a published study compares.
type Replication struct {
	Schema     int               `json:"schema"`
	Tool       string            `json:"tool"` // version of tracetax
	Created    time.Time         `json:"created"`
	Name       string            `json:"name"` // of the experiment
	Summary    string            `json:"summary"`
	Results    []Result          `json:"results"`
	Series     []Series          `json:"series,omitempty"` // of published figures
	Tables     []Table           `json:"tables"`
	Rankings   []Ranking         `json:"rankings,omitempty"`
	Means      []Mean            `json:"means,omitempty"`
	Ratios     []Ratio           `json:"ratios,omitempty"`
	Claims     []ClaimResult     `json:"claims,omitempty"`
	Lossy      []Lossy           `json:"lossy,omitempty"`
	Suppressed []Suppressed      `json:"suppressed,omitempty"`
	Increments []Step            `json:"increments,omitempty"`
	Sweeps     []Sweep           `json:"sweeps,omitempty"`
	Searches   []Search          `json:"searches,omitempty"`
	LeftOut    []LeftOut         `json:"left_out,omitempty"`
	Warnings   []finding.Warning `json:"warnings"`
	Methods    []string          `json:"methods"` // how the figures were made, a sentence each

	Tracers map[string]string `json:"tracers,omitempty"` // of the variants: in the first of the results that has it
}

// Result is one of the results.
type Result struct {
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

// Table is one metric of one workload.
type Table struct {
	Workload string `json:"workload"`
	Metric   string `json:"metric"`
	Unit     string `json:"unit"`
	Better   string `json:"better"`
	Baseline string `json:"baseline"`
	Amount   bool   `json:"amount,omitempty"` // what is added answers, and not the ratio
	Rows     []Row  `json:"rows"`             // by operation and level, in it the variants, the baseline first
}

// Row is one variant on one operation.
type Row struct {
	Operation  string            `json:"operation"`
	Parameter  map[string]string `json:"parameter,omitempty"`
	Variant    string            `json:"variant"`
	Value      *finding.Interval `json:"value"`                // centre over the blocks, with its interval
	Cost       *finding.Interval `json:"cost"`                 // over the baseline, ratio − 1; nil for the baseline, and where there is no ratio
	Added      *finding.Interval `json:"added"`                // over the baseline, in the metric's unit; nil for the baseline
	Blocks     int               `json:"blocks"`               // that the cost rests on
	Lossy      bool              `json:"lossy,omitempty"`      // it lost over 1 % of its spans: not ranked
	Suppressed float64           `json:"suppressed,omitempty"` // share of its spans that it did not send, by a limit of the tracer's own
	Reason     *finding.Reason   `json:"reason,omitempty"`     // why its interval does not answer the question
	Published  []PublishedFigure `json:"published,omitempty"`
}

// PublishedFigure is what a study says of the same.
type PublishedFigure struct {
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
	Variant   string            `json:"variant"`
	Rank      int               `json:"rank"` // 1 is the cheapest
	Cost      *finding.Interval `json:"cost"`
	Groups    string            `json:"groups,omitempty"`    // letters: two variants that share one cannot be told apart
	Published []int             `json:"published,omitempty"` // rank in each series, 0 where it is not in it
}

// Tau is how far the order agrees with a published one.
type Tau struct {
	Series   int     `json:"series"`
	Tau      float64 `json:"tau"` // Kendall's τ-b: 1 is the same order, −1 the opposite
	Variants int     `json:"variants"`
}

// Mean is the mean cost of a variant over operations, or of one operation over
// workloads.
type Mean struct {
	Metric     string            `json:"metric"`
	Unit       string            `json:"unit"`
	Workload   string            `json:"workload"`            // "" over all workloads
	Operation  string            `json:"operation,omitempty"` // "" over all operations
	Variant    string            `json:"variant"`
	Operations int               `json:"operations"`        // that it is a mean of, each workload's by itself
	Cells      []string          `json:"cells"`             // these, as "workload, operation"
	Without    []string          `json:"without,omitempty"` // those of the experiment that it is not a mean of, likewise
	Baseline   float64           `json:"baseline"`          // mean of the baseline's centres, in Unit
	Value      float64           `json:"value"`             // likewise of the variant's
	Arithmetic float64           `json:"arithmetic"`        // mean of the relative changes, as studies give it
	Geometric  *finding.Interval `json:"geometric"`         // mean ratio − 1, with its interval over blocks
	Blocks     int               `json:"blocks"`
	Published  []SeriesFig       `json:"published,omitempty"` // arithmetic, over the same operations

	// OfMeans is the studies' own way: the arithmetic mean of the values over all operations,
	// over that of the baseline, less 1. It weighs operations by how large their values are.
	OfMeans *finding.Interval `json:"of_means"`
	// PublishedOfMeans is what was published as a mean over all operations. It is left out
	// where ours lacks one of them.
	PublishedOfMeans []PublishedFigure `json:"published_of_means,omitempty"`
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

// Ratio is how many times as much one thing costs as another: a ratio of the
// ratios to the baseline, as a mean over the operations that both have.
type Ratio struct {
	Between    string            `json:"between"`
	Metric     string            `json:"metric"`
	Over       string            `json:"over"`     // variant or workload
	Under      string            `json:"under"`    // what it is held against
	Workload   string            `json:"workload"` // BetweenVariants: in which
	Variant    string            `json:"variant"`  // BetweenWorkloads: the variant
	Operations int               `json:"operations"`
	Ratio      *finding.Interval `json:"ratio"` // − 1
	Blocks     int               `json:"blocks"`
}

// ClaimKind says what became of a claim.
type ClaimKind string

// What can become of a claim.
const (
	Confirmed ClaimKind = "confirmed"
	Refuted   ClaimKind = "refuted"
	Open      ClaimKind = "cannot tell"
)

// ClaimResult is what the results say of a claim.
type ClaimResult struct {
	finding.Claim
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
	Interval  *finding.Interval `json:"interval"`          // relative, 95 % by itself
	Wide      *finding.Interval `json:"wide,omitempty"`    // corrected for the number of figures
	Holds     ClaimKind         `json:"holds"`             // by itself, at 95 %
	Blocks    int               `json:"blocks"`
	Reason    *finding.Reason   `json:"reason,omitempty"` // why it cannot be told, or what is to be known of it
}

// Lossy is a variant that is excluded from the ranking.
type Lossy struct {
	Workload string `json:"workload"`
	finding.Lossy
}

// Step is what steps of tracing add on one workload.
type Step struct {
	Workload string `json:"workload"`
	finding.Increment
}

// Sweep is a curve of one workload.
type Sweep struct {
	Workload string `json:"workload"`
	finding.Sweep
}

// Search is the search for a rate of one variant on one workload.
type Search struct {
	Workload string `json:"workload"`
	finding.Search
}

// LeftOut is a variant that could not run.
type LeftOut struct {
	Workload string `json:"workload"`
	finding.LeftOut
}

// Suppressed is a variant that did not send spans, by a limit of the tracer's own.
type Suppressed struct {
	Workload string `json:"workload"`
	finding.Suppressed
}
