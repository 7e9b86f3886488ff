// This file has the words of a comparison: what changed between results of one
// experiment. `tracetax compare --json` writes it.

package finding

import "time"

// ComparisonSchema is the version of the comparison document.
const ComparisonSchema = 3

// What is compared: Comparison.Mode.
const (
	ByResults  = "results"
	ByVariants = "variants"
)

// Comparison has the changes from one result to one or more others.
type Comparison struct {
	Schema    int       `json:"schema"`
	Tool      string    `json:"tool"` // version of tracetax
	Created   time.Time `json:"created"`
	Mode      string    `json:"mode"`             // "results", or "variants" of one result
	Base      Side      `json:"base"`             // before
	News      []Side    `json:"news"`             // after: one or more
	Filter    string    `json:"filter,omitempty"` // as the user wrote it
	Hidden    []Hidden  `json:"hidden,omitempty"` // what the filter leaves nothing of
	Elsewhere bool      `json:"elsewhere"`        // made on different machines: ratios and ranks only
	Summary   string    `json:"summary"`          // one sentence
	Warnings  []Warning `json:"warnings"`
	Changes   []Change  `json:"changes"`
	Ranks     []Rank    `json:"ranks,omitempty"` // Elsewhere: the order of the variants
}

// Hidden are the metrics, operations or variants that a filter leaves out wholly.
type Hidden struct {
	Key   string   `json:"key"` // "metric", "operation" or "variant"
	Names []string `json:"names"`
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

// Change is the change in one metric of one variant on one operation.
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

// Cost is the cost in one of the results by itself.
type Cost struct {
	Value    Number    `json:"value"`    // centre of the variant's blocks; null where it is unknown, for means, and where machines differ
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
