// This file has the words of sweeps and of searches for a capacity.

package finding

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
	Method    string            `json:"method"`              // "fit" or "staircase"
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
}

// SearchPoint is one probe.
type SearchPoint struct {
	Block       int     `json:"block"`             // number of the block, from 1
	Purpose     string  `json:"purpose"`           // "probe", "verify", "bisect" or "step"
	Rate        float64 `json:"rate"`              // operations/s asked for
	Utilisation float64 `json:"utilisation"`       // share of the app's CPU that was used
	Seconds     float64 `json:"seconds,omitempty"` // the latency looked at, for a latency goal
	Lost        float64 `json:"lost,omitempty"`    // spans that were lost
	Passed      bool    `json:"passed"`            // the goal was met
	Why         string  `json:"why,omitempty"`     // what failed, in words
}
