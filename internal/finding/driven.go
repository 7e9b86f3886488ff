// This file has the words of self-driving workloads: what each step of
// tracing adds, and which variants lost too many spans to be ranked.

package finding

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
	Notes     []Reason          `json:"notes,omitempty"`     // what is to be known beside it
	Note      string            `json:"note,omitempty"`      // the same in words
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
	LostNowhere  = "unknown"  // nobody says where
)

// LostAt is how many spans were lost at one place.
type LostAt struct {
	Place string  `json:"place"` // "limit" (of the tracer's own), "queue" (of the tracer), "stream" (to the receiver), "stop" (still with the tracer), "hop" (on the way, by its own word), "receiver" or "unknown"
	Spans int64   `json:"spans"` // how many were lost there
	Share float64 `json:"share"` // of all that should have arrived
}
