// This file declares the document that `tracetax replicate --json` writes: results of experiments
// beside the figures of a published study.

package study

import (
	"time"

	"github.com/tracetax/tracetax/internal/finding"
)

// Schema is the version of the replication document.
const Schema = 3

// Replication compares several results with a published study.
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
	Methods    []string          `json:"methods"` // of computing the figures, a sentence each

	Tracers map[string]string `json:"tracers,omitempty"` // of each variant, from the first result that has it
}

// Result is one of the results.
type Result struct {
	Results  string    `json:"results"`
	Workload string    `json:"workload"`
	Load     string    `json:"load"`
	Tool     string    `json:"tool"`
	Runtimes []string  `json:"runtimes,omitempty"` // versions as the programs report them: "java: openjdk 17.0.15"
	Created  time.Time `json:"created"`
	Blocks   int       `json:"blocks"`
	Quick    bool      `json:"quick,omitempty"` // with shorter windows and a shorter warm-up than the experiment asks for
	Summary  string    `json:"summary"`
}

// Series is one set of published figures: a source and a remark.
type Series struct {
	Name   string `json:"name"` // heads its columns
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
	Amount   bool   `json:"amount,omitempty"` // the added amount answers, not the ratio
	Rows     []Row  `json:"rows"`             // by operation and level, then variant, the baseline first
}

// Row is one variant on one operation.
type Row struct {
	Operation  string            `json:"operation"`
	Parameter  map[string]string `json:"parameter,omitempty"`
	Variant    string            `json:"variant"`
	Value      *finding.Interval `json:"value"`                // centre over the blocks
	Cost       *finding.Interval `json:"cost"`                 // over the baseline, ratio − 1; nil: the baseline, or no ratio
	Added      *finding.Interval `json:"added"`                // over the baseline, in the metric's unit; nil for the baseline
	Blocks     int               `json:"blocks"`               // behind the cost
	Lossy      bool              `json:"lossy,omitempty"`      // it lost over 1 % of its spans: not ranked
	Suppressed float64           `json:"suppressed,omitempty"` // share of its spans that the tracer's own limit suppressed
	Reason     *finding.Reason   `json:"reason,omitempty"`     // why its interval does not answer the question
	Published  []PublishedFigure `json:"published,omitempty"`
}

// PublishedFigure is a study's figure for the same cell.
type PublishedFigure struct {
	Series int      `json:"series"` // index into Replication.Series
	Value  float64  `json:"value"`
	Spread float64  `json:"spread,omitempty"`
	Cost   *float64 `json:"cost,omitempty"`   // over the study's own baseline, ratio − 1
	Added  *float64 `json:"added,omitempty"`  // likewise as an amount, instead of Cost, in tables of amounts
	Within *bool    `json:"within,omitempty"` // Cost or Added lies in our interval
}

// Ranking orders the variants by their cost on one operation, the cheapest first.
type Ranking struct {
	Workload  string            `json:"workload"`
	Operation string            `json:"operation"`
	Parameter map[string]string `json:"parameter,omitempty"`
	Metric    string            `json:"metric"`
	Places    []RankPlace       `json:"places"`
	Taus      []Tau             `json:"taus,omitempty"`
	Swapped   []string          `json:"swapped,omitempty"` // pairs whose order surely differs from the published one
}

// RankPlace is one variant in the order.
type RankPlace struct {
	Variant   string            `json:"variant"`
	Rank      int               `json:"rank"` // 1 is the cheapest
	Cost      *finding.Interval `json:"cost"`
	Groups    string            `json:"groups,omitempty"`    // letters: variants that share one are indistinguishable
	Published []int             `json:"published,omitempty"` // rank in each series, 0 if absent
}

// Tau is the rank correlation with a published order.
type Tau struct {
	Series   int     `json:"series"`
	Tau      float64 `json:"tau"` // Kendall's τ-b: 1 is the same order, −1 the opposite
	Variants int     `json:"variants"`
}

// Mean is a variant's mean cost over operations, or over workloads for one operation.
type Mean struct {
	Metric     string            `json:"metric"`
	Unit       string            `json:"unit"`
	Workload   string            `json:"workload"`            // "" over all workloads
	Operation  string            `json:"operation,omitempty"` // "" over all operations
	Variant    string            `json:"variant"`
	Operations int               `json:"operations"`        // averaged, each workload's counted separately
	Cells      []string          `json:"cells"`             // averaged, as "workload, operation"
	Without    []string          `json:"without,omitempty"` // the experiment's other cells, likewise
	Baseline   float64           `json:"baseline"`          // mean of the baseline's centres, in Unit
	Value      float64           `json:"value"`             // likewise of the variant's
	Arithmetic float64           `json:"arithmetic"`        // mean of the relative changes, as in studies
	Geometric  *finding.Interval `json:"geometric"`         // mean ratio − 1, interval over blocks
	Blocks     int               `json:"blocks"`
	Published  []SeriesFig       `json:"published,omitempty"` // arithmetic, over the same operations

	// OfMeans is the ratio of means of the studies: the arithmetic mean of the values over all
	// operations, divided by the baseline's, less 1. Operations with large values weigh more.
	OfMeans *finding.Interval `json:"of_means"`
	// PublishedOfMeans holds published means over all operations; none if ours lacks an operation.
	PublishedOfMeans []PublishedFigure `json:"published_of_means,omitempty"`
}

// SeriesFig is one figure of a published series.
type SeriesFig struct {
	Series int     `json:"series"`
	Value  float64 `json:"value"`
}

// The sides of a ratio of ratios.
const (
	BetweenVariants  = "variants"
	BetweenWorkloads = "workloads"
)

// Ratio divides one cost by another: the ratio of their ratios to the baseline, averaged over
// the operations that both have.
type Ratio struct {
	Between    string            `json:"between"`
	Metric     string            `json:"metric"`
	Over       string            `json:"over"`     // variant or workload
	Under      string            `json:"under"`    // likewise
	Workload   string            `json:"workload"` // BetweenVariants
	Variant    string            `json:"variant"`  // BetweenWorkloads
	Operations int               `json:"operations"`
	Ratio      *finding.Interval `json:"ratio"` // − 1
	Blocks     int               `json:"blocks"`
}

// ClaimKind is the verdict on a claim.
type ClaimKind string

// The verdicts on a claim.
const (
	Confirmed ClaimKind = "confirmed"
	Refuted   ClaimKind = "refuted"
	Open      ClaimKind = "cannot tell"
)

// ClaimResult is a claim with its verdict.
type ClaimResult struct {
	finding.Claim
	Kind    ClaimKind     `json:"kind"`
	Said    string        `json:"said"`            // one sentence
	Needs   []string      `json:"needs,omitempty"` // workloads of the claim without a result
	Figures []ClaimFigure `json:"figures"`         // behind the verdict
}

// ClaimFigure is one of the intervals behind a verdict.
type ClaimFigure struct {
	Workload  string            `json:"workload,omitempty"`  // "": a mean over all
	Operation string            `json:"operation,omitempty"` // likewise
	Parameter map[string]string `json:"parameter,omitempty"`
	Variant   string            `json:"variant,omitempty"` // likewise
	Interval  *finding.Interval `json:"interval"`          // relative, 95 % by itself
	Wide      *finding.Interval `json:"wide,omitempty"`    // corrected for the number of figures
	Holds     ClaimKind         `json:"holds"`             // by itself, at 95 %
	Blocks    int               `json:"blocks"`
	Reason    *finding.Reason   `json:"reason,omitempty"` // why it is open, or a remark
}

// Lossy is a variant that is excluded from the ranking.
type Lossy struct {
	Workload string `json:"workload"`
	finding.Lossy
}

// Step is the cost that steps of tracing add on one workload.
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

// Suppressed is a variant with spans suppressed by the tracer's own limit.
type Suppressed struct {
	Workload string `json:"workload"`
	finding.Suppressed
}
